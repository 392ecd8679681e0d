#include <algorithm>
#include <cmath>

#include "fit/surface_fit.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

constexpr double kRounded = 5e-9;  ///< The rounding of a residual of ln y, 5e-16, over 1e-7.

SurfaceShares shares_of(const SmallVector& theta, double floor, double u, double v) {
  const double first = std::exp(theta[0] - theta[3] * u);
  const double second = std::exp(theta[1] - theta[4] * v);
  const double sum = first + second + floor;
  return {first / sum, second / sum, floor / sum, std::log(sum)};
}

SurfaceShares shares_at(const SurfacePoints& points, const SmallVector& theta, double floor,
                        std::size_t i) {
  if (!points.form.repeats) return shares_of(theta, floor, points.u[i], points.v[i]);
  const RepeatedData at = repeated_data(points.log_scales(i), theta);
  return shares_of(theta, floor, at.log_n, at.log_d);
}

/// Gradient of ln L.
SurfaceRow row_of(const SurfacePoints& points, const SmallVector& theta,
                  const SurfaceShares& shares, std::size_t i) {
  if (!points.form.repeats) {
    return {shares.first, shares.second, shares.floor, -shares.first * points.u[i],
            -shares.second * points.v[i]};
  }
  SurfaceRow row{};
  const LogScales scales = points.log_scales(i);
  fill_gradient(scales, repeated_data(scales, theta), shares.first, shares.second, theta, row);
  row[kFloorPlace] = shares.floor;
  return row;
}

/// Second derivatives of ln L where data are repeated, by central differences of the gradient.
SmallMatrix second_derivatives(const SurfacePoints& points, const SmallVector& theta,
                               std::size_t i) {
  constexpr double kStep = 1e-5;
  const auto row_at = [&](const SmallVector& there) {
    return row_of(points, there, shares_at(points, there, std::exp(there[kFloorPlace]), i), i);
  };
  SmallMatrix out{};
  for (std::size_t k = 0; k < points.form.parameters; ++k) {
    if (std::isinf(theta[k])) continue;  // ln E' of E = 0.
    SmallVector above = theta;
    SmallVector below = theta;
    above[k] += kStep;
    below[k] -= kStep;
    const SurfaceRow upper = row_at(above);
    const SurfaceRow lower = row_at(below);
    for (std::size_t j = 0; j < upper.size(); ++j) out[j][k] = (upper[j] - lower[j]) / (2 * kStep);
  }
  return out;
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
  const double floor = std::exp(theta[kFloorPlace]);
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
  const double floor = std::exp(theta[kFloorPlace]);
  double largest = 0;
  for (std::size_t i = 0; i < points_->size(); ++i) {
    largest = std::max(largest, shares_at(*points_, theta, floor, i).floor);
  }
  return largest;
}

double SurfaceLoss::value(const SmallVector& theta, SmallVector& gradient) const {
  const double floor = std::exp(theta[kFloorPlace]);
  double sum = 0;
  gradient = {};
  for (std::size_t i = 0; i < points_->size(); ++i) {
    const SurfaceShares shares = shares_at(*points_, theta, floor, i);
    const Run run = run_at(shares, i);
    const LossTerm term = term_of(run.residual, loss_);
    const double psi = points_->weight[i] * term.psi * run.slope;
    sum += points_->weight[i] * term.rho;
    if (points_->form.repeats) {
      const SurfaceRow row = row_of(*points_, theta, shares, i);
      for (std::size_t k = 0; k < row.size(); ++k) gradient[k] += psi * row[k];
      continue;
    }
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
  const double floor = std::exp(theta[kFloorPlace]);
  hessian = {};
  size = {};
  for (std::size_t i = 0; i < points_->size(); ++i) {
    const SurfaceShares shares = shares_at(*points_, theta, floor, i);
    const Run run = run_at(shares, i);
    const SurfaceRow row = row_of(*points_, theta, shares, i);
    const LossTerm term = term_of(run.residual, loss_);
    const double psi = points_->weight[i] * term.psi * run.slope;
    // Second derivatives of the surface are each term times the product of its derivatives; those
    // of its logarithm lack the product of the rows.
    const double products =
        points_->weight[i] * term.slope * run.slope * run.slope - (y_.empty() ? psi : 0.0);
    // Residuals are rounded, so a gradient of 1e-7 of these terms is one of rounding or less.
    const double term_size = std::abs(psi) + kRounded * points_->weight[i] * term.slope;
    for (std::size_t j = 0; j < kSurfaceParameters; ++j) {
      size[j] += term_size * std::abs(row[j]);
      for (std::size_t k = 0; k < kSurfaceParameters; ++k)
        hessian[j][k] += products * row[j] * row[k];
    }
    add_curvature_of_terms(theta, shares, psi, i, hessian);
  }
}

/// Adds psi times the second derivatives of L over L.
void SurfaceLoss::add_curvature_of_terms(const SmallVector& theta, const SurfaceShares& shares,
                                         double psi, std::size_t i, SmallMatrix& hessian) const {
  if (points_->form.repeats) {
    const SurfaceRow row = row_of(*points_, theta, shares, i);
    const SmallMatrix second = second_derivatives(*points_, theta, i);
    for (std::size_t j = 0; j < kSurfaceParameters; ++j) {
      for (std::size_t k = 0; k < kSurfaceParameters; ++k) {
        hessian[j][k] += psi * (0.5 * (second[j][k] + second[k][j]) + row[j] * row[k]);
      }
    }
    return;
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
