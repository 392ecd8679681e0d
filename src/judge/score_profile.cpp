#include "judge/score_profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace

ScoreProfile::ScoreProfile(std::span<const double> y, std::span<const double> score, double sigma,
                           std::optional<double> end)
    : y_(y), score_(score), sigma_(sigma), end_(end) {
  const auto [least, greatest] = std::ranges::minmax_element(y);
  centre_ = mean_of(y);
  range_ = *greatest - *least;
}

double ScoreProfile::value(const Question& question, const SmallVector& at,
                           SmallVector& gradient) const {
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

double ScoreProfile::descend(const Question& question, SmallVector& place) const {
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

bool ScoreProfile::holds(const Question& question, double limit, SmallVector& place) const {
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

std::optional<Interval> ScoreProfile::interval(const UncertainResponse& response, double best,
                                               double limit, bool of_new_run) const {
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

}  // namespace scalelaw
