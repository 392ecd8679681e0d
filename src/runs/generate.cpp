#include "scalelaw/runs/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/errors.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/input/table_rows.hpp"

namespace scalelaw {
namespace {

/// The places of the columns of one utilisation.
struct UtilisationPlaces {
  std::size_t percent;
  std::optional<std::size_t> beta;
  std::size_t variation;
  std::optional<std::size_t> variation_beta;
};

/// The places of the columns of a law table.
struct LawColumns {
  std::size_t alpha;
  std::size_t beta;
  std::optional<std::size_t> gamma;
  std::optional<std::size_t> power;
  std::optional<std::size_t> power_beta;
  std::optional<UtilisationPlaces> sm;
  std::optional<UtilisationPlaces> memory;  ///< Set if sm is.
  std::vector<std::size_t> group;
};

LawColumns law_columns(const Header& header, std::string_view source) {
  std::vector<bool> is_group(header.names.size(), true);
  const auto find = [&](std::string_view name) {
    const auto place = find_column(header, name, source);
    if (place) is_group[*place] = false;
    return place;
  };
  const auto need = [&](std::string_view name) {
    if (const auto place = find(name)) return *place;
    throw data_error("{}: there is no column '{}'; columns are: {}", source, name,
                     joined(header.names));
  };
  const auto utilisation = [&](const std::string& part) {
    return UtilisationPlaces{.percent = need(part + "_pct"),
                             .beta = find(part + "_beta"),
                             .variation = need(part + "_cv"),
                             .variation_beta = find(part + "_cv_beta")};
  };
  LawColumns columns{.alpha = need("alpha"),
                     .beta = need("beta"),
                     .gamma = find("gamma"),
                     .power = find("power_w"),
                     .power_beta = find("power_beta"),
                     .sm = {},
                     .memory = {},
                     .group = {}};
  if (find("sm_pct") || find("sm_cv") || find("mem_pct") || find("mem_cv")) {
    columns.sm = utilisation("sm");
    columns.memory = utilisation("mem");
  }
  for (std::size_t i = 0; i < is_group.size(); ++i) {
    if (is_group[i]) columns.group.push_back(i);
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
    throw parse_error(rows.source(), rows.line(), "field {} '{}': expected {}, found \"{}\"",
                      column + 1, rows.header().names[column], expected, rows.fields()[column]);
  }
};

UtilisationLaw utilisation_in(const LawRow& row, const UtilisationPlaces& columns) {
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
    throw data_error("{}: there is no law below the header", rows.source());
  }
  return table;
}

constexpr double kSmallNoise = 0.2;  ///< Noise of power and utilisation over that of times.

/// The random stream of one quantity of a law at one N.
RandomStream stream_of(const GroupLaw& law, std::uint64_t gpus, const StudyPlan& plan,
                       const std::string& quantity) {
  return RandomStream(plan.seed, stable_hash(joined(law.group, "\x1f") + quantity), gpus);
}

/// Appends mean and variation of one part of the GPUs for the next replicate.
void append_utilisation(std::string& out, const UtilisationLaw& law, std::uint64_t gpus,
                        double noise, RandomStream& random) {
  const auto drawn = [&](double at_one, double beta) {
    return at_one * std::pow(static_cast<double>(gpus), -beta) * std::exp(noise * random.normal());
  };
  const double percent = std::min(100.0, drawn(law.percent, law.beta));
  const double greatest = std::sqrt((100 - percent) / percent);
  const double variation = std::min(greatest, drawn(law.variation, law.variation_beta));
  fmt::format_to(std::back_inserter(out), ",{:.4g},{:.4g}", percent, variation);
}

void append_group(std::string& out, const GroupKey& group) {
  for (const std::string& value : group) {
    append_delimited(out, value, ',');
    out += ',';
  }
}

/// The runs of one group at one N.
std::string replicates_of(const GroupLaw& law, std::uint64_t gpus, const StudyPlan& plan) {
  const auto n = static_cast<double>(gpus);
  const double noise = kSmallNoise * plan.noise;
  const double mean_watts = law.power_watts.value_or(0) * std::pow(n, -law.power_beta);
  EpochSeconds epoch_seconds(law, gpus, plan);
  RandomStream of_power = stream_of(law, gpus, plan, "\x1fpower");
  RandomStream of_utilisation = stream_of(law, gpus, plan, "\x1futilisation");
  std::string text;
  for (std::uint32_t replicate = 1; replicate <= plan.replicates; ++replicate) {
    append_group(text, law.group);
    const double seconds = epoch_seconds();
    fmt::format_to(std::back_inserter(text), "{},{},{:.7g}", gpus, replicate, seconds);
    if (law.power_watts) {
      const double watts = mean_watts * std::exp(noise * of_power.normal());
      fmt::format_to(std::back_inserter(text), ",{:.7g},{:.7g}", watts, watts * (n * seconds));
    }
    if (law.utilisation) {
      append_utilisation(text, law.utilisation->sm, gpus, noise, of_utilisation);
      append_utilisation(text, law.utilisation->memory, gpus, noise, of_utilisation);
    }
    text += '\n';
  }
  return text;
}

constexpr double kFlopPerParameterAndToken = 6;  // Kaplan et al. 2020.

/// The number of parameters with the least loss at parameters * tokens = product (Hoffmann et al.
/// 2022, eq. 4).
double best_parameters(const std::array<double, 5>& law, double product) {
  const auto& [floor, a, b, alpha, beta] = law;
  return std::pow(alpha * a / (beta * b) * std::pow(product, beta), 1 / (alpha + beta));
}

double loss_at(const std::array<double, 5>& law, double parameters, double tokens) {
  const auto& [floor, a, b, alpha, beta] = law;
  return floor + a * std::pow(parameters, -alpha) + b * std::pow(tokens, -beta);
}

double to_digits(double value, int digits) {
  return *parse_number(fmt::format("{:.{}e}", value, digits - 1));
}

/// The place of a size among those of its budget, from -1 to 1.
double place_of(std::uint32_t size, std::uint32_t sizes) {
  return sizes == 1 ? 0 : 2.0 * size / (sizes - 1) - 1;
}

std::string runs_at(double budget, const LossPlan& plan) {
  const double product = budget / kFlopPerParameterAndToken;
  const double best = best_parameters(plan.law, product);
  RandomStream random(plan.seed, stable_hash(fmt::format("{}", budget)));
  std::string text;
  for (std::uint32_t size = 0; size < plan.sizes; ++size) {
    const double parameters = to_digits(best * std::pow(plan.reach, place_of(size, plan.sizes)), 4);
    const double tokens = to_digits(product / parameters, 6);
    for (std::uint32_t replicate = 0; replicate < plan.replicates; ++replicate) {
      const double loss =
          loss_at(plan.law, parameters, tokens) * std::exp(plan.noise * random.normal());
      fmt::format_to(std::back_inserter(text), "{:.0f},{:.0f},{:.6g}\n", parameters, tokens, loss);
    }
  }
  return text;
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
    : random_(stream_of(law, gpus, plan, "")),
      curve_(law.alpha * std::pow(static_cast<double>(gpus), -law.beta) + law.gamma),
      noise_(plan.noise) {}

double EpochSeconds::operator()() { return curve_ * std::exp(noise_ * random_.normal()); }

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

void generate_losses(const LossPlan& plan, const std::function<void(std::string_view)>& sink) {
  sink("parameters,tokens,loss\n");
  for (const double budget : plan.budgets) sink(runs_at(budget, plan));
}

}  // namespace scalelaw
