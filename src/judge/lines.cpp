#include "judge/contrast_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace scalelaw
