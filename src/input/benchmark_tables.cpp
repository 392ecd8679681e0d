#include "input/benchmark_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "input/container.hpp"
#include "input/json_values.hpp"
#include "scalelaw/base/date.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {
namespace {

using BenchmarkJson = nlohmann::json;

/// Rows whose columns are all names in the order in which they first appear.
class ResultRows {
 public:
  void begin_row() { rows_.emplace_back(); }
  /// A name that the row has gets a prefix.
  void add(std::string_view prefix, const std::string& name, std::string cell) {
    const auto [found, is_new] = places_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    std::vector<std::string>& row = rows_.back();
    if (row.size() < names_.size()) row.resize(names_.size());
    std::string& own = row[found->second];
    if (!own.empty() && !prefix.empty()) return add("", fmt::format("{}.{}", prefix, name), cell);
    own = std::move(cell);
  }
  void add(const std::string& name, std::string cell) { add("", name, std::move(cell)); }

  std::string csv(std::string_view source) {
    if (rows_.empty()) throw data_error("{}: none of its benchmarks has a result", source);
    std::string out;
    append_delimited_row(out, names_, ',');
    for (auto& row : rows_) {
      row.resize(names_.size());
      append_delimited_row(out, row, ',');
    }
    return out;
  }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::vector<std::string>> rows_;
};

std::string instant_of(const BenchmarkJson& milliseconds) {
  constexpr double kSecond = 1000;
  constexpr double kBeyondTheCalendar = 1e15;  // That no 64 bits hold is beyond it, too.
  const auto number = json_number(milliseconds);
  if (!number || !(std::abs(*number) < kBeyondTheCalendar)) return "";
  return utc_text(static_cast<std::int64_t>(*number / kSecond), "%Y-%m-%dT%H:%M:%SZ");
}

/// An instant without the fraction of its second, in UTC if its zone is known.
std::string instant_of_text(const std::string& written) {
  const auto date = read_date(written);
  if (!date) return written;
  return utc_text(date->seconds - date->ahead.value_or(0),
                  date->ahead ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%dT%H:%M:%S");
}

/// How many of a unit of time, such as "ns" or "ms/iter", are a second; empty for others.
std::optional<double> units_per_second(std::string_view unit) {
  const std::size_t slash = std::min(unit.find('/'), unit.size());
  constexpr std::array<std::string_view, 6> kOnce{"",    "/iter", "/iteration",
                                                  "/op", "/run",  "/call"};
  if (std::ranges::find(kOnce, unit.substr(slash)) == kOnce.end()) return std::nullopt;
  static const std::unordered_map<std::string_view, double> kPerSecond{
      {"ns", 1e9},      {"nanoseconds", 1e9}, {"us", 1e6},
      {"\u00b5s", 1e6}, {"\u03bcs", 1e6},     {"ms", 1e3},
      {"s", 1},         {"sec", 1},           {"seconds", 1}};
  const auto found = kPerSecond.find(unit.substr(0, slash));
  return found == kPerSecond.end() ? std::nullopt : std::optional(found->second);
}

std::string column_of_unit(const std::string& unit) {
  if (unit.empty() || unit == "unit") return "value";
  return unit == "bytes" ? "memory_bytes" : fmt::format("value ({})", unit);
}

/// Adds a value to the column of its unit.
void add_value(ResultRows& rows, const std::string& unit, const BenchmarkJson& value) {
  const auto per_second = units_per_second(unit);
  const auto number = json_number(value);
  if (per_second && number) {
    rows.add("seconds", exact_text(*number / *per_second));
  } else {
    rows.add(column_of_unit(unit), json_cell(value));
  }
}

void add_members(ResultRows& rows, std::string_view prefix, const BenchmarkJson& object) {
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.items()) rows.add(prefix, name, json_cell(value));
}

// pytest-benchmark: {"benchmarks": [{"fullname": "test_x.py::test_step[2]", "group": null,
// "params": {"n": 2}, "extra_info": {"gpus": 2}, "stats": {"mean": 0.02, ...}}], "datetime": ...}

ResultRows rows_of_pytest(const BenchmarkJson& document, std::string_view /*source*/) {
  ResultRows rows;
  for (const BenchmarkJson& entry : json_member(document, "benchmarks")) {
    const BenchmarkJson& mean = json_member(json_member(entry, "stats"), "mean");
    if (!json_number(mean)) continue;
    std::string name = json_cell(json_member(entry, "fullname"));
    const BenchmarkJson& params = json_member(entry, "params");
    if (params.is_object()) name.resize(std::min(name.find('['), name.size()));
    rows.begin_row();
    rows.add("date", instant_of_text(json_cell(json_member(document, "datetime"))));
    rows.add("commit", json_cell(json_member(json_member(document, "commit_info"), "id")));
    rows.add("benchmark", std::move(name));
    const BenchmarkJson& group = json_member(entry, "group");
    if (!group.is_null()) rows.add("group", json_cell(group));
    add_members(rows, "params", params);
    add_members(rows, "extra_info", json_member(entry, "extra_info"));
    rows.add("mean_s", json_cell(mean));
  }
  return rows;
}

// github-action-benchmark: {"entries": {"Suite": [{"commit": {"id": ...}, "date": 1.7e12,
// "benches": [{"name": "step", "value": 120, "unit": "ns/iter"}]}]}}

ResultRows rows_of_github_action(const BenchmarkJson& document, std::string_view /*source*/) {
  ResultRows rows;
  const BenchmarkJson& suites = json_member(document, "entries");
  for (const auto& [suite, runs] : suites.items()) {
    for (const BenchmarkJson& run : runs) {
      for (const BenchmarkJson& bench : json_member(run, "benches")) {
        rows.begin_row();
        rows.add("date", instant_of(json_member(run, "date")));
        rows.add("commit", json_cell(json_member(json_member(run, "commit"), "id")));
        if (suites.size() > 1) rows.add("suite", suite);
        rows.add("benchmark", json_cell(json_member(bench, "name")));
        add_value(rows, json_cell(json_member(bench, "unit")), json_member(bench, "value"));
      }
    }
  }
  return rows;
}

// asv: {"commit_hash": ..., "date": 1.7e12, "params": {"machine": ...}, "result_columns":
// ["result", "params", ...], "results": {"b.Suite.time_step": [[0.02, 0.01], [["1", "2"]], ...]}}.
// The results of a benchmark are those of the product of its parameters, the last one fastest.

BenchmarkJson asv_benchmarks(std::string_view source) {
  const auto path = std::filesystem::path(source).parent_path().parent_path() / "benchmarks.json";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  const InputFile file(path.string());
  return parse_json(whole_document(*open_stream(file), "", path.string(), HeldAs::kTree),
                    path.string());
}

struct AsvResult {
  BenchmarkJson values;
  BenchmarkJson params = BenchmarkJson::array();
};

/// Results stand at their place among the columns; versions before 0.5 had names, or the value.
AsvResult asv_result(const BenchmarkJson& document, const BenchmarkJson& written) {
  AsvResult result;
  const BenchmarkJson& columns = json_member(document, "result_columns");
  if (written.is_array() && columns.is_array()) {
    for (std::size_t i = 0; i < std::min(columns.size(), written.size()); ++i) {
      if (columns[i] == "result") result.values = written[i];
      if (columns[i] == "params") result.params = written[i];
    }
  } else if (written.is_object()) {
    result.values = json_member(written, "result");
    result.params = json_member(written, "params");
  } else {
    result.values = written;
  }
  if (!result.values.is_array()) result.values = BenchmarkJson::array({result.values});
  return result;
}

/// The unit that asv itself gives a benchmark, by the beginning of its last name.
std::string asv_unit(const std::string& benchmark, const BenchmarkJson& description) {
  const BenchmarkJson& unit = json_member(description, "unit");
  if (unit.is_string()) return unit;
  const std::string name = benchmark.substr(benchmark.rfind('.') + 1);
  if (name.starts_with("time")) return "seconds";
  return name.starts_with("mem") || name.starts_with("peakmem") ? "bytes" : "";
}

/// Texts are written as Python shows them.
std::string asv_setting(const BenchmarkJson& value) {
  const std::string cell = json_cell(value);
  const bool quoted = cell.size() > 1 && cell.front() == '\'' && cell.back() == '\'';
  return quoted ? cell.substr(1, cell.size() - 2) : cell;
}

/// Adds the settings of a result by its place in the product of all parameters.
void add_asv_settings(ResultRows& rows, const BenchmarkJson& params, const BenchmarkJson& names,
                      std::size_t place, std::size_t results) {
  for (std::size_t i = 0; i < params.size(); ++i) {
    const std::size_t count = params[i].size();
    if (count == 0) continue;
    results /= count;  // So many have this value of the parameter, one after another.
    const bool is_named = names.is_array() && i < names.size() && names[i].is_string();
    rows.add("params", is_named ? names[i].get<std::string>() : fmt::format("param{}", i + 1),
             asv_setting(params[i][place / std::max<std::size_t>(results, 1) % count]));
  }
}

ResultRows rows_of_asv(const BenchmarkJson& document, std::string_view source) {
  ResultRows rows;
  const BenchmarkJson descriptions = asv_benchmarks(source);
  for (const auto& [benchmark, written] : json_member(document, "results").items()) {
    const AsvResult result = asv_result(document, written);
    const BenchmarkJson& description = json_member(descriptions, benchmark.c_str());
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      if (!json_number(result.values[i])) continue;  // It failed or was skipped.
      rows.begin_row();
      rows.add("date", instant_of(json_member(document, "date")));
      rows.add("commit", json_cell(json_member(document, "commit_hash")));
      rows.add("machine", json_cell(json_member(json_member(document, "params"), "machine")));
      rows.add("environment", json_cell(json_member(document, "env_name")));
      rows.add("benchmark", benchmark);
      add_asv_settings(rows, result.params, json_member(description, "param_names"), i,
                       result.values.size());
      add_value(rows, asv_unit(benchmark, description), result.values[i]);
    }
  }
  return rows;
}

struct BenchmarkProgram {
  std::initializer_list<std::string_view> members;  ///< That its documents have.
  ResultRows (*rows)(const BenchmarkJson& document, std::string_view source);
};

const BenchmarkProgram kBenchmarkPrograms[] = {
    {{"benchmarks", "machine_info", "commit_info"}, rows_of_pytest},
    {{"entries", "lastUpdate"}, rows_of_github_action},
    {{"results", "commit_hash", "env_name"}, rows_of_asv}};

}  // namespace

std::string_view without_assignment(std::string_view text) {
  constexpr std::string_view kAssignment = "window.BENCHMARK_DATA = ";
  text = without_mark(text);
  if (!text.starts_with(kAssignment)) return text;
  text.remove_prefix(kAssignment.size());
  return text.substr(0, text.find_last_not_of("; \t\r\n") + 1);
}

std::optional<std::string> csv_of_benchmarks(std::span<const std::string> members,
                                             std::string_view text, std::string_view source) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(members, name) != members.end();
  };
  for (const BenchmarkProgram& program : kBenchmarkPrograms) {
    if (!std::ranges::all_of(program.members, has)) continue;
    const std::string held = whole_document(*stream_of(text, nullptr), "", source, HeldAs::kTree);
    return program.rows(parse_json(held, source), source).csv(source);
  }
  return std::nullopt;
}

}  // namespace scalelaw
