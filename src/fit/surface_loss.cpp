#include "fit/surface_fit.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-13;  ///< Residuals of ln y this small are rounding.
/// A floor that has less than this share of the surface at every run may be 0.
constexpr double kSmallFloor = 1e-2;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 5, 5>;
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 5, 1>;

/// Shares of the terms in the surface at one run.
struct Shares {
  double first;
  double second;
  double floor;
  double log_sum;
};

Shares shares_at(const SurfacePoints& points, const SmallVector& theta, double floor,
                 std::size_t i) {
  const double first = std::exp(theta[0] - theta[3] * points.u[i]);
  const double second = std::exp(theta[1] - theta[4] * points.v[i]);
  const double sum = first + second + floor;
  return {first / sum, second / sum, floor / sum, std::log(sum)};
}

/// Gradient of ln L.
std::array<double, kSurfaceParameters> row_of(const SurfacePoints& points, const Shares& shares,
                                              std::size_t i) {
  return {shares.first, shares.second, shares.floor, -shares.first * points.u[i],
          -shares.second * points.v[i]};
}

std::vector<std::size_t> indices_of(const FreeParameters& free) {
  std::vector<std::size_t> indices;
  for (std::size_t k = 0; k < free.size(); ++k) {
    if (free[k]) indices.push_back(k);
  }
  return indices;
}

/// A descent in the free parameters.
class Descent {
 public:
  Descent(const SurfaceLoss& loss, const SmallVector& start, const FreeParameters& free)
      : loss_(loss), theta_(start), free_(indices_of(free)) {}

  SurfaceMinimum run() {
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
      SmallVector theta = theta_;
      for (std::size_t k = 0; k < free_.size(); ++k) theta[free_[k]] = at[k];
      SmallVector all{};
      const double value = loss_.value(theta, all);
      for (std::size_t k = 0; k < free_.size(); ++k) gradient[k] = all[free_[k]];
      return value;
    };
    const Minimum found = descend_bfgs(function, free_.size(), start, inverse_at_start());
    for (std::size_t k = 0; k < free_.size(); ++k) theta_[free_[k]] = found.at[k];
  }

  Matrix hessian(SmallVector& sizes) const {
    SmallMatrix all{};
    loss_.curvature(theta_, all, sizes);
    Matrix out(size(), size());
    for (Eigen::Index j = 0; j < size(); ++j) {
      for (Eigen::Index k = 0; k < size(); ++k) {
        out(j, k) = all[free_[static_cast<std::size_t>(j)]][free_[static_cast<std::size_t>(k)]];
      }
    }
    return out;
  }

  Vector gradient(double& value) const {
    SmallVector all{};
    value = loss_.value(theta_, all);
    Vector out(size());
    for (Eigen::Index k = 0; k < size(); ++k) out(k) = all[free_[static_cast<std::size_t>(k)]];
    return out;
  }

  /// Inverse of the Hessian if that is positive definite; else none, and steps follow the gradient.
  SmallMatrix inverse_at_start() const {
    SmallMatrix out{};
    SmallVector sizes{};
    const Eigen::LLT<Matrix> factor(hessian(sizes));
    if (factor.info() != Eigen::Success) return out;
    const Matrix inverse = factor.solve(Matrix::Identity(size(), size()));
    for (Eigen::Index j = 0; j < size(); ++j) {
      for (Eigen::Index k = 0; k < size(); ++k) {
        out[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)] = inverse(j, k);
      }
    }
    return out;
  }

  double relative(const Vector& gradient, const SmallVector& sizes) const {
    double largest = 0;
    for (Eigen::Index k = 0; k < size(); ++k) {
      const double terms = sizes[free_[static_cast<std::size_t>(k)]];
      if (terms > 0) largest = std::max(largest, std::abs(gradient(k)) / terms);
    }
    return largest;
  }

  /// Takes a damped step. Returns whether it lowered the value, or the gradient if rounding hides
  /// that.
  bool newton_step() {
    double value = 0;
    SmallVector sizes{};
    const Vector slope = gradient(value);
    const Matrix second = hessian(sizes);
    const double before = relative(slope, sizes);
    if (!(before > 1e-14)) return false;
    const SmallVector origin = theta_;
    for (double damping : {0.0, 1e-4, 1e-2, 1.0}) {
      Matrix damped = second;
      damped.diagonal() += damping * second.diagonal().cwiseAbs();
      const Eigen::LLT<Matrix> factor(damped);
      if (factor.info() != Eigen::Success) continue;
      const Vector way = factor.solve(slope);
      for (Eigen::Index k = 0; k < size(); ++k)
        theta_[free_[static_cast<std::size_t>(k)]] -= way(k);
      double there = 0;
      const Vector slope_there = gradient(there);
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
    SmallMatrix second{};
    out.theta = theta_;
    const Vector slope = gradient(out.value);
    loss_.curvature(theta_, second, sizes);
    out.gradient = relative(slope, sizes);
    out.exact = true;
    for (std::size_t i = 0; i < loss_.points().size(); ++i) {
      out.exact = out.exact && std::abs(loss_.residual(theta_, i)) < kRounding;
    }
    return out;
  }

  const SurfaceLoss& loss_;
  SmallVector theta_;
  std::vector<std::size_t> free_;
};

/// The largest share of the floor at any run.
double share_of_floor(const SurfacePoints& points, const SmallVector& theta) {
  const double floor = std::exp(theta[kFloor]);
  double largest = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    largest = std::max(largest, shares_at(points, theta, floor, i).floor);
  }
  return largest;
}

}  // namespace

LossTerm huber(double residual, double delta) {
  const double size = std::abs(residual);
  if (size <= delta) return {0.5 * residual * residual, residual, true};
  return {delta * (size - 0.5 * delta), residual > 0 ? delta : -delta, false};
}

double SurfaceLoss::residual(const SmallVector& theta, std::size_t i) const {
  return shares_at(*points_, theta, std::exp(theta[kFloor]), i).log_sum - points_->w[i];
}

double SurfaceLoss::value(const SmallVector& theta, SmallVector& gradient) const {
  const double floor = std::exp(theta[kFloor]);
  double sum = 0;
  gradient = {};
  for (std::size_t i = 0; i < points_->size(); ++i) {
    const Shares shares = shares_at(*points_, theta, floor, i);
    const LossTerm term = huber(shares.log_sum - points_->w[i], delta_);
    const double psi = points_->weight[i] * term.psi;
    sum += points_->weight[i] * term.rho;
    gradient[0] += psi * shares.first;
    gradient[1] += psi * shares.second;
    gradient[2] += psi * shares.floor;
    gradient[3] -= psi * shares.first * points_->u[i];
    gradient[4] -= psi * shares.second * points_->v[i];
  }
  return sum;
}

void SurfaceLoss::curvature(const SmallVector& theta, SmallMatrix& hessian,
                            SmallVector& size) const {
  const double floor = std::exp(theta[kFloor]);
  hessian = {};
  size = {};
  for (std::size_t i = 0; i < points_->size(); ++i) {
    const Shares shares = shares_at(*points_, theta, floor, i);
    const auto row = row_of(*points_, shares, i);
    const LossTerm term = huber(shares.log_sum - points_->w[i], delta_);
    const double weight = points_->weight[i];
    const double psi = weight * term.psi;
    // d2 ln L: each term's share times the product of its derivatives, minus the product of the
    // rows.
    const double products = (term.quadratic ? weight : 0.0) - psi;
    for (std::size_t j = 0; j < kSurfaceParameters; ++j) {
      size[j] += std::abs(psi * row[j]);
      for (std::size_t k = 0; k < kSurfaceParameters; ++k)
        hessian[j][k] += products * row[j] * row[k];
    }
    const double u = points_->u[i];
    const double v = points_->v[i];
    hessian[0][0] += psi * shares.first;
    hessian[0][3] -= psi * shares.first * u;
    hessian[3][0] -= psi * shares.first * u;
    hessian[3][3] += psi * shares.first * u * u;
    hessian[1][1] += psi * shares.second;
    hessian[1][4] -= psi * shares.second * v;
    hessian[4][1] -= psi * shares.second * v;
    hessian[4][4] += psi * shares.second * v * v;
    hessian[2][2] += psi * shares.floor;
  }
}

double SurfaceLoss::slope_of_floor(const SmallVector& theta) const {
  double slope = 0;
  for (std::size_t i = 0; i < points_->size(); ++i) {
    const Shares shares = shares_at(*points_, theta, 0, i);
    const LossTerm term = huber(shares.log_sum - points_->w[i], delta_);
    slope += points_->weight[i] * term.psi * std::exp(-shares.log_sum);
  }
  return slope;
}

SurfaceMinimum descend(const SurfaceLoss& loss, const SmallVector& start,
                       const FreeParameters& free) {
  return Descent(loss, start, free).run();
}

SurfaceMinimum descend_with_edge(const SurfaceLoss& loss, const SmallVector& start,
                                 std::size_t held) {
  FreeParameters free{true, true, true, true, true};
  if (held < kSurfaceParameters) free[held] = false;
  if (!free[kFloor]) return descend(loss, start, free);
  std::optional<SurfaceMinimum> inside;
  SmallVector at_edge = start;
  if (start[kFloor] != -kInfinity) {
    inside = descend(loss, start, free);
    if (share_of_floor(loss.points(), inside->theta) > kSmallFloor) return *inside;
    at_edge = inside->theta;
  }
  at_edge[kFloor] = -kInfinity;
  FreeParameters but_floor = free;
  but_floor[kFloor] = false;
  const SurfaceMinimum edge = descend(loss, at_edge, but_floor);
  if (loss.slope_of_floor(edge.theta) >= 0) {
    return inside && inside->value < edge.value * (1 - 1e-12) ? *inside : edge;
  }
  if (inside) return *inside;
  SmallVector off_edge = edge.theta;
  off_edge[kFloor] = std::log(kSmallFloor);
  return descend(loss, off_edge, free);
}

}  // namespace scalelaw
