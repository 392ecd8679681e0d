#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/regression.hpp"
#include "judge/contrast_parts.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// The scatter that offsets of parallel lines explain: the scatter of the levels' means about one
/// line, minus the part that the line's slope can absorb.
double scatter_of_offsets(std::span<const LevelLine> lines, const LineSums& sums) {
  double offsets = 0;
  double product = 0;
  double between = 0;
  for (const LevelLine& line : lines) {
    const double g = line.g_mean - sums.g_mean;
    const double y = line.y_mean - sums.y_mean - sums.common_slope * g;
    offsets += line.mass * y * y;
    product += line.mass * g * y;
    between += line.mass * g * g;
  }
  return offsets - product * product / (between + sums.g_spread);
}

/// A smaller sum of squares about exact lines is rounding, as in the fit.
double rounding_noise(const LineSums& sums) {
  const double size = 1 + std::abs(sums.y_mean) + std::abs(sums.common_slope * sums.g_mean);
  const double noise = 8 * std::numeric_limits<double>::epsilon() * size;
  return sums.mass * noise * noise;
}

}  // namespace

LevelLine level_line(std::span<const Cell> cells, const Fit& fit) {
  const double sign = fit.response == Response::kTime ? -1 : 1;
  long double mass = 0;
  long double g_sum = 0;
  for (const Cell& cell : cells) {
    const long double own = static_cast<long double>(cell.count) * cell.weight;
    mass += own;
    g_sum += own * sign * std::log(cell.x);
  }
  const long double g_mean = g_sum / mass;
  long double spread = 0;
  long double y_mean = 0;
  for (const Cell& cell : cells) {
    const long double own = static_cast<long double>(cell.count) * cell.weight;
    const long double g = sign * std::log(cell.x) - g_mean;
    spread += own * g * g;
    y_mean += own / mass * cell.mean_log;
  }
  const auto dof = static_cast<double>(fit.dof);
  return {.mass = static_cast<double>(mass),
          .g_mean = static_cast<double>(g_mean),
          .y_mean = static_cast<double>(y_mean),
          .g_spread = static_cast<double>(spread),
          .slope = fit.parameters.back().estimate,
          .variance = *fit.sigma * *fit.sigma,
          .dof = dof};
}

LineSums sums_of(std::span<const LevelLine> lines) {
  LineSums sums;
  for (const LevelLine& line : lines) {
    sums.mass += line.mass;
    sums.g_spread += line.g_spread;
    sums.rss += line.rss();
    sums.dof += line.dof;
  }
  for (const LevelLine& line : lines) {
    sums.g_mean += line.mass / sums.mass * line.g_mean;
    sums.y_mean += line.mass / sums.mass * line.y_mean;
    sums.common_slope += line.g_spread / sums.g_spread * line.slope;
  }
  for (const LevelLine& line : lines) {
    const double deviation = line.slope - sums.common_slope;
    sums.slope_scatter += line.g_spread * deviation * deviation;
  }
  sums.offset_scatter = std::max(0.0, scatter_of_offsets(lines, sums));
  if (sums.rss == 0 && sums.slope_scatter < rounding_noise(sums)) sums.slope_scatter = 0;
  return sums;
}

Variance own_variance(std::span<const double> coefficients, std::span<const LevelLine> lines) {
  double variance = 0;
  double squares = 0;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const double part = coefficients[l] * lines[l].variance;
    variance += part;
    squares += part * part / lines[l].dof;
  }
  return {.value = variance, .dof = variance * variance / squares};
}

Variance pooled_variance(std::span<const double> coefficients, const Variance& common) {
  double sum = 0;
  for (const double coefficient : coefficients) sum += coefficient;
  return {.value = sum * common.value, .dof = common.dof};
}

std::optional<FTest> f_test(double explained, double df1, double rss, double df2) {
  if (!(rss > 0)) return std::nullopt;
  const double f = explained / df1 / (rss / df2);
  return FTest{.f = f, .df1 = df1, .df2 = df2, .p = f_p(f, df1, df2)};
}

Estimate estimate_of(double estimate, const Variance& variance, double confidence) {
  const double se = std::sqrt(variance.value);
  if (se > 0) return student_estimate(estimate, se, variance.dof, confidence);
  Estimate exact;
  exact.estimate = estimate;
  exact.se = se;
  exact.ci = Interval{estimate, estimate};
  return exact;
}

namespace {

/// All cells of the levels in order of x, each with the logarithms of the factors' values.
struct Rows {
  std::vector<Cell> cells;
  std::vector<std::string> names;               ///< Names of the factors that vary.
  std::vector<double> centres;                  ///< Mean ln value over points, one per factor.
  std::vector<std::vector<double>> log_values;  ///< One vector per factor, one value per cell.
  double x_centre = 0;                          ///< Mean ln x over points.
};

/// ln of the values of one factor, one per level. Empty if one of them is not a number > 0.
std::optional<std::vector<double>> log_values_of(std::span<const LevelCells* const> levels,
                                                 std::size_t factor) {
  std::vector<double> logs;
  for (const LevelCells* level : levels) {
    const auto value = parse_number(level->level.at(factor));
    if (!value || !(*value > 0)) return std::nullopt;
    logs.push_back(std::log(*value));
  }
  return logs;
}

bool varies(const std::vector<double>& values) {
  return std::ranges::adjacent_find(values, std::not_equal_to<>()) != values.end();
}

/// Level and place of every cell, in order of x. Cells of equal x keep the order of the levels.
std::vector<std::pair<std::size_t, std::size_t>> places_by_x(
    std::span<const LevelCells* const> levels) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (std::size_t i = 0; i < levels[level]->cells.size(); ++i) places.emplace_back(level, i);
  }
  std::ranges::stable_sort(places, [&](const auto& a, const auto& b) {
    return levels[a.first]->cells[a.second].x < levels[b.first]->cells[b.second].x;
  });
  return places;
}

/// Mean over points.
template <class Value>
double mean_over(const std::vector<Cell>& cells, Value value) {
  long double sum = 0;
  long double count = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    sum += static_cast<long double>(cells[i].count) * value(i);
    count += static_cast<long double>(cells[i].count);
  }
  return static_cast<double>(sum / count);
}

void add_factor(Rows& rows, const std::string& name, const std::vector<double>& logs,
                std::span<const std::pair<std::size_t, std::size_t>> places) {
  std::vector<double> values;
  for (const auto& place : places) values.push_back(logs[place.first]);
  rows.names.push_back(name);
  rows.centres.push_back(mean_over(rows.cells, [&](std::size_t i) { return values[i]; }));
  rows.log_values.push_back(std::move(values));
}

/// The rows, or the reason why there is no model.
std::variant<Rows, std::string> rows_of(std::span<const LevelCells* const> levels,
                                        std::span<const std::string> factors) {
  Rows rows;
  const auto places = places_by_x(levels);
  for (const auto& [level, i] : places) rows.cells.push_back(levels[level]->cells[i]);
  rows.x_centre = mean_over(rows.cells, [&](std::size_t i) { return std::log(rows.cells[i].x); });
  for (std::size_t factor = 0; factor < factors.size(); ++factor) {
    const auto logs = log_values_of(levels, factor);
    if (!logs) return fmt::format("not all levels of {} are numbers above 0", factors[factor]);
    if (varies(*logs)) add_factor(rows, factors[factor], *logs, places);
  }
  if (2 + 2 * rows.names.size() > kMaxParameters) {
    return fmt::format("{} numeric factors are more than the {} it can take", rows.names.size(),
                       (kMaxParameters - 2) / 2);
  }
  return rows;
}

/// The nested models, by the terms that each factor has.
enum class Terms : std::size_t { kNone, kOffsets, kOffsetsAndSlopes };

/// Columns: 1, the slope of ln y over ln x, then z for every factor, then the slope column times z.
std::vector<double> design_of(const Rows& rows, Terms terms, Response response) {
  const double sign = response == Response::kTime ? -1 : 1;
  std::vector<double> design;
  for (std::size_t i = 0; i < rows.cells.size(); ++i) {
    const double g = sign * (std::log(rows.cells[i].x) - rows.x_centre);
    design.insert(design.end(), {1, g});
    if (terms == Terms::kNone) continue;
    const auto z = [&](std::size_t f) { return rows.log_values[f][i] - rows.centres[f]; };
    for (std::size_t f = 0; f < rows.names.size(); ++f) design.push_back(z(f));
    if (terms == Terms::kOffsets) continue;
    for (std::size_t f = 0; f < rows.names.size(); ++f) design.push_back(g * z(f));
  }
  return design;
}

Solution solve_rows(const Rows& rows, const FitPoints& points, Terms terms, Response response) {
  Solution solution;
  solution.p = 2 + static_cast<std::size_t>(terms) * rows.names.size();
  solution.intercept = true;
  solution.design = design_of(rows, terms, response);
  solve_linear(points, solution);
  return solution;
}

void add_terms(CovariateModel& model, const Rows& rows, const Solution& full, double confidence) {
  std::vector<std::string> names{"intercept", "beta"};
  for (const std::string& name : rows.names) names.push_back("ln " + name);
  for (const std::string& name : rows.names) names.push_back("beta:ln " + name);
  const auto dof = static_cast<double>(model.dof);
  const SmallMatrix covariance = full.even_covariance(full.rss / dof);
  for (std::size_t k = 0; k < full.p; ++k) {
    Term term{estimate_of(full.theta[k], {covariance[k][k], dof}, confidence), names[k]};
    term.dof.reset();  // The model has it.
    model.terms.push_back(std::move(term));
  }
}

/// F test of the terms that only the larger model has.
std::optional<FTest> nested_test(const Solution& larger, const Solution& smaller, std::uint64_t n) {
  const auto df1 = static_cast<double>(larger.p - smaller.p);
  const double df2 = static_cast<double>(n) - static_cast<double>(larger.p);
  if (!(df2 > 0)) return std::nullopt;
  return f_test(std::max(0.0, smaller.rss - larger.rss), df1, larger.rss, df2);
}

CovariateModel model_of(const Rows& rows, const ContrastOptions& options) {
  FitPoints points;
  observe(rows.cells, {.response = options.response}, points);
  const Solution none = solve_rows(rows, points, Terms::kNone, options.response);
  const Solution offsets = solve_rows(rows, points, Terms::kOffsets, options.response);
  const Solution full = solve_rows(rows, points, Terms::kOffsetsAndSlopes, options.response);
  CovariateModel model;
  for (std::size_t f = 0; f < rows.names.size(); ++f) {
    model.covariates.push_back({rows.names[f], std::exp(rows.centres[f])});
  }
  model.x_centre = std::exp(rows.x_centre);
  model.n = points.n;
  model.dof = static_cast<std::int64_t>(points.n) - static_cast<std::int64_t>(full.p);
  if (model.dof <= 0) return model;
  add_terms(model, rows, full, options.confidence);
  model.sigma = std::sqrt(full.rss / static_cast<double>(model.dof));
  if (full.tss > 0) model.r2 = 1 - full.rss / full.tss;
  model.interactions = nested_test(full, offsets, points.n);
  model.covariates_given_no_interactions = nested_test(offsets, none, points.n);
  return model;
}

}  // namespace

std::variant<CovariateModel, std::string> covariate_model(std::span<const LevelCells* const> levels,
                                                          std::span<const std::string> factors,
                                                          const ContrastOptions& options) {
  auto rows = rows_of(levels, factors);
  if (auto* reason = std::get_if<std::string>(&rows)) return std::move(*reason);
  auto model = if_possible([&] { return model_of(std::get<Rows>(rows), options); });
  if (!model) return "its terms cannot be told apart at these levels";
  return *std::move(model);
}

}  // namespace scalelaw
