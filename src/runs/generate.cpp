#include "scalelaw/runs/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/input/table_rows.hpp"

namespace scalelaw {
namespace {

/// The places of the columns of one utilisation.
struct UtilisationColumns {
  std::size_t percent;
  std::optional<std::size_t> beta;
  std::size_t variation;
  std::optional<std::size_t> variation_beta;

  bool has(std::size_t column) const {
    return column == percent || column == beta || column == variation || column == variation_beta;
  }
};

/// The places of the columns of a law table.
struct LawColumns {
  std::size_t alpha;
  std::size_t beta;
  std::optional<std::size_t> gamma;
  std::optional<std::size_t> power;
  std::optional<std::size_t> power_beta;
  std::optional<UtilisationColumns> sm;
  std::optional<UtilisationColumns> memory;  ///< Set if sm is.
  std::vector<std::size_t> group;

  bool is_group(std::size_t column) const {
    return column != alpha && column != beta && column != gamma && column != power &&
           column != power_beta && !(sm && (sm->has(column) || memory->has(column)));
  }
};

std::size_t needed_column(const Header& header, std::string_view name, std::string_view source) {
  const auto found = find_column(header, name, source);
  if (found) return *found;
  throw DataError(
      fmt::format("{}: no column '{}'; columns are: {}", source, name, joined(header.names)));
}

/// @param part  "sm" or "mem".
UtilisationColumns utilisation_columns(const Header& header, const std::string& part,
                                       std::string_view source) {
  return {.percent = needed_column(header, part + "_pct", source),
          .beta = find_column(header, part + "_beta", source),
          .variation = needed_column(header, part + "_cv", source),
          .variation_beta = find_column(header, part + "_cv_beta", source)};
}

/// Whether a law table has utilisation.
bool has_utilisation(const Header& header, std::string_view source) {
  constexpr std::array kNames{"sm_pct", "sm_cv", "mem_pct", "mem_cv"};
  return std::any_of(kNames.begin(), kNames.end(), [&](const char* name) {
    return find_column(header, name, source).has_value();
  });
}

LawColumns law_columns(const Header& header, std::string_view source) {
  LawColumns columns{.alpha = needed_column(header, "alpha", source),
                     .beta = needed_column(header, "beta", source),
                     .gamma = find_column(header, "gamma", source),
                     .power = find_column(header, "power_w", source),
                     .power_beta = find_column(header, "power_beta", source),
                     .sm = {},
                     .memory = {},
                     .group = {}};
  if (has_utilisation(header, source)) {
    columns.sm = utilisation_columns(header, "sm", source);
    columns.memory = utilisation_columns(header, "mem", source);
  }
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

UtilisationLaw utilisation_in(const LawRow& row, const UtilisationColumns& columns) {
  UtilisationLaw law{.percent = row.number(columns.percent),
                     .variation = row.number(columns.variation)};
  if (!(law.percent > 0 && law.percent <= 100)) {
    row.fail(columns.percent, "a number > 0 and at most 100");
  }
  if (!(law.variation > 0)) row.fail(columns.variation, "a number > 0");
  if (columns.beta) law.beta = row.number(*columns.beta);
  if (columns.variation_beta) law.variation_beta = row.number(*columns.variation_beta);
  return law;
}

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
  if (columns.sm) {
    law.utilisation = {utilisation_in(row, *columns.sm), utilisation_in(row, *columns.memory)};
  }
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

constexpr double kSmallNoise = 0.2;  ///< Noise of power and utilisation over that of times.

/// Mean power of one GPU for the replicates of a law at one N, from a random stream of its own.
class MeanWatts {
 public:
  MeanWatts(const GroupLaw& law, std::uint64_t gpus, const StudyPlan& plan)
      : random_(plan.seed, stable_hash(joined_key(law.group) + "\x1fpower"), gpus),
        curve_(law.power_watts.value_or(0) * std::pow(static_cast<double>(gpus), -law.power_beta)),
        noise_(kSmallNoise * plan.noise) {}
  double operator()() { return curve_ * std::exp(noise_ * random_.normal()); }

 private:
  RandomStream random_;
  double curve_;
  double noise_;
};

/// Utilisation for the replicates of a law at one N, from a random stream of its own.
class Utilisation {
 public:
  Utilisation(const GroupLaw& law, std::uint64_t gpus, const StudyPlan& plan)
      : random_(plan.seed, stable_hash(joined_key(law.group) + "\x1futilisation"), gpus),
        law_(*law.utilisation),
        gpus_(static_cast<double>(gpus)),
        noise_(kSmallNoise * plan.noise) {}

  /// Appends the next replicate: mean and variation of multiprocessors, then of memory.
  void append_to(std::string& out) {
    append(out, law_.sm);
    append(out, law_.memory);
  }

 private:
  void append(std::string& out, const UtilisationLaw& law) {
    const double percent = std::min(100.0, drawn(law.percent, law.beta));
    const double greatest = std::sqrt((100 - percent) / percent);
    const double variation = std::min(greatest, drawn(law.variation, law.variation_beta));
    fmt::format_to(std::back_inserter(out), ",{:.4g},{:.4g}", percent, variation);
  }
  double drawn(double at_one, double beta) {
    return at_one * std::pow(gpus_, -beta) * std::exp(noise_ * random_.normal());
  }

  RandomStream random_;
  GpuUtilisation law_;
  double gpus_;
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

namespace {

/// The runs of one group at one N.
std::string replicates_of(const GroupLaw& law, std::uint64_t gpus, const StudyPlan& plan) {
  EpochSeconds epoch_seconds(law, gpus, plan);
  MeanWatts mean_watts(law, gpus, plan);
  std::optional<Utilisation> utilisation;
  if (law.utilisation) utilisation.emplace(law, gpus, plan);
  std::string text;
  for (std::uint32_t replicate = 1; replicate <= plan.replicates; ++replicate) {
    append_group(text, law.group);
    const double seconds = epoch_seconds();
    fmt::format_to(std::back_inserter(text), "{},{},{:.7g}", gpus, replicate, seconds);
    if (law.power_watts) append_power(text, mean_watts(), static_cast<double>(gpus) * seconds);
    if (utilisation) utilisation->append_to(text);
    text += '\n';
  }
  return text;
}

}  // namespace

void generate_runs(const LawTable& laws, const StudyPlan& plan,
                   const std::function<void(std::string_view)>& sink) {
  const GroupLaw& first = laws.laws.front();  // All laws have the columns of the first.
  std::string header;
  append_group(header, laws.by);
  header += "gpus,replicate,epoch_seconds";
  if (first.power_watts) header += ",power_mean_w,energy_per_epoch_j";
  if (first.utilisation) header += ",sm_util_mean_pct,sm_util_cv,mem_util_mean_pct,mem_util_cv";
  sink(header + "\n");
  for (const GroupLaw& law : laws.laws) {
    for (const std::uint64_t gpus : plan.gpus) sink(replicates_of(law, gpus, plan));
  }
}

}  // namespace scalelaw
