#pragma once

#include <Eigen/Core>

// Apart from their users, because Eigen's decompositions take the compiler seconds in each unit.

namespace scalelaw {

/// What is left of `y` beside the columns of a matrix, and how many of them are independent.
struct Projection {
  Eigen::VectorXd residual;
  Eigen::Index rank;
};

/// By QR with column pivots.
///
/// @param threshold  A pivot below this share of the greatest is 0; 0: the rounding of the matrix.
Projection project(const Eigen::VectorXd& y, const Eigen::MatrixXd& columns, double threshold = 0);

/// An orthonormal basis of the columns.
Eigen::MatrixXd basis_of(const Eigen::MatrixXd& columns);

}  // namespace scalelaw
