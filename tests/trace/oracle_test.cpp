#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scalelaw/trace/ingest.hpp"
#include "support/json.hpp"
#include "support/places.hpp"

// Expectations: pandas 1.5.3 and numpy 1.24.2, through oracle/make_oracle.py.

namespace scalelaw {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const json& trees() {
  static const json all = [] {
    std::ifstream in(source_folder().string() + "/tests/trace/oracle/ingest.json");
    return parse_json(in);
  }();
  return all;
}

/// The files of a tree in their own folder.
class WrittenTree {
 public:
  explicit WrittenTree(const json& files) {
    std::string pattern = (fs::temp_directory_path() / "scalelaw-oracle-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    for (const auto& [name, text] : files.items()) {
      fs::create_directories((folder_ / name).parent_path());
      std::ofstream(folder_ / name, std::ios::binary) << text.get<std::string>();
    }
  }
  ~WrittenTree() { fs::remove_all(folder_); }
  WrittenTree(const WrittenTree&) = delete;
  WrittenTree& operator=(const WrittenTree&) = delete;

  RunTable read(const IngestOptions& options) const {
    const std::vector<std::string> inputs{folder_.string()};
    return ingest(inputs, options).table;
  }

 private:
  fs::path folder_;
};

std::optional<double> number_or_nothing(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

IngestOptions options_of(const json& one) {
  const std::string rows = one["rows"];
  return {.max_gap_s = number_or_nothing(one["max_gap"]),
          .idle_below_pct = number_or_nothing(one["idle_below"]),
          .rows = rows == "gpu"    ? IngestRows::kGpu
                  : rows == "node" ? IngestRows::kNode
                                   : IngestRows::kJob,
          .threads = 1};
}

/// Cells by the names of their columns; rows by what they describe.
using Row = std::map<std::string, std::string>;
std::map<std::string, Row> rows_of(const RunTable& table) {
  std::map<std::string, Row> rows;
  for (const auto& cells : table.rows) {
    Row row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[table.names[i]] = cells[i];
    rows[row["job_id"] + ' ' + row["node"] + ' ' + row["gpu"]] = row;
  }
  return rows;
}

/// Figures of the sampling: how regular it was, and how similar a job's nodes are.
const std::set<std::string> kSampling{"longest_interval_s", "sampling_period_s",
                                      "node_util_range_pct"};

/// How far a figure may be from its expectation.
double tolerance(const std::string& name, double expected) {
  if (name == "energy_j") return 1e-9 * std::abs(expected);
  // If all values are equal, the oracle's variation is rounding.
  if (name.ends_with("_cv")) return 1e-9 * std::max(expected, 1e-3);
  // It is a difference of percentages.
  if (name == "node_util_range_pct") return 1e-12 * std::max(expected, 1.0);
  return 1e-12 * std::abs(expected);
}

void expect_cell(const std::string& name, const std::string& cell, const json& expected) {
  if (expected.is_null()) {
    EXPECT_EQ(cell, "") << name;
  } else if (expected.is_string()) {
    EXPECT_EQ(cell, expected.get<std::string>()) << name;
  } else if (expected.is_number_integer()) {
    EXPECT_EQ(cell, std::to_string(expected.get<std::int64_t>())) << name;
  } else {
    ASSERT_NE(cell, "") << name << ", expected " << expected;
    const auto figure = expected.get<double>();
    EXPECT_NEAR(std::stod(cell), figure, tolerance(name, figure)) << name;
  }
}

void expect_table(const RunTable& table, const json& one, bool sampling) {
  const std::map<std::string, Row> rows = rows_of(table);
  ASSERT_EQ(rows.size(), table.rows.size());
  ASSERT_EQ(rows.size(), one["table"].size());
  const auto names = one["names"].get<std::vector<std::string>>();
  for (const json& cells : one["table"]) {
    std::map<std::string, json> expected;
    for (std::size_t i = 0; i < names.size(); ++i) expected[names[i]] = cells[i];
    const auto text_of = [&](const std::string& name) {
      return expected.contains(name) ? expected[name].get<std::string>() : std::string();
    };
    const std::string key = text_of("job_id") + ' ' + text_of("node") + ' ' + text_of("gpu");
    SCOPED_TRACE("row " + key);
    ASSERT_TRUE(rows.contains(key));
    for (const auto& [name, figure] : expected) {
      if (kSampling.contains(name) == sampling) expect_cell(name, rows.at(key).at(name), figure);
    }
  }
}

class IngestOracle : public testing::TestWithParam<std::size_t> {
 protected:
  /// Compares the tables of the tree with and without trimming, for all other options.
  void compare(bool trimmed, bool sampling) const {
    const json& tree = trees()[GetParam()];
    const WrittenTree written(tree["files"]);
    for (const json& one : tree["cases"]) {
      if (one["idle_below"].is_null() == trimmed) continue;
      SCOPED_TRACE("rows " + one["rows"].dump() + ", max_gap " + one["max_gap"].dump() +
                   ", idle_below " + one["idle_below"].dump());
      IngestOptions options = options_of(one);
      const RunTable table = written.read(options);
      expect_table(table, one, sampling);
      options.threads = 2;
      EXPECT_EQ(written.read(options).rows, table.rows);
    }
  }
};

TEST_P(IngestOracle, AgreesOnWorkAndEnergy) { compare(false, false); }
TEST_P(IngestOracle, AgreesOnWorkAndEnergyOfTrimmedJobs) { compare(true, false); }
TEST_P(IngestOracle, AgreesOnTheSampling) {
  compare(false, true);
  compare(true, true);
}

INSTANTIATE_TEST_SUITE_P(Trees, IngestOracle, testing::Range(std::size_t{0}, trees().size()),
                         [](const testing::TestParamInfo<std::size_t>& tree) {
                           return "Seed" + std::to_string(trees()[tree.param]["seed"].get<int>());
                         });

}  // namespace
}  // namespace scalelaw
