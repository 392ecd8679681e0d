// The most likely truncated power law: its density is proportional to r^-alpha exp(-z (r - 1)) with
// r = x / x_min. Points are (alpha, ln z), where a cut-off of any size is a few steps away.

#include <algorithm>
#include <cmath>

#include "tail/special_functions.hpp"
#include "tail/tail_parts.hpp"

namespace scalelaw {
namespace {

constexpr double kUnknown = 1e300;

/// Minus the mean of ln density; kUnknown where it cannot be computed.
double lack_at(const TailValues& tail, const Point2& point) {
  constexpr double kMostLog = 12;  // So 1 / lambda is at least e^-12 x_min.
  if (!(std::abs(point[0]) < 300) || !(point[1] < kMostLog) || !(point[1] > -600)) return kUnknown;
  const double z = std::exp(point[1]);
  const double sum = point[0] * tail.mean_z + z * tail.mean_excess + log_cut_off(tail, point[0], z);
  return std::isfinite(sum) ? sum : kUnknown;
}

/// A cut-off at the greatest value.
Point2 weak_cut_off(const TailValues& tail) {
  return {tail.alpha, -std::log(std::expm1(tail.z.back()))};
}

/// Whether no cut-off of continuous values does better than a weaker one. In (alpha, z) the lack is
/// convex, as for every exponential family, so its slope over z at the power law tells: the mean of
/// r - 1 less its expectation, which is 1 / (alpha - 2) or infinite.
bool is_power_law_best(const TailValues& tail) {
  return tail.alpha > 2 && tail.mean_excess >= 1 / (tail.alpha - 2);
}

/// The minimum for continuous values by Newton's steps. There is one, as the lack is convex.
class CutOffDescent {
 public:
  explicit CutOffDescent(const TailValues& tail) : tail_(tail), best_(at(weak_cut_off(tail))) {}

  /// Empty where the steps do not come to an end, as at the edge of what can be computed.
  std::optional<Minimum2> minimum() {
    constexpr int kMostSteps = 60;
    for (int step = 0; step < kMostSteps && best_.value < kUnknown; ++step) {
      const Step next = newton_step();
      if (!(next.promise >= 0)) return std::nullopt;
      if (next.promise < kSmallPromise) return at(moved(next, 1));
      if (descend(next)) continue;
      return next.promise < kRounding ? std::optional(best_) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  /// After a step that promises so little, the next one would be below rounding.
  static constexpr double kSmallPromise = 1e-13;
  static constexpr double kRounding = 1e-9;  ///< So little may be promised without being kept.

  struct Step {
    Point2 change{};
    double promise = 0;  ///< Twice the fall of the lack, if that were quadratic.
  };

  Minimum2 at(const Point2& point) const { return {point, lack_at(tail_, point)}; }

  Point2 moved(const Step& step, double share) const {
    return {best_.at[0] + share * step.change[0], best_.at[1] + share * step.change[1]};
  }

  /// Newton's step. The curvature that ln z adds vanishes at the minimum; where it is below 0, the
  /// step could rise with it.
  Step newton_step() const {
    const double z = std::exp(best_.at[1]);
    const CutOffMoments moments = cut_off_moments(best_.at[0], z);
    const double slope = tail_.mean_z - moments.mean_log;
    const double log_slope = z * (tail_.mean_excess - moments.mean_excess);
    const double cross = z * moments.covariance;
    const double bend = z * z * moments.excess_variance + std::max(log_slope, 0.0);
    const double determinant = moments.log_variance * bend - cross * cross;
    if (!(determinant > 0)) return {{}, -1};
    const Point2 change{(cross * log_slope - bend * slope) / determinant,
                        (cross * slope - moments.log_variance * log_slope) / determinant};
    return {change, -(change[0] * slope + change[1] * log_slope)};
  }

  /// Goes as far along the step as the lack falls. False if it falls nowhere by more than rounding.
  bool descend(const Step& step) {
    constexpr double kWidest = 5;
    constexpr double kLeastShare = 1e-6;
    const double length = std::max(std::abs(step.change[0]), std::abs(step.change[1]));
    for (double share = std::min(1.0, kWidest / length); share > kLeastShare; share /= 2) {
      const Minimum2 next = at(moved(step, share));
      if (!(next.value < best_.value - 1e-14 * (1 + std::abs(best_.value)))) continue;
      best_ = next;
      return true;
    }
    return false;
  }

  const TailValues& tail_;
  Minimum2 best_;
};

/// The same by simplexes, for any values: one begins with a weak cut-off, one with a strong one.
Minimum2 least_by_simplex(const TailValues& tail) {
  const auto lack = [&tail](const Point2& point) { return lack_at(tail, point); };
  const Minimum2 weak = minimise(lack, weak_cut_off(tail), {0.2, -1});
  const Minimum2 strong = minimise(lack, {1, -std::log(tail.mean_excess)}, {0.3, 0.7});
  return weak.value <= strong.value ? weak : strong;
}

Minimum2 least_lack(const TailValues& tail) {
  if (!tail.discrete) {
    if (const auto minimum = CutOffDescent(tail).minimum()) return *minimum;
  }
  return least_by_simplex(tail);
}

}  // namespace

double log_cut_off(const TailValues& tail, double alpha, double z) {
  return std::log(tail.discrete ? cut_off_sum(alpha, z / tail.x_min, tail.x_min)
                                : cut_off_integral(alpha, z) * tail.x_min);
}

std::optional<Minimum2> best_cut_off(const TailValues& tail) {
  if (!tail.discrete && is_power_law_best(tail)) return std::nullopt;
  const Minimum2 best = least_lack(tail);
  const double without =
      tail.alpha * tail.mean_z - power_law_log_scale(tail.alpha, tail.discrete, tail.x_min);
  const bool helps = best.value < without - 1e-12 * (1 + std::abs(without));
  return helps ? std::optional(best) : std::nullopt;
}

}  // namespace scalelaw
