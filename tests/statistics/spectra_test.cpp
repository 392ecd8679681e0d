#include "statistics/spectra.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace scalelaw {
namespace {

TEST(SymmetricEigen, ValuesAscendAndVectorsBelongToThem) {
  const SymmetricEigen eigen = symmetric_eigen(std::vector{2.0, 1.0, 1.0, 2.0}, 2);
  EXPECT_NEAR(eigen.values[0], 1, 1e-15);
  EXPECT_NEAR(eigen.values[1], 3, 1e-15);
  EXPECT_NEAR(eigen.vectors[0], -eigen.vectors[1], 1e-15);
  EXPECT_NEAR(eigen.vectors[2], eigen.vectors[3], 1e-15);
}

TEST(LeastOverGreatestSingular, KeepsTheDigitsThatSquaresWouldLose) {
  // Laeuchli's matrix has the singular values sqrt(2 + e^2) and e.
  const double e = 1e-9;
  const std::vector matrix{1.0, e, 0.0, 1.0, 0.0, e};
  EXPECT_NEAR(least_over_greatest_singular(matrix, 2) / (e / std::sqrt(2.0)), 1, 1e-6);
}

TEST(LeastOverGreatestSingular, IsNothingForCollinearColumnsAndForZeros) {
  EXPECT_LT(least_over_greatest_singular(std::vector{1.0, 2.0, 3.0, 2.0, 4.0, 6.0}, 2), 1e-15);
  EXPECT_EQ(least_over_greatest_singular(std::vector{0.0, 0.0, 0.0, 0.0}, 2), 0);
}

}  // namespace
}  // namespace scalelaw
