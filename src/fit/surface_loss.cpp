#include <algorithm>
#include <cmath>

#include "fit/surface_fit.hpp"

namespace scalelaw {
namespace {

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

}  // namespace

LossTerm huber(double residual, double delta) {
  const double size = std::abs(residual);
  if (size <= delta) return {0.5 * residual * residual, residual, true};
  return {delta * (size - 0.5 * delta), residual > 0 ? delta : -delta, false};
}

std::vector<double> SurfaceLoss::residuals(const SmallVector& theta) const {
  const double floor = std::exp(theta[kFloor]);
  std::vector<double> residuals(points_->size());
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    residuals[i] = shares_at(*points_, theta, floor, i).log_sum - points_->w[i];
  }
  return residuals;
}

double SurfaceLoss::share_of_floor(const SmallVector& theta) const {
  const double floor = std::exp(theta[kFloor]);
  double largest = 0;
  for (std::size_t i = 0; i < points_->size(); ++i) {
    largest = std::max(largest, shares_at(*points_, theta, floor, i).floor);
  }
  return largest;
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
    // d2 ln L: each term's share times the product of its derivatives, minus that of the rows.
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

}  // namespace scalelaw
