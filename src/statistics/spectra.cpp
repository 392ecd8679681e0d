#include "statistics/spectra.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace scalelaw {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Rotates two columns so that they are orthogonal. False if they already were.
bool rotate(std::span<double> a, std::span<double> b) {
  const double aa = dot(a, a);
  const double bb = dot(b, b);
  const double ab = dot(a, b);
  if (!(std::abs(ab) > std::numeric_limits<double>::epsilon() * std::sqrt(aa * bb))) return false;
  const double zeta = (bb - aa) / (2 * ab);
  const double tangent = std::copysign(1 / (std::abs(zeta) + std::hypot(1, zeta)), zeta);
  const double cosine = 1 / std::hypot(1, tangent);
  const double sine = cosine * tangent;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double was = a[i];
    a[i] = cosine * was - sine * b[i];
    b[i] = sine * was + cosine * b[i];
  }
  return true;
}

}  // namespace

SymmetricEigen symmetric_eigen(std::span<const double> matrix, std::size_t n) {
  const auto size = static_cast<Eigen::Index>(n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::Map<const Eigen::MatrixXd>(matrix.data(), size, size));
  const Eigen::VectorXd& values = eigen.eigenvalues();
  const Eigen::MatrixXd& vectors = eigen.eigenvectors();
  return {{values.data(), values.data() + n}, {vectors.data(), vectors.data() + n * n}};
}

double least_over_greatest_singular(std::span<const double> matrix, std::size_t columns) {
  std::vector<double> rotated(matrix.begin(), matrix.end());
  const std::size_t rows = matrix.size() / columns;
  const auto column = [&](std::size_t k) { return std::span(rotated).subspan(k * rows, rows); };
  constexpr int kSweeps = 60;  // Far more than any matrix takes.
  bool done = false;
  for (int sweep = 0; sweep < kSweeps && !done; ++sweep) {
    done = true;
    for (std::size_t j = 1; j < columns; ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        if (rotate(column(i), column(j))) done = false;
      }
    }
  }
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (std::size_t k = 0; k < columns; ++k) {
    const double value = std::sqrt(dot(column(k), column(k)));
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  return greatest > 0 ? least / greatest : 0;
}

}  // namespace scalelaw
