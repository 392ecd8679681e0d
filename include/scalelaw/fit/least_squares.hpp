#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace scalelaw {

struct LeastSquaresOptions {
  bool intercept = true;  ///< Put a column of ones before the design.
  std::span<const double>
      weights;  ///< n values > 0, inverse variances up to a factor; if empty, all 1.
};

/// A least-squares solution with its usual figures. p counts the intercept, which comes first.
struct LeastSquares {
  std::vector<double> estimates;        ///< p values.
  std::vector<double> standard_errors;  ///< p values; empty at dof 0.
  std::vector<double> covariance;       ///< p x p, row-major; empty at dof 0.
  std::vector<double> residuals;        ///< n values, in the unit of y, not weighted.
  std::vector<double> leverages;        ///< n values, the diagonal of the hat matrix.
  double rss = 0;                       ///< Weighted residual sum of squares.
  double tss = 0;               ///< Weighted; about the mean with an intercept, else about 0.
  std::int64_t dof = 0;         ///< n - p.
  std::optional<double> sigma;  ///< sqrt(rss / dof).
  std::optional<double> r2;     ///< 1 - rss / tss.
  std::optional<double> r2_adjusted;
  std::optional<double> f;  ///< For all columns but the intercept.
  std::optional<double> f_p;
};

/// Least squares of y on the columns of a design, by column-pivoted Householder QR in long double.
/// Columns are scaled to unit length and, with an intercept, centred first. Neither units nor a
/// large offset of a column then cost digits.
///
/// @param y  n values.
/// @param design  n x columns, row-major.
/// @throws FitError too-few-points if n < p, not-identifiable if the columns are collinear.
/// @throws std::invalid_argument if the sizes do not match.
///
/// Source: Golub & Van Loan, Matrix Computations, 4th ed., sec. 5.5. Checked against NIST StRD
/// (Norris, NoInt1, NoInt2, Longley, Filip, Pontius, Wampler 1-5).
LeastSquares least_squares(std::span<const double> y, std::span<const double> design,
                           std::size_t columns, const LeastSquaresOptions& options = {});

}  // namespace scalelaw
