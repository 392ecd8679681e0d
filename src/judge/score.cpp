// Scores of benchmarks that follow from a loss.

#include "scalelaw/judge/score.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "judge/score_profile.hpp"
#include "scalelaw/fit/constraints.hpp"
#include "scalelaw/runs/observations.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

ScoreCurve runs_with_score(std::span<const double> y, std::span<const double> score) {
  ScoreCurve out;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::isnan(score[i])) continue;
    out.y.push_back(y[i]);
    out.score.push_back(score[i]);
  }
  if (out.score.empty()) throw FitError(FailureCode::kTooFewPoints, "no run has a score");
  const auto [least, greatest] = std::ranges::minmax_element(out.score);
  const double end = *greatest <= 1 ? 1 : 100;
  if (*least >= 0 && *greatest <= end) out.end = end;
  return out;
}

/// The interval of an exact fit is that of a scatter which rounding hides.
double scatter_of(const ScoreCurve& score) {
  constexpr double kLeast = 1e-6;
  const auto [least, greatest] = std::ranges::minmax_element(score.score);
  return std::max(score.best.sigma.value_or(0), kLeast * (*greatest - *least));
}

/// Squares of the scores about their mean, in units of their scatter.
double deviance_of_none(const ScoreCurve& score, double sigma) {
  const double mean = mean_of(score.score);
  double sum = 0;
  for (const double one : score.score) sum += (one - mean) * (one - mean);
  return sum / (sigma * sigma);
}

/// How much more than the best curve others may miss the runs. Where the runs show no curve at all,
/// its place and steepness have no distribution of their own, and the limit is that of all
/// parameters together (Scheffe).
double rise_of(const ScoreCurve& score, double sigma, double confidence, double dof) {
  const auto p = static_cast<double>(score.best.parameters.size());
  const double joint = p * f_limit(1 - confidence, p, dof);
  if (deviance_of_none(score, sigma) - score.best.rss / (sigma * sigma) <= joint) return joint;
  const double reach = student_t_factor(confidence, dof);
  return reach * reach;
}

bool is_wide(const Interval& ci, const ScoreCurve& score) {
  const auto [least, greatest] = std::ranges::minmax_element(score.score);
  const bool reaches_end = score.end && (ci.lower <= 0 || ci.upper >= *score.end);
  return reaches_end || ci.upper - ci.lower > *greatest - *least;
}

}  // namespace

ScoreCurve fit_score(std::span<const double> y, std::span<const double> score, double confidence) {
  ScoreCurve curve = runs_with_score(y, score);
  Constraints within;
  if (curve.end) within.bounded = {{"low", {0, *curve.end}}, {"high", {0, *curve.end}}};
  FitOptions options;
  options.law = &constrained(*find_law("sigmoid"), within);
  options.errors = Errors::kNormal;
  options.confidence = confidence;
  options.intervals = Intervals::kWald;
  curve.best = fit_law(cells_of(curve.y, curve.score), options);
  return curve;
}

ScorePoint score_at(const Fit& surface, const SurfacePoint& point, const ScoreCurve& score,
                    double confidence) {
  const Fit& best = score.best;
  const double y = point.median;
  ScorePoint out{.value = best.curve(y)};
  out.extrapolation = std::max({0.0, y - best.x_max, best.x_min - y}) / (best.x_max - best.x_min);
  const std::array x{point.n, point.d, point.repeats ? point.repeats->unique : point.d};
  const auto y_se = surface.curve_se(std::span(x).first(surface.law->inputs()));
  const double dof = std::min(surface.joint_dof(), score.best.joint_dof());
  if (!y_se || !surface.sigma || !(dof > 0)) {
    out.is_wide = true;
    return out;
  }

  const double sigma = scatter_of(score);
  const double limit = best.rss / (sigma * sigma) + rise_of(score, sigma, confidence, dof);
  const ScoreProfile profile(score.y, score.score, sigma, score.end);
  UncertainResponse response{y, *y_se, surface.scale == Scale::kLog};
  out.ci = profile.interval(response, out.value, limit, false);
  response.se = std::hypot(*y_se, *surface.sigma);
  out.pi = profile.interval(response, out.value, limit, true);
  out.is_wide = !out.ci || is_wide(*out.ci, score);
  return out;
}

}  // namespace scalelaw
