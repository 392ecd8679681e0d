#include "fit/robust_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scalelaw/fit/robust.hpp"
#include "statistics/quantiles.hpp"

namespace scalelaw {
namespace {

constexpr double kTuning = 1.345;                  ///< 95 % efficiency under normal errors.
constexpr double kNormalMad = 0.6744897501960817;  ///< Third quartile of the standard normal.
constexpr int kMaxSteps = 5000;

/// The residual of point i in units in which all points scatter alike.
double whitened(const FitPoints& points, std::span<const double> residuals, std::size_t i) {
  return std::sqrt(points.cells[i].weight) * residuals[i];
}

double scale_of(const FitPoints& points, std::span<const double> residuals,
                std::vector<double>& sizes) {
  sizes.resize(residuals.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = std::abs(whitened(points, residuals, i));
  }
  const double scale = median_of(sizes) / kNormalMad;
  const double noise = std::sqrt(noise_floor(points, 0) / points.total_mass);
  return scale > noise ? scale : 0;
}

void reweight(FitPoints& points, std::span<const double> residuals, double scale) {
  points.total_mass = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double size = std::abs(whitened(points, residuals, i)) / scale;
    points.mass[i] = points.cells[i].weight * (size <= kTuning ? 1 : kTuning / size);
    points.total_mass += points.mass[i];
  }
}

double relative_change(const SmallVector& before, const SmallVector& after, std::size_t p) {
  double change = 0;
  for (std::size_t k = 0; k < p; ++k) {
    const double size = std::max(std::abs(after[k]), 1e-6);
    change = std::max(change, std::abs(after[k] - before[k]) / size);
  }
  return change;
}

void restore_masses(FitPoints& points) {
  points.total_mass = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    points.mass[i] = points.cells[i].weight;
    points.total_mass += points.mass[i];
  }
}

}  // namespace

void residuals_about(const FitPoints& points, const Solution& solution, const SmallVector& theta,
                     std::vector<double>& residuals) {
  residuals.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    double fitted = 0;
    for (std::size_t k = 0; k < solution.p; ++k) {
      fitted += theta[k] * solution.design[i * solution.p + k];
    }
    residuals[i] = points.mean[i] - fitted;
  }
}

RobustSolution huber_fit(FitPoints& points, Solution& work) {
  thread_local std::vector<double> sizes;
  restore_masses(points);
  solve_linear(points, work);
  RobustSolution fit{.theta = work.theta, .scale = scale_of(points, work.residual, sizes)};
  double change = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMaxSteps && fit.scale > 0 && change > 1e-13; ++step) {
    reweight(points, work.residual, fit.scale);
    solve_linear(points, work);
    change = relative_change(fit.theta, work.theta, work.p);
    fit.theta = work.theta;
    fit.scale = scale_of(points, work.residual, sizes);
  }
  restore_masses(points);
  if (fit.scale > 0 && change > 1e-8) {
    throw FitError(
        FailureCode::kNotConverged,
        "Huber's estimate keeps jumping between two sets of outliers; use --robust theil-sen");
  }
  return fit;
}

RobustSolution theil_sen_fit(const FitPoints& points, const Solution& solution, double confidence) {
  thread_local std::vector<double> slopes;
  thread_local std::vector<double> residuals;
  thread_local std::vector<double> sizes;
  slopes.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) slopes[i] = solution.design[2 * i + 1];
  const TheilSen line = theil_sen(slopes, points.mean, confidence);
  RobustSolution fit{.theta = {line.intercept, line.slope}, .scale = 0, .slope_ci = line.slope_ci};
  residuals_about(points, solution, fit.theta, residuals);
  fit.scale = scale_of(points, residuals, sizes);
  return fit;
}

std::optional<Covariance> huber_covariance(const FitPoints& points, const Solution& ordinary,
                                           const RobustSolution& fit) {
  const auto n = static_cast<double>(points.n);
  const auto p = static_cast<double>(ordinary.p);
  // With fewer than 2p points, a fit can hit over half of them exactly, and the scale falls to 0.
  if (!(n > p) || n < 2 * p || !(fit.scale > 0)) return std::nullopt;
  std::vector<double> residuals;
  residuals_about(points, ordinary, fit.theta, residuals);
  double inside = 0;  // Sum of psi', which is 1 inside and 0 outside.
  double psi_squares = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double size = std::abs(whitened(points, residuals, i)) / fit.scale;
    if (size <= kTuning) inside += 1;
    psi_squares += std::min(size, kTuning) * std::min(size, kTuning);
  }
  const double m = inside / n;
  if (!(m > 0)) return std::nullopt;
  const double correction = 1 + p / n * (m * (1 - m)) / (m * m);
  return Covariance{.matrix = ordinary.even_covariance(correction * correction * psi_squares /
                                                       (n - p) * fit.scale * fit.scale / (m * m))};
}

}  // namespace scalelaw
