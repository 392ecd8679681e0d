#include "statistics/projection.hpp"

#include <Eigen/QR>

namespace scalelaw {

Projection project(const Eigen::VectorXd& y, const Eigen::MatrixXd& columns, double threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  if (threshold > 0) qr.setThreshold(threshold);
  qr.compute(columns);
  return {y - columns * qr.solve(y), qr.rank()};
}

Eigen::MatrixXd basis_of(const Eigen::MatrixXd& columns) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), qr.rank());
}

}  // namespace scalelaw
