#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Apart from their users, because Eigen's solvers take the compiler seconds in each source.

namespace scalelaw {

/// Eigenvalues of a symmetric matrix, ascending, and its orthonormal eigenvectors.
struct SymmetricEigen {
  std::vector<double> values;
  std::vector<double> vectors;  ///< Column-major: vector k has value k.
};

/// @param matrix  n x n, column-major; only its lower triangle is read.
SymmetricEigen symmetric_eigen(std::span<const double> matrix, std::size_t n);

/// The least singular value of a matrix over the greatest; 0 if all are 0.
///
/// One-sided Jacobi rotations find small values, too, where those of the squared matrix would be
/// rounding (Hestenes 1958).
///
/// @param matrix  Column-major, with at least as many rows as columns.
double least_over_greatest_singular(std::span<const double> matrix, std::size_t columns);

}  // namespace scalelaw
