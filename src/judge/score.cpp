// Scores of benchmarks that follow from a loss.

#include "scalelaw/judge/score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/fit/constraints.hpp"
#include "scalelaw/runs/observations.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

// Places of parameters.
constexpr std::size_t kLow = 0;
constexpr std::size_t kHalf = 2;
constexpr std::size_t kHigh = 3;
constexpr int kPlaces = 50;  ///< Where the end is held, over the whole scale.

/// The runs that have a score.
struct Scores {
  std::vector<double> y;
  std::vector<double> score;
  std::optional<double> end = {};  ///< Of their scale, which begins at 0.
};

Scores scores_of(std::span<const double> y, std::span<const double> score) {
  Scores out;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::isnan(score[i])) continue;
    out.y.push_back(y[i]);
    out.score.push_back(score[i]);
  }
  if (out.score.empty()) throw FitError(FailureCode::kTooFewPoints, "no run has a score");
  const auto [least, greatest] = std::minmax_element(out.score.begin(), out.score.end());
  const double end = *greatest <= 1 ? 1 : 100;
  if (*least >= 0 && *greatest <= end) out.end = end;
  return out;
}

Fit fitted(const Scores& scores, const Constraints& constraints, double confidence) {
  FitOptions options;
  options.law = &constrained(*find_law("sigmoid"), constraints);
  options.errors = Errors::kNormal;
  options.confidence = confidence;
  options.intervals = Intervals::kWald;
  return fit_law(cells_of(scores.y, scores.score), options);
}

/// Whether an end of the scale is about as likely as the best place of `high`.
bool leaves_end_open(const Fit& fit, const Scores& scores) {
  constexpr double kReach = 4;  ///< Standard errors.
  const Parameter& high = fit.parameters[kHigh];
  if (!scores.end || !fit.sigma || !(*fit.sigma > 0)) return false;
  return high.on_bound || !high.se || high.estimate + kReach * *high.se > *scores.end;
}

/// Adds fits with the end held. Before the runs are seen every place is as likely; afterwards as
/// its sum of squares to the power -dof / 2.
void hold_ends(ScoreCurve& curve, const Scores& scores, double confidence) {
  const double end = *scores.end;
  const double greatest = *std::max_element(scores.score.begin(), scores.score.end());
  double sum = 0;
  for (int place = kPlaces; place > 0 && end * place / kPlaces >= greatest; --place) {
    const Constraints held{
        .fixed = {{"high", end * place / kPlaces}}, .tied = {}, .bounded = {{"low", {0, end}}}};
    auto fit = if_possible([&] { return fitted(scores, held, confidence); });
    if (!fit || !fit->sigma || !(*fit->sigma > 0)) continue;
    const double ratio = *fit->sigma / *curve.best.sigma;
    curve.weights.push_back(std::pow(ratio, -static_cast<double>(fit->dof)));
    sum += curve.weights.back();
    curve.held.push_back(*std::move(fit));
  }
  for (double& weight : curve.weights) weight /= sum;
}

/// The slope of the curve at x > 0, to some eight digits.
double slope_of(const Fit& fit, double x) {
  constexpr double kShift = 1e-5;
  const double above = x * (1 + kShift);
  const double below = x * (1 - kShift);
  return (fit.curve(above) - fit.curve(below)) / (above - below);
}

/// A score of which one curve tells the distribution: Student's about `value`.
struct Part {
  double weight;
  double value;
  double se;      ///< Of the curve,
  double spread;  ///< and of a new run about it.
  double dof;

  double beyond(double score, double scale) const {
    const double t = (score - value) / scale;
    const double tail = student_t_p(std::abs(t), dof) / 2;
    return t > 0 ? tail : 1 - tail;
  }
};

/// The part of one curve; nothing without errors.
std::optional<Part> part_of(const Fit& surface, const SurfacePoint& point, const Fit& score,
                            double weight) {
  const std::array x{point.n, point.d, point.repeats ? point.repeats->unique : point.d};
  const auto y_se = surface.curve_se(std::span(x).first(surface.law->inputs()));
  const auto own_se = score.curve_se(point.median);
  if (!y_se || !own_se || !surface.sigma || !score.sigma) return std::nullopt;
  const double unit = surface.scale == Scale::kLog ? point.median : 1;  // Of y per error.
  const double slope = unit * slope_of(score, point.median);
  Part part{.weight = weight,
            .value = score.curve(point.median),
            .se = std::hypot(*own_se, slope * *y_se),
            .spread = 0,
            .dof = std::min(surface.joint_dof(), score.joint_dof())};
  part.spread = std::hypot(part.se, *score.sigma, slope * *surface.sigma);
  return part.dof > 0 ? std::optional(part) : std::nullopt;
}

/// The score that is exceeded with probability `p`, between all quantiles of the parts.
double exceeded_with(double p, std::span<const Part> parts, double Part::*scale) {
  const double reach = student_t_factor(std::abs(1 - 2 * p), parts.front().dof);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Part& part : parts) {
    low = std::min(low, part.value - reach * part.*scale);
    high = std::max(high, part.value + reach * part.*scale);
  }
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    double beyond = 0;
    for (const Part& part : parts) beyond += part.weight * part.beyond(middle, part.*scale);
    (beyond > p ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

ScoreCurve fit_score(std::span<const double> y, std::span<const double> score, double confidence) {
  const Scores scores = scores_of(y, score);
  Constraints within;
  if (scores.end) within.bounded = {{"low", {0, *scores.end}}, {"high", {0, *scores.end}}};
  ScoreCurve curve{.best = fitted(scores, within, confidence)};
  if (leaves_end_open(curve.best, scores)) hold_ends(curve, scores, confidence);
  return curve;
}

ScorePoint score_at(const Fit& surface, const SurfacePoint& point, const ScoreCurve& score,
                    double confidence) {
  const Fit& best = score.best;
  const double y = point.median;
  ScorePoint out{.value = best.curve(y)};
  out.extrapolation = std::max({0.0, y - best.x_max, best.x_min - y}) / (best.x_max - best.x_min);
  std::vector<Part> parts;
  for (std::size_t i = 0; i < score.held.size(); ++i) {
    if (const auto part = part_of(surface, point, score.held[i], score.weights[i])) {
      parts.push_back(*part);
    }
  }
  const auto only = part_of(surface, point, best, 1);
  if (parts.empty() && only) {
    const double factor = student_t_factor(confidence, only->dof);
    out.ci = Interval{out.value - factor * only->se, out.value + factor * only->se};
    out.pi = Interval{out.value - factor * only->spread, out.value + factor * only->spread};
  } else if (!parts.empty()) {
    const double tail = (1 - confidence) / 2;
    out.value = exceeded_with(0.5, parts, &Part::se);
    out.ci =
        Interval{exceeded_with(1 - tail, parts, &Part::se), exceeded_with(tail, parts, &Part::se)};
    out.pi = Interval{exceeded_with(1 - tail, parts, &Part::spread),
                      exceeded_with(tail, parts, &Part::spread)};
  }
  return out;
}

}  // namespace scalelaw
