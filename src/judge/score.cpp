// Scores of benchmarks that follow from a loss.

#include "scalelaw/judge/score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fit/bfgs.hpp"
#include "scalelaw/fit/constraints.hpp"
#include "scalelaw/runs/observations.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

// Working parameters of a curve that goes through a given score.
constexpr std::size_t kLogit = 0;      ///< Of the share of the way at the centre of the responses.
constexpr std::size_t kSteepness = 1;  ///< ln of k times the range of the responses.
constexpr std::size_t kMoved = 2;      ///< The response, in its standard errors.
constexpr std::size_t kOff = 3;        ///< A new run from its curve, in units of sigma.
constexpr double kFarthestLogit = 40;  ///< Shares beyond are 0 or 1.
constexpr double kFarthestSteepness = 9;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double share_at(double z) { return 1 / (1 + std::exp(-z)); }

/// A bound of how far apart the ends of a curve may lie, and how it moves.
struct Bound {
  double value;
  double over_share;  ///< Its derivative with respect to the share at the response,
  double over_score;  ///< and to the score there.
};

/// The greatest height for which a curve with `score` at `share` of its way stays within [0, end].
Bound greatest_height(double score, double share, double end) {
  const Bound low{score / share, -score / (share * share), 1 / share};
  const double rest = 1 - share;
  const Bound high{(end - score) / rest, (end - score) / (rest * rest), -1 / rest};
  return low.value < high.value ? low : high;
}

/// The least one, below 0, where the curve falls instead.
Bound least_height(double score, double share, double end) {
  const Bound mirrored = greatest_height(end - score, share, end);
  return {-mirrored.value, -mirrored.over_share, mirrored.over_score};
}

/// The response at the place where a score is asked for, as an uncertain number.
struct UncertainResponse {
  double value;
  double se;            ///< Of ln of the response, or of the response itself.
  bool is_log = false;  ///< Which of these.
};

/// Scores that the runs of a sigmoid allow at a response: those whose deviance stays below a limit.
///
/// The deviance of a score T is the least sum, in units of the scatter sigma, of the squared
/// residuals of curves that are T at the response, and of the square by which the response itself
/// was moved, in units of its error. For a new run also of the square by which that run lies off
/// its curve. Curves have both ends within the scale of the score.
///
/// Source: Bates and Watts (1988), sec. 6.1, for a figure of the parameters; the two ends of the
/// sigmoid are eliminated as linear parameters (variable projection).
class ScoreProfile {
 public:
  /// @param y,  score  As many values each.
  /// @param sigma  Scatter of the score, > 0.
  /// @param end  Of the scale of the score, which begins at 0; empty: it has no ends.
  ScoreProfile(std::span<const double> y, std::span<const double> score, double sigma,
               std::optional<double> end)
      : y_(y), score_(score), sigma_(sigma), end_(end) {
    const auto [least, greatest] = std::ranges::minmax_element(y);
    centre_ = mean_of(y);
    range_ = *greatest - *least;
  }

  /// The scores about `best` whose deviance is at most `limit`. An end of the scale that is among
  /// them is an end of the interval.
  /// @param of_new_run  Whether the score is that of one new run rather than of the curve.
  /// Empty if the score has no scale and no end is found.
  std::optional<Interval> interval(const UncertainResponse& response, double best, double limit,
                                   bool of_new_run) const {
    constexpr int kHalvings = 32;
    constexpr double kFarthest = 10;  ///< Heights of the scores, where they have no scale.
    const auto [low, high] = std::ranges::minmax_element(score_);
    const double height = *high - *low;
    const auto end_towards = [&](double border) -> std::optional<double> {
      SmallVector place{};
      const auto is_held = [&](double score) {
        return holds({response, score, of_new_run}, limit, place);
      };
      if (is_held(border)) return end_ ? std::optional(border) : std::nullopt;
      double inside = best;
      double outside = border;
      for (int i = 0; i < kHalvings; ++i) {
        const double middle = (inside + outside) / 2;
        (is_held(middle) ? inside : outside) = middle;
      }
      return (inside + outside) / 2;
    };
    const auto lower = end_towards(end_ ? 0 : best - kFarthest * height);
    const auto upper = end_towards(end_ ? *end_ : best + kFarthest * height);
    if (!lower || !upper) return std::nullopt;
    return Interval{*lower, *upper};
  }

 private:
  /// What a deviance is asked of.
  struct Question {
    UncertainResponse response;
    double score;
    bool of_new_run;
  };

  /// Whether the deviance is at most `limit`. Descends from `place`, and leaves the minimum there.
  bool holds(const Question& question, double limit, SmallVector& place) const {
    if (descend(question, place) <= limit) return true;
    SmallVector gradient{};
    SmallVector other{};
    double lowest = kInfinite;
    for (const double logit : {-8.0, -5.0, -3.0, -1.5, 0.0, 1.5, 3.0, 5.0, 8.0}) {
      for (const double steepness : {-2.0, -1.0, 0.0, 1.0, 2.0, 3.0}) {
        const SmallVector start{logit, steepness};
        const double here = value(question, start, gradient);
        if (here < lowest) {
          lowest = here;
          other = start;
        }
      }
    }
    if (!(descend(question, other) <= limit)) return false;
    place = other;
    return true;
  }

  double descend(const Question& question, SmallVector& place) const {
    constexpr double kEnough = 1e-10;
    const auto function = [&](const SmallVector& at, SmallVector& gradient) {
      return value(question, at, gradient);
    };
    SmallMatrix inverse{};
    for (std::size_t i = 0; i < kMaxParameters; ++i) inverse[i][i] = 0.1;
    const std::size_t p = question.of_new_run ? 4 : 3;
    SmallVector gradient{};
    // A second descent forgets the curvature of the way to a bound.
    place = bfgs(function, p, place, inverse, kEnough);
    place = bfgs(function, p, place, inverse, kEnough);
    return value(question, place, gradient);
  }

  double value(const Question& question, const SmallVector& at, SmallVector& gradient) const {
    if (std::abs(at[kLogit]) > kFarthestLogit || std::abs(at[kSteepness]) > kFarthestSteepness) {
      return kInfinite;
    }
    const UncertainResponse& response = question.response;
    const double k = std::exp(at[kSteepness]) / range_;
    const double moved = response.se * at[kMoved];
    const double y = response.is_log ? response.value * std::exp(moved) : response.value + moved;
    const double y_slope = response.is_log ? response.se * y : response.se;
    const double free_score = question.score - (question.of_new_run ? sigma_ * at[kOff] : 0);
    const double score = end_ ? std::clamp(free_score, 0.0, *end_) : free_score;
    const double share = share_at(at[kLogit] - k * (y - centre_));
    if (!(share > 0) || !(share < 1)) return kInfinite;

    double cross = 0;
    double square = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double apart = share_at(at[kLogit] - k * (y_[i] - centre_)) - share;
      cross += apart * (score_[i] - score);
      square += apart * apart;
    }
    double height = square > 0 ? cross / square : 0;
    Bound bound{height, 0, 0};
    if (end_) {
      const Bound greatest = greatest_height(score, share, *end_);
      const Bound least = least_height(score, share, *end_);
      if (height > greatest.value) bound = greatest;
      if (height < least.value) bound = least;
      height = bound.value;
    }

    double sum = 0;
    double residuals = 0;
    double over_height = 0;
    double over_logit = 0;
    double over_steepness = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double way = k * (y_[i] - centre_);
      const double own = share_at(at[kLogit] - way);
      const double residual = score_[i] - score - height * (own - share);
      const double slope = -2 * residual * height * own * (1 - own);
      sum += residual * residual;
      residuals += residual;
      over_height -= 2 * residual * (own - share);
      over_logit += slope;
      over_steepness -= slope * way;
    }
    const double share_slope =
        (2 * height * residuals + over_height * bound.over_share) * share * (1 - share);
    const bool is_clamped = score != free_score;
    const double over_score = is_clamped ? 0 : -2 * residuals + over_height * bound.over_score;
    const double variance = sigma_ * sigma_;
    gradient[kLogit] = (over_logit + share_slope) / variance;
    gradient[kSteepness] = (over_steepness - share_slope * k * (y - centre_)) / variance;
    gradient[kMoved] = -share_slope * k * y_slope / variance + 2 * at[kMoved];
    double deviance = sum / variance + at[kMoved] * at[kMoved];
    if (question.of_new_run) {
      gradient[kOff] = -over_score / sigma_ + 2 * at[kOff];
      deviance += at[kOff] * at[kOff];
    }
    return deviance;
  }

  std::span<const double> y_;
  std::span<const double> score_;
  double sigma_;
  std::optional<double> end_;
  double centre_;  ///< Of the responses,
  double range_;   ///< and how far they reach.
};

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
