#include "fit/profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/broken_line.hpp"
#include "fit/distributions.hpp"
#include "fit/laws.hpp"
#include "fit/nonlinear.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Profiles of a break in logarithms, where all is linear once the break is held: with the break at
/// l, the values of another parameter that an F test does not reject are est(l) -+ sqrt(excess(l)
/// var(l)), and its interval reaches over those of all l.
class BrokenProfile {
 public:
  BrokenProfile(const FitPoints& points, const Solution& solution, double confidence)
      : points_(points) {
    std::vector<double> log_x;
    for (const Cell& cell : points.cells) log_x.push_back(std::log(cell.x));
    line_ = BrokenLine(log_x, points.mass);
    line_.best_break(points.mean);
    const double dof = static_cast<double>(points.n) - static_cast<double>(solution.p);
    const double reach = student_t_factor(confidence, dof);
    limit_ = solution.rss * (1 + reach * reach / dof) - points.within;
    fill_boxes(points, boxes_);
    best_place_ = solution.theta[*points.law->kink()];
  }

  Interval interval(std::size_t parameter) const { return {end(parameter, -1), end(parameter, 1)}; }

  /// By how much the residual sum of squares stays below the limit with the break there.
  double slack(double place) const { return limit_ - line_.at(place).rss; }

 private:
  struct Linear {
    double estimate;
    double variance;
  };

  /// ln alpha and both exponents, by their order in the law.
  Linear parameter_at(std::size_t parameter, double place, const BrokenLine::Knot& knot) const {
    const double sign = points_.response == Response::kTime ? -1 : 1;
    if (parameter == 1) return {sign * knot.left, knot.left_variance};
    if (parameter == 2) return {sign * knot.right, knot.right_variance};
    return {knot.level - place * knot.left,
            knot.level_variance +
                place * (place * knot.left_variance - 2 * knot.level_left_covariance)};
  }

  /// The end of the parameter's values with the break at a place; -infinity in the direction where
  /// none is left.
  double reach_at(std::size_t parameter, double place, int direction) const {
    const BrokenLine::Knot knot = line_.at(place);
    const double excess = limit_ - knot.rss;
    if (!(excess >= 0)) return -kInfinity;
    const Linear linear = parameter_at(parameter, place, knot);
    return direction * linear.estimate + std::sqrt(excess * std::max(0.0, linear.variance));
  }

  double end(std::size_t parameter, int direction) const {
    const std::size_t kink = *points_.law->kink();
    double best = reach_at(parameter, best_place_, direction);
    for (const Box& box : boxes_) {
      for (int i = 0; i <= kPlaces; ++i) {
        const double place = box.lower[kink] + i * step_in(box);
        const double here = reach_at(parameter, place, direction);
        if (here < best) continue;
        best = std::max(here, greatest_about(parameter, direction, box, place));
      }
    }
    for (const Box& box : boxes_) {  // The estimate may lie between the places.
      if (best_place_ < box.lower[kink] || best_place_ > box.upper[kink]) continue;
      best = std::max(best, greatest_about(parameter, direction, box, best_place_));
    }
    return direction * best;
  }

  static constexpr int kPlaces = 12;  ///< In each piece.
  double step_in(const Box& box) const {
    const std::size_t kink = *points_.law->kink();
    return (box.upper[kink] - box.lower[kink]) / kPlaces;
  }
  double greatest_about(std::size_t parameter, int direction, const Box& box, double place) const {
    const std::size_t kink = *points_.law->kink();
    return greatest_between(parameter, direction, std::max(box.lower[kink], place - step_in(box)),
                            std::min(box.upper[kink], place + step_in(box)));
  }

  /// Golden section; the greatest value lies flat, so that half of the digits of its place do.
  double greatest_between(std::size_t parameter, int direction, double lower, double upper) const {
    constexpr double kGolden = 0.6180339887498949;
    double a = upper - kGolden * (upper - lower);
    double b = lower + kGolden * (upper - lower);
    double at_a = reach_at(parameter, a, direction);
    double at_b = reach_at(parameter, b, direction);
    for (int i = 0; i < 40; ++i) {
      if (at_a >= at_b) {
        upper = b;
        b = a;
        at_b = at_a;
        a = upper - kGolden * (upper - lower);
        at_a = reach_at(parameter, a, direction);
      } else {
        lower = a;
        a = b;
        at_a = at_b;
        b = lower + kGolden * (upper - lower);
        at_b = reach_at(parameter, b, direction);
      }
    }
    return std::max(at_a, at_b);
  }

  const FitPoints& points_;
  BrokenLine line_;
  std::vector<Box> boxes_;
  double limit_ = 0;
  double best_place_ = 0;
};

/// The profile of one parameter: how much worse the best fit is with the parameter held at a value.
class Profile {
 public:
  /// @param exact  Of a kink in logarithms: with the kink held the rest is known exactly.
  Profile(const FitPoints& points, const Solution& solution, std::size_t parameter,
          double confidence, const BrokenProfile* exact)
      : points_(points),
        solution_(solution),
        parameter_(parameter),
        dof_(static_cast<double>(points.n) - static_cast<double>(solution.p)),
        reach_(student_t_factor(confidence, dof_)),
        outer_(outer_box(points)),
        exact_(exact) {
    fill_boxes(points, boxes_);
    for (std::size_t j = 0; j < solution.p; ++j) {
      for (std::size_t l = 0; l < solution.p; ++l) {
        covariances_[j] += solution.back[j][l] * solution.back[parameter][l];
      }
    }
  }

  Interval interval() { return {end(-1), end(1)}; }

 private:
  double estimate() const { return solution_.theta[parameter_]; }
  double bound(int direction) const {
    return direction < 0 ? outer_.lower[parameter_] : outer_.upper[parameter_];
  }

  /// The root of the excess of the residual sum of squares in units of the variance, less the reach
  /// of the interval: nearly linear in the value, below 0 inside. Not finite where no fit
  /// converges.
  double beyond(double value) {
    if (exact_ != nullptr) return exact_->slack(value) >= 0 ? -1 : 1;
    SmallVector start = at_;
    const double variance = covariances_[parameter_];
    for (std::size_t j = 0; j < solution_.p && variance > 0; ++j) {
      start[j] += covariances_[j] / variance * (value - at_[parameter_]);
    }
    std::optional<Descent> best;
    for (Box box : boxes_) {
      if (value < box.lower[parameter_] || value > box.upper[parameter_]) {
        if (points_.law->kink() != parameter_) continue;
        if (value - box.upper[parameter_] > 1e-9 || box.lower[parameter_] - value > 1e-9) continue;
      }
      box.lower[parameter_] = box.upper[parameter_] = value;
      start[parameter_] = value;
      const auto found = descend_piece(points_, start, box);
      if (found && (!best || found->rss < best->rss)) best = found;
    }
    if (!best) return kInfinity;
    at_ = best->theta;
    const double excess = best->rss + points_.within - solution_.rss;
    return std::sqrt(std::max(excess, 0.0) * dof_ / solution_.rss) - reach_;
  }

  /// A first guess of how far the interval reaches; from the column alone where the parameter was
  /// held on a bound.
  double first_step() const {
    const double sigma = std::sqrt(solution_.rss / dof_);
    if (covariances_[parameter_] > 0) return reach_ * sigma * std::sqrt(covariances_[parameter_]);
    double square = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double entry = solution_.design[i * solution_.p + parameter_];
      square += points_.mass[i] * entry * entry;
    }
    return square > 0 ? reach_ * sigma / std::sqrt(square) : 1e-3;
  }

  double end(int direction) {
    at_ = solution_.theta;
    return points_.law->kink() == parameter_ ? kink_end(direction) : smooth_end(direction);
  }

  /// Steps outward until the value is rejected, each as long as the ones before suggest; then the
  /// place between the last two.
  double smooth_end(int direction) {
    constexpr int kMostSteps = 60;
    double inside = estimate();
    double at_inside = -reach_;
    double step = first_step();
    for (int count = 0; count < kMostSteps; ++count) {
      double value = estimate() + direction * step;
      const bool on_bound = direction < 0 ? value <= bound(-1) : value >= bound(1);
      if (on_bound) value = bound(direction);
      const double at_value = beyond(value);
      if (!std::isfinite(at_value)) return direction * kInfinity;
      if (at_value >= 0) return root_between(inside, at_inside, value, at_value);
      if (on_bound) return value;
      inside = value;
      at_inside = at_value;
      step *= std::clamp(1.02 * reach_ / (at_value + reach_), 1.1, 4.0);
    }
    return direction * kInfinity;
  }

  /// Regula falsi as Anderson and Bjorck (1973) mend it.
  double root_between(double a, double at_a, double b, double at_b) {
    for (int count = 0; count < 100; ++count) {
      if (std::abs(at_b) < 1e-9 * reach_ || std::abs(b - a) <= 1e-12 * std::abs(b)) return b;
      const double c = b - at_b * (b - a) / (at_b - at_a);
      const double at_c = beyond(c);
      if (!std::isfinite(at_c)) return c;
      if ((at_c < 0) != (at_b < 0)) {
        a = b;
        at_a = at_b;
      } else {
        const double factor = 1 - at_c / at_b;
        at_a *= factor > 0 ? factor : 0.5;
      }
      b = c;
      at_b = at_c;
    }
    return b;
  }

  /// The profile of a kink may fall and rise again, so that all of its range is looked at.
  double kink_end(int direction) {
    constexpr int kPlaces = 8;  ///< In each piece.
    double inside = estimate();
    double outside = bound(direction);
    bool previous_inside = true;
    const auto look_at = [&](double value) {
      if (direction * (value - estimate()) <= 0) return;
      const bool is_inside = beyond(value) <= 0;
      if (is_inside) inside = value;
      if (previous_inside && !is_inside) outside = value;
      previous_inside = is_inside;
    };
    const auto look_through = [&](const Box& box) {
      for (int place = 0; place <= kPlaces; ++place) {
        const int step = direction > 0 ? place : kPlaces - place;
        look_at(box.lower[parameter_] +
                (box.upper[parameter_] - box.lower[parameter_]) * step / kPlaces);
      }
    };
    if (direction > 0) {
      std::for_each(boxes_.begin(), boxes_.end(), look_through);
    } else {
      std::for_each(boxes_.rbegin(), boxes_.rend(), look_through);
    }
    if (previous_inside) return direction * kInfinity;  // As far as a kink can be told.
    while (std::abs(outside - inside) > 1e-10 * std::max(1.0, std::abs(outside))) {
      const double middle = 0.5 * (inside + outside);
      (beyond(middle) <= 0 ? inside : outside) = middle;
    }
    return inside;
  }

  const FitPoints& points_;
  const Solution& solution_;
  std::size_t parameter_;
  double dof_;
  double reach_;
  Box outer_;
  const BrokenProfile* exact_;
  std::vector<Box> boxes_;
  SmallVector covariances_{};  ///< Of the parameter with each, over the variance.
  SmallVector at_{};           ///< Where the last descent ended.
};

void replace_interval(Estimate& estimate, const Interval& interval) {
  estimate.wald_ci = estimate.ci;
  estimate.ci = interval;
}

}  // namespace

void fill_profile_intervals(Fit& fit, const FitPoints& points, const Solution& solution) {
  if (fit.dof <= 0 || !(solution.rss > 0)) return;
  std::optional<BrokenProfile> broken;
  if (fit.law == &broken_law() && points.scale == Scale::kLog) {
    broken.emplace(points, solution, fit.confidence);
  }
  for (std::size_t k = 0; k < solution.p; ++k) {
    const Interval working =
        broken && k != *fit.law->kink()
            ? broken->interval(k)
            : Profile(points, solution, k, fit.confidence, broken ? &*broken : nullptr).interval();
    const bool exponential = fit.law->parameters()[k].transform == Transform::kExp;
    if (k == 0 && fit.log_alpha) replace_interval(*fit.log_alpha, working);
    // An end that is open stays so, where exp would make it 0.
    const double lower = std::isfinite(working.lower) ? std::exp(working.lower) : working.lower;
    replace_interval(fit.parameters[k],
                     exponential ? Interval{lower, std::exp(working.upper)} : working);
  }
}

}  // namespace scalelaw
