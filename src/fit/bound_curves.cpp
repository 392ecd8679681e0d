#include "fit/bound_curves.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fit/figures.hpp"
#include "fit/nonlinear.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

double reach_of(const Fit& fit) { return student_t_factor(fit.confidence, fit.sigma_dof()); }

/// Whether an interval of the parameter, on its working scale, reaches a bound of the law.
bool is_near_bound(const Fit& fit, std::size_t k, double reach) {
  if (!fit.law->is_fitted(k)) return false;
  if (fit.parameters[k].on_bound) return true;
  const std::size_t p = fit.parameters.size();
  if (fit.covariance.size() != p * p) return false;
  const ParameterSpec& spec = fit.law->parameters()[k];
  const double working = spec.working(fit.parameters[k].estimate);
  const double length = reach * std::sqrt(std::max(fit.covariance[k * p + k], 0.0));
  return working - length <= spec.lower || working + length >= spec.upper;
}

bool is_near_bound(const Fit& fit) {
  const double reach = reach_of(fit);
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    if (is_near_bound(fit, k, reach)) return true;
  }
  return false;
}

/// The curves at the edge of the region, at one x and in one direction.
class Pull {
 public:
  Pull(const Fit& fit, const FitPoints& points, double x)
      : fit_(fit),
        points_(points),
        pulled_(points),
        cells_(points.cells.begin(), points.cells.end()),
        best_(working_parameters(fit)),
        reach_(reach_of(fit)) {
    fill_boxes(points, boxes_);
    cells_.push_back(points.cells.back());
    cells_.back().x = x;
    pulled_.cells = cells_;
    const double se = fit.curve_se(x).value_or(0) / *fit.sigma;
    variance_ = std::max(se * se, 1 / points.total_mass);
    pulled_.mass.push_back(kStiffness / variance_);
    pulled_.mean.push_back(0);
    log_curve_ = fitted_value(points, x, used(best_));
  }

  /// ln of the furthest curve; empty if no curve ends the region.
  std::optional<double> furthest(int direction) {
    Place inside{0, -reach_, log_curve_, best_};
    double pull = reach_ * *fit_.sigma * std::sqrt(variance_);
    for (int count = 0; count < kMostSteps; ++count) {
      const auto there = look_at(inside, direction, pull);
      if (!there) return std::nullopt;
      if (there->beyond >= 0) return root(inside, *there, direction);
      inside = *there;
      pull *= std::clamp(1.05 * reach_ / (there->beyond + reach_), 1.2, 8.0);
    }
    return std::nullopt;
  }

 private:
  static constexpr double kStiffness = 30;  ///< Weight of the pull, times the curve's variance.
  static constexpr int kMostSteps = 60;
  static constexpr double kTolerance = 1e-4;  ///< Of the reach.

  struct Place {
    double pull;
    double beyond;  ///< The root of the excess residual sum of squares over sigma, minus the reach.
    double log_curve;
    SmallVector theta;
  };

  std::span<const double> used(const SmallVector& theta) const {
    return std::span(theta).first(fit_.parameters.size());
  }

  std::optional<Place> look_at(const Place& near, int direction, double pull) {
    pulled_.mean.back() = log_curve_ + direction * pull;
    const auto found = descend(pulled_, near.theta, boxes_.front(), Precision::kRss);
    if (!found) return std::nullopt;
    const double excess = rss_at(points_, found->theta) + points_.within - fit_.rss;
    return Place{pull, std::sqrt(std::max(excess, 0.0)) / *fit_.sigma - reach_,
                 fitted_value(points_, cells_.back().x, used(found->theta)), found->theta};
  }

  /// ln of the curve at the edge, by regula falsi with halving (Illinois).
  double root(Place inside, Place outside, int direction) {
    double at_inside = inside.beyond;
    double at_outside = outside.beyond;
    int side = 0;
    for (int count = 0; count < kMostSteps && outside.beyond > kTolerance * reach_; ++count) {
      const double share = -at_inside / (at_outside - at_inside);
      const auto middle =
          look_at(inside, direction, inside.pull + share * (outside.pull - inside.pull));
      if (!middle) break;
      if (std::abs(middle->beyond) <= kTolerance * reach_) return middle->log_curve;
      const int now = middle->beyond < 0 ? -1 : 1;
      (now < 0 ? inside : outside) = *middle;
      (now < 0 ? at_inside : at_outside) = middle->beyond;
      if (now == side) (now < 0 ? at_outside : at_inside) *= 0.5;
      side = now;
      if (outside.pull - inside.pull <= 1e-9 * outside.pull) break;
    }
    return outside.log_curve;
  }

  const Fit& fit_;
  const FitPoints& points_;
  FitPoints pulled_;         ///< The points and the run that pulls.
  std::vector<Cell> cells_;  ///< Its cells.
  SmallVector best_;
  double reach_;
  double variance_ = 0;  ///< Of ln of the curve, over sigma^2.
  double log_curve_ = 0;
  std::vector<Box> boxes_;
};

bool has_region(const Fit& fit, const FitPoints& points) {
  return points.scale == Scale::kLog && fit.se == StandardError::kClassic && fit.sigma &&
         *fit.sigma > 0 && fit.sigma_dof() > 0 && !fit.law->kink() && !fit.law->linear() &&
         is_near_bound(fit);
}

/// The distance of ln of an end from ln of the curve, between its places by the monotone cubic of
/// Fritsch and Carlson (1980), with harmonic means for slopes. Constant beyond the outermost
/// places.
double distance_at(const Fit& fit, double log_x, double BoundCurve::*end) {
  const std::span<const BoundCurve> places = fit.bound_curves;
  const auto place = [&](std::size_t k) { return std::log(places[k].x); };
  const auto height = [&](std::size_t k) {
    return std::abs(std::log(places[k].*end / fit.curve(places[k].x)));
  };
  const auto rise = [&](std::size_t k) {
    return (height(k + 1) - height(k)) / (place(k + 1) - place(k));
  };
  const auto slope = [&](std::size_t k) {
    if (k == 0) return rise(k);
    if (k + 1 == places.size()) return rise(k - 1);
    const double before = rise(k - 1);
    const double after = rise(k);
    return before * after > 0 ? 2 * before * after / (before + after) : 0;
  };
  if (log_x <= place(0)) return height(0);
  std::size_t k = 0;
  while (k + 1 < places.size() && place(k + 1) < log_x) ++k;
  if (k + 1 == places.size()) return height(k);
  const double gap = place(k + 1) - place(k);
  const double s = (log_x - place(k)) / gap;
  return height(k) + s * s * (3 - 2 * s) * (height(k + 1) - height(k)) +
         gap * s * (1 - s) * ((1 - s) * slope(k) - s * slope(k + 1));
}

}  // namespace

void fill_bound_curves(Fit& fit, const FitPoints& points, std::span<const double> x) {
  if (!has_region(fit, points)) return;
  for (const double place : x) {
    Pull pull(fit, points, place);
    const auto lower = pull.furthest(-1);
    const auto upper = pull.furthest(1);
    if (lower && upper) fit.bound_curves.push_back({place, std::exp(*lower), std::exp(*upper)});
  }
}

void fill_bound_curves(Fit& fit, const FitPoints& points) {
  std::vector<double> x{fit.x_min, std::sqrt(fit.x_min * fit.x_max)};
  for (const double times : {1, 2, 4, 8, 32, 128, 1024}) x.push_back(times * fit.x_max);
  fill_bound_curves(fit, points, x);
}

std::optional<Interval> Fit::log_curve_errors(double x) const {
  if (bound_curves.empty()) {
    const auto log = log_curve(x);
    return log && log->se ? std::optional(Interval{*log->se, *log->se}) : std::nullopt;
  }
  const double reach = reach_of(*this);
  return Interval{distance_at(*this, std::log(x), &BoundCurve::lower) / reach,
                  distance_at(*this, std::log(x), &BoundCurve::upper) / reach};
}

}  // namespace scalelaw
