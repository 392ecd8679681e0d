#include "scalelaw/fit/least_squares.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <stdexcept>

#include "base/errors.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

using Real = long double;
#ifdef __SIZEOF_FLOAT128__
__extension__ using Wide = __float128;  // 113 bits, for residuals only.
#else
using Wide = long double;
#endif
using LongMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Index = Eigen::Index;

/// The problem with rows times sqrt(weight), and with columns centred and scaled to length 1.
struct Scaled {
  LongMatrix design;
  LongVector y;
  LongVector root_weights;
  LongVector centres;  ///< Weighted column means; 0 without an intercept.
  LongVector scales;
  Real y_centre = 0;
  Real total_weight = 0;
};

void check_sizes(std::size_t n, std::size_t design, std::size_t columns, std::size_t weights) {
  if (design != n * columns)
    throw std::invalid_argument("least_squares: design is not n x columns");
  if (weights != 0 && weights != n) {
    throw std::invalid_argument("least_squares: weights and y differ in size");
  }
}

void check_points(std::size_t n, std::size_t p) {
  if (n >= p && n > 0) return;
  throw fit_error(FailureCode::kTooFewPoints, "{} points are too few to estimate {} parameters", n,
                  p);
}

Scaled scaled(std::span<const double> y, std::span<const double> design, Index columns,
              const LeastSquaresOptions& options) {
  const auto n = static_cast<Index>(y.size());
  Scaled s;
  s.y = Eigen::Map<const Eigen::VectorXd>(y.data(), n).cast<Real>();
  s.design =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          design.data(), n, columns)
          .cast<Real>();
  s.root_weights = LongVector::Ones(n);
  if (!options.weights.empty()) {
    s.root_weights =
        Eigen::Map<const Eigen::VectorXd>(options.weights.data(), n).cast<Real>().cwiseSqrt();
  }
  s.centres = LongVector::Zero(columns);
  s.total_weight = s.root_weights.squaredNorm();
  if (options.intercept) {
    const LongVector weights = s.root_weights.cwiseAbs2();
    s.centres = s.design.transpose() * weights / s.total_weight;
    s.y_centre = weights.dot(s.y) / s.total_weight;
    s.design.rowwise() -= s.centres.transpose();
    s.y.array() -= s.y_centre;
  }
  s.design = s.root_weights.asDiagonal() * s.design;
  s.y = s.root_weights.cwiseProduct(s.y);
  s.scales = s.design.colwise().norm().transpose();
  for (Index j = 0; j < columns; ++j) {
    if (s.scales[j] == 0) s.scales[j] = 1;  // A column without spread; the rank reports it below.
    s.design.col(j) /= s.scales[j];
  }
  return s;
}

/// The original problem, with estimates that are improved in place.
struct Refinement {
  std::span<const double> y;
  std::span<const double> design;
  std::span<const double> weights;
  std::vector<Wide> slopes;
  Wide intercept = 0;

  Wide residual(std::size_t i) const {
    Wide rest = static_cast<Wide>(y[i]) - intercept;
    for (std::size_t j = 0; j < slopes.size(); ++j) {
      rest -= static_cast<Wide>(design[i * slopes.size() + j]) * slopes[j];
    }
    return rest;
  }
  Wide weight(std::size_t i) const { return weights.empty() ? 1 : static_cast<Wide>(weights[i]); }
};

/// Corrected seminormal equations (Bjoerck 1987): solves R'R step = X'r, where wide arithmetic
/// computes the residuals r of the original problem. If residuals are much larger than the
/// estimates (Wampler 5), QR alone leaves the estimates 9 digits.
void refine(Refinement& problem, const Scaled& s, const LongMatrix& inverse_r, bool intercept) {
  const std::size_t columns = problem.slopes.size();
  LongVector gradient(static_cast<Index>(columns));
  std::vector<Wide> sums(columns, 0);
  Wide level = 0;
  for (std::size_t i = 0; i < problem.y.size(); ++i) {
    const Wide pull = problem.weight(i) * problem.residual(i);
    level += pull;
    for (std::size_t j = 0; j < columns; ++j) {
      const Wide centre = s.centres[static_cast<Index>(j)];
      sums[j] += (static_cast<Wide>(problem.design[i * columns + j]) - centre) * pull;
    }
  }
  for (std::size_t j = 0; j < columns; ++j) {
    const auto k = static_cast<Index>(j);
    gradient[k] = static_cast<Real>(sums[j]) / s.scales[k];
  }
  const LongVector step = (inverse_r * (inverse_r.transpose() * gradient)).cwiseQuotient(s.scales);
  if (intercept) problem.intercept += level / static_cast<Wide>(s.total_weight);
  for (std::size_t j = 0; j < columns; ++j) {
    const auto k = static_cast<Index>(j);
    problem.slopes[j] += static_cast<Wide>(step[k]);
    if (intercept)
      problem.intercept -= static_cast<Wide>(step[k]) * static_cast<Wide>(s.centres[k]);
  }
}

/// (X'X)^-1 of the design with its intercept, without centring and scaling.
LongMatrix unscaled_covariance(const Scaled& s, const LongMatrix& inverse_r, bool intercept) {
  LongMatrix slopes = s.scales.cwiseInverse().asDiagonal() * (inverse_r * inverse_r.transpose()) *
                      s.scales.cwiseInverse().asDiagonal();
  if (!intercept) return slopes;
  const Index k = slopes.rows();
  LongMatrix all(k + 1, k + 1);
  all.bottomRightCorner(k, k) = slopes;
  all.block(1, 0, k, 1) = -slopes * s.centres;
  all.block(0, 1, 1, k) = all.block(1, 0, k, 1).transpose();
  all(0, 0) = 1 / s.total_weight + s.centres.dot(slopes * s.centres);
  return all;
}

void fill_uncertainty(LeastSquares& fit, const LongMatrix& covariance) {
  const Index p = covariance.rows();
  const Real variance = static_cast<Real>(fit.rss) / static_cast<Real>(fit.dof);
  fit.sigma = static_cast<double>(std::sqrt(variance));
  for (Index i = 0; i < p; ++i) {
    fit.standard_errors.push_back(static_cast<double>(std::sqrt(variance * covariance(i, i))));
    for (Index j = 0; j < p; ++j) {
      fit.covariance.push_back(static_cast<double>(variance * covariance(i, j)));
    }
  }
}

/// Fills R2 and F from the regression sum of squares, without cancellation.
void fill_explained(LeastSquares& fit, Real explained, std::size_t n, std::size_t columns,
                    bool intercept) {
  if (!(fit.tss > 0)) return;
  const Real unexplained_share = static_cast<Real>(fit.rss) / (explained + fit.rss);
  fit.r2 = static_cast<double>(1 - unexplained_share);
  if (fit.dof <= 0) return;
  const Real total_dof = static_cast<Real>(n) - (intercept ? 1 : 0);
  fit.r2_adjusted =
      static_cast<double>(1 - unexplained_share * total_dof / static_cast<Real>(fit.dof));
  if (columns == 0 || !(fit.rss > 0)) return;
  const auto df1 = static_cast<double>(columns);
  const auto df2 = static_cast<double>(fit.dof);
  fit.f = static_cast<double>(explained / df1 / (static_cast<Real>(fit.rss) / df2));
  fit.f_p = f_p(*fit.f, df1, df2);
}

}  // namespace

LeastSquares least_squares(std::span<const double> y, std::span<const double> design,
                           std::size_t columns, const LeastSquaresOptions& options) {
  const std::size_t n = y.size();
  const std::size_t p = columns + (options.intercept ? 1 : 0);
  check_sizes(n, design.size(), columns, options.weights.size());
  check_points(n, p);
  const auto k = static_cast<Index>(columns);
  const Scaled s = scaled(y, design, k, options);
  const Eigen::ColPivHouseholderQR<LongMatrix> qr(s.design);
  if (qr.rank() < k) {
    throw fit_error(FailureCode::kNotIdentifiable,
                    "the design has rank {} of {}: its columns are collinear",
                    qr.rank() + (options.intercept ? 1 : 0), p);
  }
  const LongMatrix r = qr.matrixR().topLeftCorner(k, k).template triangularView<Eigen::Upper>();
  const LongMatrix inverse_r =
      qr.colsPermutation() *
      LongMatrix(r.template triangularView<Eigen::Upper>().solve(LongMatrix::Identity(k, k)));
  const LongVector start = LongVector(qr.solve(s.y)).cwiseQuotient(s.scales);
  Refinement refined{.y = y,
                     .design = design,
                     .weights = options.weights,
                     .slopes = std::vector<Wide>(start.begin(), start.end()),
                     .intercept = static_cast<Wide>(s.y_centre - start.dot(s.centres))};
  if (!options.intercept) refined.intercept = 0;
  for (int pass = 0; pass < 3; ++pass) refine(refined, s, inverse_r, options.intercept);

  LeastSquares fit;
  fit.dof = static_cast<std::int64_t>(n) - static_cast<std::int64_t>(p);
  fit.tss = static_cast<double>(s.y.squaredNorm());
  if (options.intercept) fit.estimates.push_back(static_cast<double>(refined.intercept));
  LongVector coefficients(k);
  for (std::size_t j = 0; j < columns; ++j) {
    fit.estimates.push_back(static_cast<double>(refined.slopes[j]));
    const auto column = static_cast<Index>(j);
    coefficients[column] = static_cast<Real>(refined.slopes[j]) * s.scales[column];
  }
  Real rss = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto residual = static_cast<Real>(refined.residual(i));
    fit.residuals.push_back(static_cast<double>(residual));
    rss += static_cast<Real>(refined.weight(i)) * residual * residual;
  }
  fit.rss = static_cast<double>(rss);
  const LongMatrix orthonormal = s.design * inverse_r;
  for (Index i = 0; i < static_cast<Index>(n); ++i) {
    const Real level =
        options.intercept ? s.root_weights[i] * s.root_weights[i] / s.total_weight : Real{0};
    fit.leverages.push_back(static_cast<double>(level + orthonormal.row(i).squaredNorm()));
  }
  fill_explained(fit, (s.design * coefficients).squaredNorm(), n, columns, options.intercept);
  if (fit.dof > 0) fill_uncertainty(fit, unscaled_covariance(s, inverse_r, options.intercept));
  return fit;
}

}  // namespace scalelaw
