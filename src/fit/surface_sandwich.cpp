// The covariance of the parameters of a surface: the sandwich of M-estimates, for independent runs
// and for clusters of runs.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <memory>

#include "fit/regression.hpp"
#include "fit/surface_fit.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/spectra.hpp"

namespace scalelaw {
namespace {

using Matrix = Eigen::MatrixXd;

/// Least singular value of the rows over the largest, with columns of length 1. Below it,
/// parameters cannot be separated.
constexpr double kSingular = 1e-7;

/// The parameters that vary, whose columns the design has.
std::vector<std::size_t> columns_of(const SurfaceSolution& solution) {
  std::vector<std::size_t> columns;
  for (std::size_t k = 0; k < solution.law->parameters().size(); ++k) {
    if (solution.varies(k)) columns.push_back(k);
  }
  return columns;
}

Matrix columns_of(const Matrix& rows, std::span<const std::size_t> columns) {
  Matrix out(rows.rows(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    out.col(static_cast<Eigen::Index>(k)) = rows.col(static_cast<Eigen::Index>(columns[k]));
  }
  return out;
}

/// n x p: gradients of ln L, or of L, in the law's working parameters.
Matrix rows_of(const SurfaceSolution& solution, const SurfaceScales& scales) {
  const Law& law = *solution.law;
  const std::size_t p = law.parameters().size();
  const SmallVector theta = reported_theta(solution.points, solution.minimum.theta);
  Matrix rows(static_cast<Eigen::Index>(scales.size()), static_cast<Eigen::Index>(p));
  for (std::size_t i = 0; i < scales.size(); ++i) {
    SurfaceRow row{};
    const std::array x = scales.at(i);
    const double eta = law.gradient(std::span(x).first(law.inputs()), std::span(theta).first(p),
                                    Response::kTime, row);
    const double slope = solution.loss.scale == Scale::kLog ? 1 : std::exp(eta);
    for (std::size_t k = 0; k < p; ++k) {
      rows(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = slope * row[k];
    }
  }
  return rows;
}

/// The rows in the centred parameters that vary, whose condition does not depend on the units: an
/// exponent then moves the prefactor of its term, if that is free.
Matrix centred_rows(const SurfaceSolution& solution, Matrix rows) {
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    const std::size_t own = solution.points.form.exponent(k);
    const std::size_t exponent = solution.law->constraint(own).equal_to.value_or(own);
    if (!solution.varies(k) || !solution.varies(exponent)) continue;
    rows.col(static_cast<Eigen::Index>(exponent)) +=
        solution.points.centre[k] * rows.col(static_cast<Eigen::Index>(k));
  }
  return columns_of(rows, columns_of(solution));
}

void check_rank(Matrix rows) {
  for (Eigen::Index k = 0; k < rows.cols(); ++k) {
    const double length = rows.col(k).stableNorm();
    if (length > 0) rows.col(k) /= length;
  }
  const std::span<const double> values(rows.data(), static_cast<std::size_t>(rows.size()));
  if (least_over_greatest_singular(values, static_cast<std::size_t>(rows.cols())) > kSingular)
    return;
  throw FitError(FailureCode::kNotIdentifiable,
                 "the runs do not tell the terms of the law apart: one of them is flat or nothing "
                 "over all runs, so that others take its place");
}

/// The sandwich of M-estimates, J^-1 S J^-1, with J the curvature of the loss.
struct Sandwich {
  Matrix bread;  ///< The inverse J^-1.
  Matrix covariance;
};

/// For independent runs: S is `factor` times the sum of psi^2 g g'.
Sandwich sandwich(const Matrix& rows, std::span<const double> psi, std::span<const double> slopes,
                  double factor) {
  const Eigen::Index p = rows.cols();
  Matrix curvature = Matrix::Zero(p, p);
  Matrix filling = Matrix::Zero(p, p);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Matrix square = rows.row(i).transpose() * rows.row(i);
    curvature += slopes[at] * square;
    filling += psi[at] * psi[at] * square;
  }
  const Matrix bread = curvature.ldlt().solve(Matrix::Identity(p, p));
  // Lazy products, because Eigen's kernels for large matrices take long to compile.
  const Matrix covariance = Matrix(bread.lazyProduct(filling)).lazyProduct(bread) * factor;
  return {bread, 0.5 * (covariance + covariance.transpose())};  // Symmetric to the last bit.
}

/// Residuals of least squares divided by 1 - leverage, because a run that stands alone has a
/// residual near 0 (HC3).
std::vector<double> divided_by_rest(std::vector<double> residuals, const Matrix& centred) {
  // Of a run that fixes a parameter nearly alone, whose residual is rounding.
  constexpr double kLeastRest = 0.01;
  const Matrix inverse = Matrix(centred.transpose().lazyProduct(centred))
                             .ldlt()
                             .solve(Matrix::Identity(centred.cols(), centred.cols()));
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const Eigen::VectorXd row = centred.row(static_cast<Eigen::Index>(i));
    residuals[i] /= std::max(kLeastRest, 1 - row.dot(inverse.lazyProduct(row)));
  }
  return residuals;
}

/// The covariance of all parameters, with zeros for parameters that do not vary.
Covariance covariance_from(const Matrix& matrix, std::span<const std::size_t> columns) {
  Covariance out;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      out.matrix[columns[j]][columns[k]] =
          matrix(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k));
    }
  }
  return out;
}

/// The runs of a surface as points of a least-squares problem.
std::vector<Cell> cells_of(std::span<const std::uint32_t> cluster) {
  std::vector<Cell> cells;
  for (const std::uint32_t index : cluster) cells.push_back({.count = 1, .cluster = index});
  return cells;
}

/// Least squares of the linearised law with psi for residuals, whose coefficients move the
/// estimates by J^-1 R' for rows Q R: so clusters have the covariances that all laws have.
Solution linearised(const FitPoints& points, const Matrix& rows, const SurfaceSolution& surface,
                    std::span<const double> psi, std::span<const double> slopes) {
  Solution solution;
  const std::size_t p = surface.law->parameters().size();
  const auto columns = static_cast<Eigen::Index>(p);
  solution.p = p;
  solution.fitted = surface.law->fitted_parameters();
  for (std::size_t k = 0; k < p; ++k) solution.on_bound[k] = !surface.varies(k);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < p; ++k) {
      solution.design.push_back(surface.varies(k) ? rows(i, static_cast<Eigen::Index>(k)) : 0);
    }
  }
  solution.residual.assign(psi.begin(), psi.end());
  for (const double value : psi) solution.rss += value * value;
  orthonormalise(points, solution);  // The rank was checked.
  Matrix inner = Matrix::Zero(columns, columns);
  for (std::size_t k = 0; k < p; ++k) {
    if (!surface.varies(k)) inner(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(k)) = 1;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Map<const Eigen::VectorXd> q(solution.row(i).data(), columns);
    inner += slopes[i] * q * q.transpose();
  }
  const Matrix inverse = inner.ldlt().solve(Matrix::Identity(inner.rows(), inner.cols()));
  for (SmallVector& row : solution.back) {
    const Eigen::Map<Eigen::RowVectorXd> values(row.data(), columns);
    const Eigen::RowVectorXd product = values.lazyProduct(inverse);
    std::ranges::copy(product, row.begin());
  }
  return solution;
}

/// The linearised problem of a surface.
struct LinearisedSurface {
  std::vector<Cell> cells;
  FitPoints points;
  Solution solution;

  LinearisedSurface(const Matrix& rows, const SurfaceSolution& surface, std::span<const double> psi,
                    std::span<const double> slopes)
      : cells(cells_of(surface.points.cluster)) {
    points.cells = cells;
    points.n = cells.size();
    points.mass.assign(cells.size(), 1);
    solution = linearised(points, rows, surface, psi, slopes);
  }
};

/// psi and its slope for each run.
struct Psi {
  std::vector<double> values;
  std::vector<double> slopes;

  Psi(const SurfaceSolution& solution, std::span<const double> residuals) {
    ResidualLoss loss = solution.loss;
    if (solution.minimum.exact) loss.delta = kInfinity;
    const auto n = static_cast<double>(residuals.size());
    const double dof = n - static_cast<double>(solution.law->fitted_parameters());
    slopes = slopes_of_psi(residuals, loss, n / dof);
    for (const double residual : residuals) values.push_back(term_of(residual, loss).psi);
  }
};

/// The solution behind a fit, whose parameters without errors do not vary.
SurfaceSolution solution_of(const Fit& fit, const SurfaceRuns& runs, const FitOptions& options) {
  SurfaceSolution solution{.law = fit.law,
                           .points = points_of(*fit.law, scales_of(runs), runs.y, runs.cluster),
                           .loss = loss_of(options),
                           .minimum = {}};
  const auto& centre = solution.points.centre;
  const SurfaceForm& form = solution.points.form;
  const auto value = [&fit](std::size_t k) { return fit.parameters[k].estimate; };
  const double alpha = value(form.exponent(0));
  const double beta = value(form.exponent(1));
  solution.minimum.theta = {std::log(value(0)) - alpha * centre[0] - centre[2],
                            std::log(value(1)) - beta * centre[1] - centre[2],
                            std::log(value(2)) - centre[2],
                            alpha,
                            beta,
                            form.repeats ? std::log(value(5)) : 0,
                            form.repeats ? std::log(value(6)) : 0};
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    solution.minimum.at_end[k] = !fit.parameters[k].se;
  }
  return solution;
}

}  // namespace

std::vector<double> slopes_of_psi(std::span<const double> residuals, const ResidualLoss& loss,
                                  double inflation) {
  std::vector<double> slopes;
  for (const double r : residuals) slopes.push_back(r > 0 ? loss.over_penalty : 1);
  const double delta = loss.delta;
  if (!std::isfinite(delta)) return slopes;
  const auto n = static_cast<double>(residuals.size());
  std::vector<double> sizes;
  for (const double r : residuals) sizes.push_back(std::abs(r) * std::sqrt(inflation));
  std::vector<double> sorted = sizes;
  std::ranges::sort(sorted);
  const double scale = sorted[sorted.size() / 2] / 0.6744897501960817;
  constexpr double kNormal = 1.959963984540054;  // For the factors of 95 % intervals.
  const double width = std::cbrt(1.5 / (2 * 3.141592653589793) * kNormal * kNormal / n);
  const double window = std::max(delta, scale * normal_quantile(std::min(0.95, 0.5 + width)));
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    slopes[i] *= sizes[i] <= window ? delta / window : 0;
  }
  return slopes;
}

SurfaceErrors surface_errors(const SurfaceSolution& solution, const SurfaceScales& scales,
                             std::span<const double> residuals, const FitOptions& options) {
  const Matrix rows = rows_of(solution, scales);
  const Matrix centred = centred_rows(solution, rows);
  check_rank(centred);
  const Psi psi(solution, residuals);
  const double dof =
      static_cast<double>(scales.size()) - static_cast<double>(solution.law->fitted_parameters());
  const std::vector<std::size_t> columns = columns_of(solution);
  const bool squares = solution.loss.is_square();
  const Sandwich independent = sandwich(
      columns_of(rows, columns), squares ? divided_by_rest(psi.values, centred) : psi.values,
      psi.slopes, squares ? 1 : static_cast<double>(scales.size()) / dof);
  SurfaceErrors errors{covariance_from(independent.bread, columns),
                       covariance_from(independent.covariance, columns)};
  if (is_clustered(options.se)) {
    const LinearisedSurface linear(rows, solution, psi.values, psi.slopes);
    errors.covariance = covariance_of(linear.points, linear.solution, options.se);
  }
  return errors;
}

std::shared_ptr<const DirectionDof> surface_direction_dof(const Fit& fit, const SurfaceRuns& runs,
                                                          const FitOptions& options) {
  if (fit.se != StandardError::kCr2 || fit.covariance.empty() || !(fit.rss > 0)) return nullptr;
  const SurfaceSolution solution = solution_of(fit, runs, options);
  std::vector<double> residuals =
      SurfaceLoss(solution.points, solution.loss).residuals(solution.minimum.theta);
  for (double& residual : residuals) residual *= solution.unit();
  const Psi psi(solution, residuals);
  const LinearisedSurface linear(rows_of(solution, scales_of(runs)), solution, psi.values,
                                 psi.slopes);
  return std::make_shared<const DirectionDof>(cr2_directions(linear.points, linear.solution));
}

}  // namespace scalelaw
