#include "fit/profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/distributions.hpp"
#include "fit/nonlinear.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The profile of one parameter: how much worse the best fit is with the parameter held at a value.
class Profile {
 public:
  Profile(const Observations& points, const Solution& solution, std::size_t parameter,
          double confidence)
      : points_(points),
        solution_(solution),
        parameter_(parameter),
        dof_(static_cast<double>(points.n) - static_cast<double>(solution.p)),
        reach_(student_t_factor(confidence, dof_)),
        outer_(outer_box(points)) {
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
    double previous = estimate();
    bool previous_inside = true;
    const auto look_at = [&](double value) {
      if (direction * (value - estimate()) <= 0) return;
      const bool is_inside = beyond(value) <= 0;
      if (is_inside) inside = value;
      if (previous_inside && !is_inside) outside = value;
      previous = value;
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

  const Observations& points_;
  const Solution& solution_;
  std::size_t parameter_;
  double dof_;
  double reach_;
  Box outer_;
  std::vector<Box> boxes_;
  SmallVector covariances_{};  ///< Of the parameter with each, over the variance.
  SmallVector at_{};           ///< Where the last descent ended.
};

void replace_interval(Estimate& estimate, const Interval& interval) {
  estimate.wald_ci = estimate.ci;
  estimate.ci = interval;
}

}  // namespace

void fill_profile_intervals(Fit& fit, const Observations& points, const Solution& solution) {
  if (fit.dof <= 0 || !(solution.rss > 0)) return;
  for (std::size_t k = 0; k < solution.p; ++k) {
    const Interval working = Profile(points, solution, k, fit.confidence).interval();
    const bool exponential = fit.law->parameters()[k].transform == Transform::kExp;
    if (k == 0 && fit.log_alpha) replace_interval(*fit.log_alpha, working);
    replace_interval(
        fit.parameters[k],
        exponential ? Interval{std::exp(working.lower), std::exp(working.upper)} : working);
  }
}

}  // namespace scalelaw
