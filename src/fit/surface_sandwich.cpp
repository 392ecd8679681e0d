// The covariance of the parameters of a surface: the sandwich of M-estimates, for independent runs
// and for clusters of runs.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "fit/surface_fit.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/spectra.hpp"

namespace scalelaw {
namespace {

using Matrix = Eigen::MatrixXd;

/// Least singular value of the rows over the largest, with columns of length 1. Below it,
/// parameters cannot be separated.
constexpr double kSingular = 1e-7;

/// n x p: gradients of ln L in the law's working parameters; without the column of E if E is 0.
Matrix rows_of(const SurfaceSolution& solution, std::span<const double> n,
               std::span<const double> d, const Law& law) {
  const SmallVector theta = reported_theta(solution.points, solution.minimum.theta);
  const bool floor = solution.has_floor();
  Matrix rows(static_cast<Eigen::Index>(n.size()), floor ? 5 : 4);
  for (std::size_t i = 0; i < n.size(); ++i) {
    std::array<double, kSurfaceParameters> row{};
    law.gradient(std::array{n[i], d[i]}, std::span(theta).first(kSurfaceParameters),
                 Response::kTime, row);
    Eigen::Index column = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k != kFloor || floor) rows(static_cast<Eigen::Index>(i), column++) = row[k];
    }
  }
  return rows;
}

/// Checks the rank in the centred parameters, whose condition does not depend on the units.
void check_rank(const SurfaceSolution& solution, Matrix rows) {
  const Eigen::Index last = rows.cols() - 2;
  rows.col(last) += solution.points.centre[0] * rows.col(0);
  rows.col(last + 1) += solution.points.centre[1] * rows.col(1);
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

/// Estimates of psi' for each run: 1 within delta if enough residuals lie there. Otherwise they are
/// spread over a wider window, the best one for estimating a density (Hall and Sheather 1988, as
/// Powell does for quantile regression).
std::vector<double> slopes_of_psi(std::span<const double> residuals, double delta, double dof) {
  if (!std::isfinite(delta)) return std::vector<double>(residuals.size(), 1.0);
  const auto n = static_cast<double>(residuals.size());
  std::vector<double> sizes;
  for (const double r : residuals) sizes.push_back(std::abs(r) * std::sqrt(n / dof));
  std::vector<double> sorted = sizes;
  std::sort(sorted.begin(), sorted.end());
  const double scale = sorted[sorted.size() / 2] / 0.6744897501960817;
  constexpr double kNormal = 1.959963984540054;  // For the factors of 95 % intervals.
  const double width = std::cbrt(1.5 / (2 * 3.141592653589793) * kNormal * kNormal / n);
  const double window = std::max(delta, scale * normal_quantile(std::min(0.95, 0.5 + width)));
  std::vector<double> slopes;
  for (const double size : sizes) slopes.push_back(size <= window ? delta / window : 0);
  return slopes;
}

/// The sandwich of M-estimates, J^-1 S J^-1, with J the curvature of the loss.
struct Sandwich {
  Matrix bread;  ///< The inverse J^-1.
  Matrix covariance;
};

/// For independent runs: S is n / (n - p) times the sum of psi^2 g g'.
Sandwich sandwich(const Matrix& rows, std::span<const double> psi, std::span<const double> slopes,
                  double dof) {
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
  const Matrix covariance = Matrix(bread.lazyProduct(filling)).lazyProduct(bread) *
                            (static_cast<double>(rows.rows()) / dof);
  return {bread, 0.5 * (covariance + covariance.transpose())};  // Symmetric to the last bit.
}

/// The 5 x 5 covariance, with zeros for an E that is held at 0.
Covariance covariance_from(const Matrix& matrix) {
  Covariance out;
  const bool floor = matrix.rows() == 5;
  const auto place = [floor](Eigen::Index k) {
    return static_cast<std::size_t>(floor || k < 2 ? k : k + 1);
  };
  for (Eigen::Index j = 0; j < matrix.rows(); ++j) {
    for (Eigen::Index k = 0; k < matrix.rows(); ++k) {
      out.matrix[place(j)][place(k)] = matrix(j, k);
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
Solution linearised(const FitPoints& points, const Matrix& rows, std::span<const double> psi,
                    std::span<const double> slopes) {
  const bool floor = rows.cols() == kSurfaceParameters;
  Solution solution;
  solution.p = kSurfaceParameters;
  solution.on_bound[kFloor] = !floor;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    Eigen::Index column = 0;
    for (std::size_t k = 0; k < kSurfaceParameters; ++k) {
      solution.design.push_back(k == kFloor && !floor ? 0 : rows(i, column++));
    }
  }
  solution.residual.assign(psi.begin(), psi.end());
  for (const double value : psi) solution.rss += value * value;
  orthonormalise(points, solution);  // The rank was checked.
  Matrix inner = Matrix::Zero(kSurfaceParameters, kSurfaceParameters);
  if (!floor) inner(kFloor, kFloor) = 1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Map<const Eigen::VectorXd> q(solution.row(i).data(), kSurfaceParameters);
    inner += slopes[i] * q * q.transpose();
  }
  const Matrix inverse = inner.ldlt().solve(Matrix::Identity(inner.rows(), inner.cols()));
  for (SmallVector& row : solution.back) {
    const Eigen::Map<Eigen::RowVectorXd> values(row.data(), kSurfaceParameters);
    const Eigen::RowVectorXd product = values.lazyProduct(inverse);
    std::copy(product.begin(), product.end(), row.begin());
  }
  return solution;
}

std::optional<Covariance> clustered(const Matrix& rows, std::span<const double> psi,
                                    std::span<const double> slopes,
                                    std::span<const std::uint32_t> cluster, StandardError se) {
  const std::vector<Cell> cells = cells_of(cluster);
  FitPoints points;
  points.cells = cells;
  points.n = cells.size();
  points.mass.assign(cells.size(), 1);
  return covariance_of(points, linearised(points, rows, psi, slopes), se);
}

}  // namespace

SurfaceErrors surface_errors(const SurfaceSolution& solution, std::span<const double> n,
                             std::span<const double> d, std::span<const double> residuals,
                             const FitOptions& options) {
  const Matrix rows = rows_of(solution, n, d, *options.law);
  check_rank(solution, rows);
  const double delta = solution.minimum.exact ? kInfinity : solution.delta;
  const double dof = static_cast<double>(n.size()) - kSurfaceParameters;
  const std::vector<double> slopes = slopes_of_psi(residuals, delta, dof);
  std::vector<double> psi;
  for (const double residual : residuals) psi.push_back(huber(residual, delta).psi);
  const Sandwich independent = sandwich(rows, psi, slopes, dof);
  SurfaceErrors errors{covariance_from(independent.bread), covariance_from(independent.covariance)};
  if (is_clustered(options.se)) {
    errors.covariance = clustered(rows, psi, slopes, solution.points.cluster, options.se);
  }
  return errors;
}

}  // namespace scalelaw
