#include "judge/gate_comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/contrast_parts.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// A change this small between exact fits is rounding.
constexpr double kRounding = 1e-12;

/// The variance of an estimate, where it has one.
using Uncertainty = std::optional<Variance>;

Uncertainty uncertainty_of(const std::optional<double>& se, double dof) {
  if (!se || !std::isfinite(*se) || !(dof > 0)) return std::nullopt;
  return Variance{.value = *se * *se, .dof = dof};
}

/// The variance of a difference of independent estimates (Satterthwaite 1946).
Variance sum_of(const Variance& a, const Variance& b) {
  const double value = a.value + b.value;
  const double squares = a.value * a.value / a.dof + b.value * b.value / b.dof;
  return {.value = value, .dof = value * value / squares};
}

double dof_of(const Fit& fit, const Parameter& parameter) {
  return parameter.dof.value_or(static_cast<double>(fit.dof));
}

/// Degrees of freedom of the curve: the least of its parameters'.
double curve_dof(const Fit& fit) {
  auto dof = static_cast<double>(fit.dof);
  for (const Parameter& parameter : fit.parameters) dof = std::min(dof, dof_of(fit, parameter));
  return dof;
}

/// One side's figure on the scale of the comparison, and why it has no uncertainty.
struct Side {
  double value;
  Uncertainty uncertainty;
  std::string reason;
};

std::string no_error(const Fit& fit, std::string_view side) {
  if (fit.dof <= 0) {
    return fmt::format("{} has no degrees of freedom: {} point{} for {} parameters", side, fit.n,
                       fit.n == 1 ? "" : "s", fit.parameters.size());
  }
  return fmt::format("{} has no standard error", side);
}

Side exponent_of(const Fit& fit, std::size_t index, std::string_view side) {
  const Parameter& parameter = fit.parameters[index];
  Side result{parameter.estimate, uncertainty_of(parameter.se, dof_of(fit, parameter)), ""};
  if (parameter.on_bound) {
    result.uncertainty.reset();
    result.reason = fmt::format("{} of {} is at an end of its range", parameter.name, side);
  } else if (!result.uncertainty) {
    result.reason = no_error(fit, side);
  }
  return result;
}

/// ln of the curve; NaN where the curve is not positive.
Side log_curve_of(const Fit& fit, double x, std::string_view side) {
  const double curve = fit.curve(x);
  if (!std::isnormal(curve) || curve < 0) {
    return {std::nan(""), std::nullopt, fmt::format("the curve of {} is not positive there", side)};
  }
  std::optional<double> se = fit.curve_se(x);
  if (se && fit.scale == Scale::kOriginal) *se /= curve;
  Side result{std::log(curve), uncertainty_of(se, curve_dof(fit)), ""};
  if (!result.uncertainty) result.reason = no_error(fit, side);
  return result;
}

Estimate estimate_of_side(const Side& side, double confidence) {
  if (side.uncertainty) return estimate_of(side.value, *side.uncertainty, confidence);
  Estimate estimate;
  estimate.estimate = side.value;
  return estimate;
}

/// The two-sided p of a Student t statistic, if t is positive; else 1.
double p_beyond(double t, double dof) { return t > 0 ? student_t_p(t, dof) : 1; }

void add_tests(GateComparison& comparison) {
  const Estimate& change = comparison.change;
  if (!change.dof) return;
  const double loss = comparison.loss();
  comparison.p_worse = p_beyond((loss - comparison.limit) / *change.se, *change.dof);
  comparison.p_better = p_beyond(-loss / *change.se, *change.dof);
}

void add_change(GateComparison& comparison, const Side& base, const Side& current,
                double confidence) {
  const double difference = current.value - base.value;
  comparison.reason = base.reason.empty() ? current.reason : base.reason;
  if (base.uncertainty && current.uncertainty) {
    const Variance variance = sum_of(*base.uncertainty, *current.uncertainty);
    const bool rounding = variance.value == 0 && std::abs(difference) < kRounding;
    comparison.change = estimate_of(rounding ? 0 : difference, variance, confidence);
    add_tests(comparison);
  } else {
    comparison.change.estimate = difference;
  }
}

GateComparison exponent_comparison(const Fit& base, const Fit& current, std::size_t index,
                                   const GateOptions& options) {
  GateComparison comparison{.figure = std::string(base.parameters[index].name)};
  comparison.limit = options.max_beta_drop;
  const Side before = exponent_of(base, index, "BASE");
  const Side after = exponent_of(current, index, "NEW");
  comparison.base = estimate_of_side(before, options.confidence);
  comparison.current = estimate_of_side(after, options.confidence);
  add_change(comparison, before, after, options.confidence);
  return comparison;
}

/// Turns the ln of a curve into the curve itself, with an interval that is not symmetric.
Estimate exponentiated(const Estimate& logarithm) {
  Estimate curve;
  curve.estimate = std::exp(logarithm.estimate);
  if (logarithm.se) curve.se = curve.estimate * *logarithm.se;
  if (logarithm.ci) {
    curve.ci = exp_of(*logarithm.ci);
  }
  curve.dof = logarithm.dof;
  return curve;
}

void add_ratio(GateComparison& comparison) {
  const Estimate& change = comparison.change;
  if (!std::isfinite(change.estimate)) return;
  comparison.ratio = std::exp(change.estimate);
  if (change.ci) {
    comparison.ratio_ci = exp_of(*change.ci);
  }
}

/// The range of x that both measured.
struct Range {
  double least;
  double greatest;

  bool holds(double x) const { return least <= x && x <= greatest; }
};

Range common_range(const Fit& base, const Fit& current) {
  return {std::max(base.x_min, current.x_min), std::min(base.x_max, current.x_max)};
}

GateComparison curve_comparison(const Fit& base, const Fit& current, double x,
                                const GateOptions& options) {
  GateComparison comparison{.figure = "curve", .x = x};
  comparison.extrapolated = !common_range(base, current).holds(x);
  comparison.less_is_better = base.response == Response::kTime;
  comparison.limit = std::log1p(options.max_slowdown);
  const Side before = log_curve_of(base, x, "BASE");
  const Side after = log_curve_of(current, x, "NEW");
  comparison.base = exponentiated(estimate_of_side(before, options.confidence));
  comparison.current = exponentiated(estimate_of_side(after, options.confidence));
  add_change(comparison, before, after, options.confidence);
  add_ratio(comparison);
  return comparison;
}

/// The comparison to report where the middle and the largest common x are wanted and there is none.
GateComparison no_common_range(const Fit& base, const Fit& current, const GateOptions& options) {
  GateComparison comparison{.figure = "curve"};
  comparison.less_is_better = base.response == Response::kTime;
  comparison.limit = std::log1p(options.max_slowdown);
  for (Estimate* estimate : {&comparison.base, &comparison.current, &comparison.change}) {
    estimate->estimate = std::nan("");
  }
  comparison.reason =
      fmt::format("BASE was measured from {} to {}, NEW from {} to {}: no common range", base.x_min,
                  base.x_max, current.x_min, current.x_max);
  return comparison;
}

/// The geometric middle. A law without ln x may have x <= 0; then it is the arithmetic middle.
double middle_of(const Range& range) {
  return range.least > 0 ? std::sqrt(range.least) * std::sqrt(range.greatest)
                         : (range.least + range.greatest) / 2;
}

/// Where the curves are compared: in order, none twice.
std::vector<double> places_of(const Range& range, const GateOptions& options) {
  std::vector<double> places = options.at;
  if (range.least <= range.greatest) {
    if (options.at_middle) places.push_back(middle_of(range));
    if (options.at_largest) places.push_back(range.greatest);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

}  // namespace

std::vector<GateComparison> comparisons_of(const Fit& base, const Fit& current,
                                           const GateOptions& options) {
  std::vector<GateComparison> comparisons;
  for (std::size_t i = 0; i < base.parameters.size(); ++i) {
    if (!base.parameters[i].name.starts_with("beta")) continue;
    comparisons.push_back(exponent_comparison(base, current, i, options));
  }
  const Range range = common_range(base, current);
  for (const double x : places_of(range, options)) {
    comparisons.push_back(curve_comparison(base, current, x, options));
  }
  const bool wanted = options.at_middle || options.at_largest;
  if (wanted && !(range.least <= range.greatest)) {
    comparisons.push_back(no_common_range(base, current, options));
  }
  return comparisons;
}

}  // namespace scalelaw
