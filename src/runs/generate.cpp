#include "scalelaw/runs/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "scalelaw/base/delimited.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/input/table_rows.hpp"

namespace scalelaw {
namespace {

/// Where the columns of a law table stand.
struct LawColumns {
  std::size_t alpha;
  std::size_t beta;
  std::optional<std::size_t> gamma;
  std::optional<std::size_t> power;
  std::optional<std::size_t> power_beta;
  std::vector<std::size_t> group;

  bool is_group(std::size_t column) const {
    return column != alpha && column != beta && column != gamma && column != power &&
           column != power_beta;
  }
};

std::size_t needed_column(const Header& header, std::string_view name, std::string_view source) {
  const auto found = find_column(header, name, source);
  if (found) return *found;
  throw DataError(
      fmt::format("{}: no column '{}'; columns are: {}", source, name, joined(header.names)));
}

LawColumns law_columns(const Header& header, std::string_view source) {
  LawColumns columns{.alpha = needed_column(header, "alpha", source),
                     .beta = needed_column(header, "beta", source),
                     .gamma = find_column(header, "gamma", source),
                     .power = find_column(header, "power_w", source),
                     .power_beta = find_column(header, "power_beta", source),
                     .group = {}};
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    if (columns.is_group(i)) columns.group.push_back(i);
  }
  return columns;
}

/// The current row of a law table, for its numbers and for messages.
struct LawRow {
  const TableRows& rows;

  double number(std::size_t column) const {
    if (const auto value = parse_number(trimmed(rows.fields()[column]))) return *value;
    fail(column, "a number");
  }
  [[noreturn]] void fail(std::size_t column, std::string_view expected) const {
    throw ParseError(rows.source(), rows.line(),
                     fmt::format("field {} '{}': expected {}, found \"{}\"", column + 1,
                                 rows.header().names[column], expected, rows.fields()[column]));
  }
};

GroupLaw law_in(const LawRow& row, const LawColumns& columns) {
  GroupLaw law{.group = {}, .alpha = row.number(columns.alpha), .beta = row.number(columns.beta)};
  if (!(law.alpha > 0)) row.fail(columns.alpha, "a number > 0");
  if (columns.gamma) law.gamma = row.number(*columns.gamma);
  if (law.gamma < 0) row.fail(*columns.gamma, "a number >= 0");
  if (columns.power) {
    law.power_watts = row.number(*columns.power);
    if (!(*law.power_watts > 0)) row.fail(*columns.power, "a number > 0");
  }
  if (columns.power_beta) law.power_beta = row.number(*columns.power_beta);
  for (const std::size_t column : columns.group) law.group.push_back(row.rows.fields()[column]);
  return law;
}

LawTable laws_of(TableRows& rows) {
  const LawColumns columns = law_columns(rows.header(), rows.source());
  LawTable table;
  for (const std::size_t column : columns.group) table.by.push_back(rows.header().names[column]);
  while (rows.next()) table.laws.push_back(law_in(LawRow{rows}, columns));
  if (table.laws.empty()) {
    throw DataError(fmt::format("{}: no law below the header", rows.source()));
  }
  return table;
}

std::string joined_key(const GroupKey& group) { return joined(group, "\x1f"); }

/// Mean power of one GPU over the replicates of a law at one N, in a random stream of its own.
class MeanWatts {
 public:
  MeanWatts(const GroupLaw& law, std::uint64_t gpus, const StudyPlan& plan)
      : random_(plan.seed, stable_hash(joined_key(law.group) + "\x1fpower"), gpus),
        curve_(law.power_watts.value_or(0) * std::pow(static_cast<double>(gpus), -law.power_beta)),
        noise_(kPowerNoise * plan.noise) {}
  double operator()() { return curve_ * std::exp(noise_ * random_.normal()); }

 private:
  static constexpr double kPowerNoise = 0.2;  ///< Of the noise of times.
  RandomStream random_;
  double curve_;
  double noise_;
};

void append_group(std::string& out, const GroupKey& group) {
  for (const std::string& value : group) {
    append_delimited(out, value, ',');
    out += ',';
  }
}

void append_power(std::string& out, double watts, double gpu_seconds) {
  fmt::format_to(std::back_inserter(out), ",{:.7g},{:.7g}", watts, watts * gpu_seconds);
}

}  // namespace

LawTable parse_law_table(std::string_view csv, std::string_view source) {
  TableRows rows(csv, source);
  return laws_of(rows);
}

LawTable read_law_table(const std::string& path) {
  TableRows rows(path);
  return laws_of(rows);
}

EpochSeconds::EpochSeconds(const GroupLaw& law, std::uint64_t gpus, const StudyPlan& plan)
    : random_(plan.seed, stable_hash(joined_key(law.group)), gpus),
      curve_(law.alpha * std::pow(static_cast<double>(gpus), -law.beta) + law.gamma),
      noise_(plan.noise) {}

double EpochSeconds::operator()() { return curve_ * std::exp(noise_ * random_.normal()); }

void generate_runs(const LawTable& laws, const StudyPlan& plan,
                   const std::function<void(std::string_view)>& sink) {
  std::string text;
  append_group(text, laws.by);
  const bool has_power = std::any_of(laws.laws.begin(), laws.laws.end(), [](const GroupLaw& law) {
    return law.power_watts.has_value();
  });
  text += "gpus,replicate,epoch_seconds";
  text += has_power ? ",power_mean_w,energy_per_epoch_j\n" : "\n";
  for (const GroupLaw& law : laws.laws) {
    for (const std::uint64_t gpus : plan.gpus) {
      EpochSeconds epoch_seconds(law, gpus, plan);
      MeanWatts mean_watts(law, gpus, plan);
      for (std::uint32_t replicate = 1; replicate <= plan.replicates; ++replicate) {
        append_group(text, law.group);
        const double seconds = epoch_seconds();
        fmt::format_to(std::back_inserter(text), "{},{},{:.7g}", gpus, replicate, seconds);
        if (has_power) append_power(text, mean_watts(), static_cast<double>(gpus) * seconds);
        text += '\n';
      }
      sink(text);
      text.clear();
    }
  }
}

}  // namespace scalelaw
