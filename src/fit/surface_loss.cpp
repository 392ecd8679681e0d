#include <algorithm>
#include <cmath>

#include "fit/surface_fit.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

SurfaceShares shares_at(const SurfacePoints& points, const SmallVector& theta, double floor,
                        std::size_t i) {
  const double first = std::exp(theta[0] - theta[3] * points.u[i]);
  const double second = std::exp(theta[1] - theta[4] * points.v[i]);
  const double sum = first + second + floor;
  return {first / sum, second / sum, floor / sum, std::log(sum)};
}

/// Gradient of ln L.
std::array<double, kSurfaceParameters> row_of(const SurfacePoints& points,
                                              const SurfaceShares& shares, std::size_t i) {
  return {shares.first, shares.second, shares.floor, -shares.first * points.u[i],
          -shares.second * points.v[i]};
}

}  // namespace

bool ResidualLoss::is_square() const { return std::isinf(delta) && over_penalty == 1; }

ResidualLoss ResidualLoss::in_units_of(double unit) const {
  ResidualLoss out = *this;
  if (scale == Scale::kOriginal) out.delta /= unit;
  return out;
}

LossTerm term_of(double residual, const ResidualLoss& loss) {
  const double size = std::abs(residual);
  const double weight = residual > 0 ? loss.over_penalty : 1;
  if (size <= loss.delta) return {weight * 0.5 * residual * residual, weight * residual, weight};
  return {weight * loss.delta * (size - 0.5 * loss.delta),
          residual > 0 ? weight * loss.delta : -loss.delta, 0};
}

SurfaceLoss::SurfaceLoss(const SurfacePoints& points, const ResidualLoss& loss)
    : points_(&points), loss_(loss.in_units_of(std::exp(points.centre[2]))) {
  if (loss.scale == Scale::kLog) return;
  y_.reserve(points.size());
  for (const double w : points.w) y_.push_back(std::exp(w));
}

std::vector<double> SurfaceLoss::residuals(const SmallVector& theta) const {
  const double floor = std::exp(theta[kFloor]);
  std::vector<double> residuals(points_->size());
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    residuals[i] = run_at(shares_at(*points_, theta, floor, i), i).residual;
  }
  return residuals;
}

double SurfaceLoss::squares_about_mean() const {
  const std::vector<double>& values = y_.empty() ? points_->w : y_;
  const double mean = y_.empty() ? 0 : mean_of(y_);  // Logarithms are centred.
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares;
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
    const SurfaceShares shares = shares_at(*points_, theta, floor, i);
    const Run run = run_at(shares, i);
    const LossTerm term = term_of(run.residual, loss_);
    const double psi = points_->weight[i] * term.psi * run.slope;
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
    const SurfaceShares shares = shares_at(*points_, theta, floor, i);
    const Run run = run_at(shares, i);
    const auto row = row_of(*points_, shares, i);
    const LossTerm term = term_of(run.residual, loss_);
    const double psi = points_->weight[i] * term.psi * run.slope;
    // Second derivatives of the surface are each term times the product of its derivatives; those
    // of its logarithm lack the product of the rows.
    const double products =
        points_->weight[i] * term.slope * run.slope * run.slope - (y_.empty() ? psi : 0.0);
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
    const SurfaceShares shares = shares_at(*points_, theta, 0, i);
    const Run run = run_at(shares, i);
    const LossTerm term = term_of(run.residual, loss_);
    slope += points_->weight[i] * term.psi * run.slope * std::exp(-shares.log_sum);
  }
  return slope;
}

}  // namespace scalelaw
