#include "scalelaw/judge/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "judge/contrast_parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/holm.hpp"

namespace scalelaw {
namespace {

constexpr std::array kVerdicts{GateVerdict::kMissing,      GateVerdict::kWorse,
                               GateVerdict::kInconclusive, GateVerdict::kSame,
                               GateVerdict::kBetter,       GateVerdict::kNew};

bool is_share(double value) { return value > 0 && value <= 1; }

void check_options(const GateOptions& options) {
  if (!is_share(options.max_slowdown) || !is_share(options.max_beta_drop)) {
    throw std::invalid_argument("gate_fits: a limit is not above 0 and up to 1");
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw std::invalid_argument("gate_fits: confidence is not between 0 and 1");
  }
  const auto is_bad = [](double x) { return !(x > 0); };
  if (std::any_of(options.at.begin(), options.at.end(), is_bad)) {
    throw std::invalid_argument("gate_fits: an x is not above 0");
  }
}

using Results = std::map<GroupKey, const GroupFit*, GroupLess>;

Results results_of(const SavedFits& fits) {
  Results results;
  for (const GroupFit& group : fits.groups) {
    if (results.emplace(group.group, &group).second) continue;
    throw DataError(fmt::format("{}: the group '{}' stands there twice", input_name(fits.source),
                                joined(group.group)));
  }
  return results;
}

const Fit* fit_in(const Results& results, const GroupKey& group) {
  const auto found = results.find(group);
  return found == results.end() ? nullptr : std::get_if<Fit>(&found->second->result);
}

std::string failure_text(const Results& results, const GroupKey& group, std::string_view side) {
  const auto found = results.find(group);
  if (found == results.end()) return fmt::format("{} has no such group", side);
  const NoFit& failure = std::get<NoFit>(found->second->result);
  return fmt::format("no fit in {}: {} ({})", side, failure.message, name_of(failure.code));
}

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
  double dof = fit.sigma_dof();
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
    return fmt::format("{} has no degrees of freedom: {} for {} parameters", side,
                       counted(static_cast<std::size_t>(fit.n), "point"), fit.parameters.size());
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
  if (logarithm.ci) curve.ci = exp_of(*logarithm.ci);
  curve.dof = logarithm.dof;
  return curve;
}

void add_ratio(GateComparison& comparison) {
  const Estimate& change = comparison.change;
  if (!std::isfinite(change.estimate)) return;
  comparison.ratio = std::exp(change.estimate);
  if (change.ci) comparison.ratio_ci = exp_of(*change.ci);
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

/// All comparisons of one group. They still lack what depends on other groups: p values adjusted
/// for their number, and verdicts. If a value is undefined, `reason` says so.
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

/// Compares a group that both have, or reports one that only one of them has.
GateGroup compared(const GatePair& pair, const GroupKey& group, const Results& base,
                   const Results& current, const GateOptions& options) {
  GateGroup result{.y = pair.base.y, .group = group};
  const Fit* before = fit_in(base, group);
  const Fit* after = fit_in(current, group);
  if (before != nullptr && after != nullptr) {
    result.comparisons = comparisons_of(*before, *after, options);
  } else if (!base.contains(group)) {
    result.verdict = GateVerdict::kNew;
    result.reason = failure_text(base, group, "BASE");
  } else if (before == nullptr) {
    result.reason = failure_text(base, group, "BASE");
  } else {
    result.verdict = GateVerdict::kMissing;
    result.reason = failure_text(current, group, "NEW");
  }
  return result;
}

void add_groups(Gate& gate, const GatePair& pair, const GateOptions& options) {
  const Results base = results_of(pair.base);
  const Results current = results_of(pair.current);
  Results all = base;
  all.insert(current.begin(), current.end());
  for (const auto& [group, unused] : all) {
    gate.groups.push_back(compared(pair, group, base, current, options));
  }
}

std::vector<GateComparison*> comparisons_in(Gate& gate) {
  std::vector<GateComparison*> comparisons;
  for (GateGroup& group : gate.groups) {
    for (GateComparison& comparison : group.comparisons) comparisons.push_back(&comparison);
  }
  return comparisons;
}

/// The interval of loss().
Interval loss_interval(const GateComparison& comparison) {
  const Interval& ci = *comparison.change.ci;
  return comparison.less_is_better ? ci : Interval{-ci.upper, -ci.lower};
}

/// An exact fit has no p: its interval is a point and decides alone.
bool stays(const std::optional<double>& p_holm, double confidence) {
  return !p_holm || *p_holm < 1 - confidence;
}

GateVerdict verdict_of(const GateComparison& comparison, double confidence) {
  if (!comparison.change.ci) return GateVerdict::kInconclusive;
  const Interval loss = loss_interval(comparison);
  if (loss.lower > comparison.limit && stays(comparison.p_worse_holm, confidence)) {
    return GateVerdict::kWorse;
  }
  if (loss.upper < 0 && stays(comparison.p_better_holm, confidence)) return GateVerdict::kBetter;
  const bool within = -comparison.limit < loss.lower && loss.upper < comparison.limit;
  return within ? GateVerdict::kSame : GateVerdict::kInconclusive;
}

void set_verdicts(GateGroup& group, double confidence) {
  if (group.comparisons.empty()) return;
  group.verdict = GateVerdict::kNew;
  for (GateComparison& comparison : group.comparisons) {
    comparison.verdict = verdict_of(comparison, confidence);
    group.verdict = std::max(group.verdict, comparison.verdict);
  }
}

}  // namespace

std::span<const GateVerdict> all_gate_verdicts() { return kVerdicts; }

std::string_view name_of(GateVerdict verdict) {
  return word_for(verdict, {{GateVerdict::kNew, "new"},
                            {GateVerdict::kBetter, "better"},
                            {GateVerdict::kSame, "same"},
                            {GateVerdict::kInconclusive, "inconclusive"},
                            {GateVerdict::kWorse, "worse"},
                            {GateVerdict::kMissing, "missing"}});
}

std::string_view name_of(FailOn fail_on) {
  return word_for(fail_on, {{FailOn::kWorse, "worse"}, {FailOn::kInconclusive, "inconclusive"}});
}

bool fails(GateVerdict verdict, FailOn fail_on) {
  return verdict >= (fail_on == FailOn::kWorse ? GateVerdict::kWorse : GateVerdict::kInconclusive);
}

bool fails(const Gate& gate, FailOn fail_on) {
  return std::any_of(gate.groups.begin(), gate.groups.end(),
                     [fail_on](const GateGroup& group) { return fails(group.verdict, fail_on); });
}

std::size_t Gate::count(GateVerdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(groups.begin(), groups.end(),
                    [verdict](const GateGroup& group) { return group.verdict == verdict; }));
}

Gate gate_fits(std::span<const GatePair> pairs, const GateOptions& options) {
  check_options(options);
  Gate gate;
  for (const GatePair& pair : pairs) {
    check_comparable(pair);
    add_groups(gate, pair, options);
  }
  const std::vector<GateComparison*> comparisons = comparisons_in(gate);
  gate.family =
      adjust_by_holm(comparisons, &GateComparison::p_worse, &GateComparison::p_worse_holm);
  adjust_by_holm(comparisons, &GateComparison::p_better, &GateComparison::p_better_holm);
  for (GateGroup& group : gate.groups) set_verdicts(group, options.confidence);
  return gate;
}

}  // namespace scalelaw
