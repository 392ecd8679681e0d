#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>

#include "fit/bfgs.hpp"
#include "fit/surface_fit.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

constexpr double kRounding = 1e-13;       ///< Residuals of ln y this small are rounding.
constexpr double kNearlyNoSlope = 1e-11;  ///< As SurfaceMinimum::gradient.
/// A floor that has less than this share of the surface at every run may be 0.
constexpr double kSmallFloor = 1e-2;

using StepMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kSurfaceParameters,
                                 kSurfaceParameters>;
using StepVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kSurfaceParameters, 1>;

/// A descent in the free parameters.
class Descent {
 public:
  Descent(const SurfaceLoss& loss, const SmallVector& start, const SurfaceFrame& frame)
      : loss_(loss), theta_(frame.completed(start)), frame_(frame) {
    for (std::size_t k = 0; k < kSurfaceParameters; ++k) {
      if (!frame.is_free(k)) continue;
      free_.push_back(k);
      directions_.push_back(frame.direction(k));
    }
  }

  SurfaceMinimum run(bool is_near) {
    if (is_near) {
      const SmallVector start = theta_;
      for (int step = 0; step < 40 && newton_step(); ++step) {
      }
      const SurfaceMinimum end = minimum();
      if (end.exact || end.gradient < kNearlyNoSlope) return end;
      theta_ = start;
    }
    quasi_newton();
    for (int step = 0; step < 40 && newton_step(); ++step) {
    }
    return minimum();
  }

 private:
  Eigen::Index size() const { return static_cast<Eigen::Index>(free_.size()); }

  void quasi_newton() {
    SmallVector start{};
    for (std::size_t k = 0; k < free_.size(); ++k) start[k] = theta_[free_[k]];
    const SmoothFunction function = [this](const SmallVector& at, SmallVector& gradient) {
      SmallVector all{};
      const double value = loss_.value(theta_at(at), all);
      for (std::size_t k = 0; k < free_.size(); ++k) gradient[k] = along(k, all);
      return value;
    };
    const SmallVector found = bfgs(function, free_.size(), start, inverse_at_start());
    theta_ = theta_at(found);
  }

  /// All parameters for values of the free ones.
  SmallVector theta_at(const SmallVector& values) const {
    SmallVector theta = theta_;
    for (std::size_t k = 0; k < free_.size(); ++k) theta[free_[k]] = values[k];
    return frame_.completed(theta);
  }

  /// The part of a gradient along one free parameter.
  double along(std::size_t free, const SmallVector& gradient) const {
    double sum = 0;
    for (std::size_t k = 0; k < kSurfaceParameters; ++k) {
      if (directions_[free][k] != 0) sum += directions_[free][k] * gradient[k];
    }
    return sum;
  }

  StepMatrix hessian(SmallVector& sizes) const {
    SmallMatrix all{};
    loss_.curvature(theta_, all, sizes);
    StepMatrix out(size(), size());
    for (Eigen::Index k = 0; k < size(); ++k) {
      SmallVector moved{};
      for (std::size_t i = 0; i < kSurfaceParameters; ++i) {
        moved[i] = along(static_cast<std::size_t>(k), all[i]);
      }
      for (Eigen::Index j = 0; j < size(); ++j) {
        out(j, k) = along(static_cast<std::size_t>(j), moved);
      }
    }
    return out;
  }

  StepVector gradient(double& value) const {
    SmallVector all{};
    value = loss_.value(theta_, all);
    StepVector out(size());
    for (Eigen::Index k = 0; k < size(); ++k) out(k) = along(static_cast<std::size_t>(k), all);
    return out;
  }

  /// Inverse of the Hessian if that is positive definite; else none, and steps follow the gradient.
  SmallMatrix inverse_at_start() const {
    SmallMatrix out{};
    SmallVector sizes{};
    const Eigen::LLT<StepMatrix> factor(hessian(sizes));
    if (factor.info() != Eigen::Success) return out;
    const StepMatrix inverse = factor.solve(StepMatrix::Identity(size(), size()));
    for (Eigen::Index j = 0; j < size(); ++j) {
      for (Eigen::Index k = 0; k < size(); ++k) {
        out[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)] = inverse(j, k);
      }
    }
    return out;
  }

  double relative(const StepVector& gradient, const SmallVector& sizes) const {
    double largest = 0;
    for (Eigen::Index k = 0; k < size(); ++k) {
      double terms = 0;
      for (std::size_t i = 0; i < kSurfaceParameters; ++i) {
        terms += std::abs(directions_[static_cast<std::size_t>(k)][i]) * sizes[i];
      }
      if (terms > 0) largest = std::max(largest, std::abs(gradient(k)) / terms);
    }
    return largest;
  }

  /// Takes a damped step. False if it lowers neither the value nor, if rounding hides that, the
  /// gradient.
  bool newton_step() {
    double value = 0;
    SmallVector sizes{};
    const StepVector slope = gradient(value);
    const StepMatrix second = hessian(sizes);
    const double before = relative(slope, sizes);
    if (!(before > 1e-14)) return false;
    const SmallVector origin = theta_;
    for (double damping : {0.0, 1e-4, 1e-2, 1.0}) {
      StepMatrix damped = second;
      damped.diagonal() += damping * second.diagonal().cwiseAbs();
      const Eigen::LLT<StepMatrix> factor(damped);
      if (factor.info() != Eigen::Success) continue;
      const StepVector way = factor.solve(slope);
      for (Eigen::Index k = 0; k < size(); ++k)
        theta_[free_[static_cast<std::size_t>(k)]] -= way(k);
      theta_ = frame_.completed(theta_);
      double there = 0;
      const StepVector slope_there = gradient(there);
      const double margin = 1e-14 * std::abs(value);
      if (there < value - margin) return true;
      if (there <= value + margin && relative(slope_there, sizes) < 0.5 * before) return true;
      theta_ = origin;
    }
    return false;
  }

  SurfaceMinimum minimum() const {
    SurfaceMinimum out;
    SmallVector sizes{};
    out.theta = theta_;
    const StepVector slope = gradient(out.value);
    const Eigen::LLT<StepMatrix> factor(hessian(sizes));
    out.gradient = relative(slope, sizes);
    out.change = kInfinity;
    if (factor.info() == Eigen::Success && size() > 0) {
      const StepVector step = factor.solve(slope);
      out.change = std::min(0.5 * slope.dot(step) / out.value, step.cwiseAbs().maxCoeff());
    }
    const std::vector<double> residuals = loss_.residuals(theta_);
    out.exact = std::ranges::all_of(residuals,
                                    [](double residual) { return std::abs(residual) < kRounding; });
    return out;
  }

  const SurfaceLoss& loss_;
  SmallVector theta_;
  const SurfaceFrame& frame_;
  std::vector<std::size_t> free_;        ///< The parameters that move,
  std::vector<SmallVector> directions_;  ///< and all that move with each.
};

/// Descends by BFGS from `start`, then by Newton steps as long as they help; near a minimum first
/// by Newton steps alone.
SurfaceMinimum descend(const SurfaceLoss& loss, const SmallVector& start, const SurfaceFrame& frame,
                       bool is_near) {
  return Descent(loss, start, frame).run(is_near);
}

/// Descends, and if E goes to 0 also along the edge.
SurfaceMinimum descend_with_edge(const SurfaceLoss& loss, const SmallVector& start,
                                 const SurfaceFrame& frame, bool is_near) {
  if (!frame.is_free(kFloorPlace)) return descend(loss, start, frame, is_near);
  std::optional<SurfaceMinimum> inside;
  SmallVector at_edge = start;
  if (start[kFloorPlace] != -kInfinity) {
    inside = descend(loss, start, frame, is_near);
    if (loss.share_of_floor(inside->theta) > kSmallFloor) return *inside;
    at_edge = inside->theta;
  }
  at_edge[kFloorPlace] = -kInfinity;
  const SurfaceMinimum edge =
      descend(loss, at_edge, frame.holding(kFloorPlace, -kInfinity), is_near);
  if (loss.slope_of_floor(edge.theta) >= 0) {
    return inside && inside->value < edge.value * (1 - 1e-12) ? *inside : edge;
  }
  if (inside) return *inside;
  SmallVector off_edge = edge.theta;
  off_edge[kFloorPlace] = std::log(kSmallFloor);
  return descend(loss, off_edge, frame, false);
}

}  // namespace

SurfaceFrame::SurfaceFrame(const Law& law, const std::array<double, 3>& centre) : centre_(centre) {
  const SurfaceForm& form = form_of(law);
  for (std::size_t k = 0; k < kSurfaceParameters; ++k) leader_[k] = k;
  if (form.one_exponent) leader_[4] = 3;
  for (std::size_t k = 5; k < kSurfaceParameters; ++k) fixed_[k] = 0;
  for (std::size_t k = 0; k < form.parameters; ++k) {
    const ParameterSpec& spec = law.parameters()[k];
    const Constraint held = law.constraint(k);
    range_[k] = {spec.lower, spec.upper};
    leader_[k] = held.equal_to.value_or(k);
    fixed_[k].reset();
    if (held.value) fixed_[k] = in_descent(k, spec.lower);
  }
}

double SurfaceFrame::in_descent(std::size_t k, double value) const {
  if (k > kFloorPlace) return value;
  return (k == kFloorPlace ? std::log(value) : value) - centre_[2];
}

SurfaceFrame SurfaceFrame::holding(std::size_t parameter, double value) const {
  SurfaceFrame held = *this;
  held.fixed_[parameter] = value;
  return held;
}

SmallVector SurfaceFrame::completed(SmallVector theta) const { return completed(theta, 1); }

SmallVector SurfaceFrame::direction(std::size_t parameter) const {
  SmallVector unit{};
  unit[parameter] = 1;
  return completed(unit, 0);
}

/// @param offsets  1 for all parameters, 0 for how they move with the free ones.
SmallVector SurfaceFrame::completed(SmallVector theta, double offsets) const {
  for (const std::size_t k : {3, 4, 2, 5, 6}) {
    if (fixed_[k]) theta[k] = offsets != 0 ? *fixed_[k] : 0;
  }
  for (const std::size_t k : {3, 4, 5, 6}) theta[k] = theta[leader_[k]];
  for (const std::size_t k : {0, 1}) {
    if (fixed_[k]) theta[k] = offsets * *fixed_[k] - centre_[k] * theta[3 + k];
  }
  for (const std::size_t k : {0, 1}) {
    const std::size_t leader = leader_[k];
    if (leader == k) continue;
    theta[k] = theta[leader] + centre_[leader] * theta[3 + leader] - centre_[k] * theta[3 + k];
  }
  return theta;
}

std::optional<std::pair<std::size_t, double>> SurfaceFrame::farthest_outside(
    const SmallVector& theta) const {
  std::optional<std::pair<std::size_t, double>> farthest;
  double most = 0;
  for (std::size_t k = 0; k < kSurfaceParameters; ++k) {
    if (!is_free(k)) continue;
    const double value = k > kFloorPlace    ? theta[k]
                         : k == kFloorPlace ? std::exp(theta[k] + centre_[2])
                                            : theta[k] + centre_[k] * theta[3 + k] + centre_[2];
    const double end = std::clamp(value, range_[k].lower, range_[k].upper);
    const double outside = std::abs(value - end) / std::max(1e-3, std::abs(end));
    if (!(outside > most)) continue;
    most = outside;
    farthest = {k, in_descent(k, end)};
  }
  return farthest;
}

SurfaceMinimum descend_in_frame(const SurfaceLoss& loss, const SmallVector& start,
                                const SurfaceFrame& frame, bool is_near) {
  SurfaceMinimum found = descend_with_edge(loss, start, frame, is_near);
  SurfaceFrame narrowed = frame;
  std::array<bool, kSurfaceParameters> at_end{};
  while (const auto outside = narrowed.farthest_outside(found.theta)) {
    narrowed = narrowed.holding(outside->first, outside->second);
    at_end[outside->first] = true;
    found = descend_with_edge(loss, found.theta, narrowed, is_near);
  }
  found.at_end = at_end;
  return found;
}

}  // namespace scalelaw
