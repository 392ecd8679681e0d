#include "scalelaw/base/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace scalelaw {
namespace {

// The literals come from an independent Python program of the published algorithms.

TEST(Mix64, IsSplitmix64) { EXPECT_EQ(mix64(0), 16294208416658607535u); }

TEST(StableHash, IsTheSameEverywhere) {
  EXPECT_EQ(stable_hash(""), 14087677454934409008u);
  EXPECT_EQ(stable_hash("BERT"), 10937049768765873303u);
  EXPECT_NE(stable_hash("BERT"), stable_hash("bert"));
}

TEST(RandomStream, DrawsTheSameNumbersEverywhere) {
  RandomStream stream(1);
  EXPECT_EQ(stream(), 13817811745958071638u);
  EXPECT_EQ(stream(), 12863168594063500912u);
  EXPECT_EQ(stream(), 15613811969564690596u);
  RandomStream named(1, 2, 3);
  EXPECT_EQ(named(), 7578139684927298657u);
  EXPECT_EQ(named(), 4795676173818301347u);
}

TEST(RandomStream, DrawsTheSameUniformAndNormalNumbersEverywhere) {
  RandomStream uniform(7);
  EXPECT_DOUBLE_EQ(uniform.uniform(), 0.61931968402162929);
  EXPECT_DOUBLE_EQ(uniform.uniform(), 0.01737471100294935);
  RandomStream normal(7);
  EXPECT_DOUBLE_EQ(normal.normal(), 0.9730838931288166);
  EXPECT_DOUBLE_EQ(normal.normal(), 0.10665416731074244);
}

// Shares below the 5, 50 and 95 % points of scipy.stats.chi2.
TEST(RandomStream, ChiSquaredHasItsQuantilesForAnyDegreesOfFreedom) {
  struct Case {
    double dof;
    double points[3];
  };
  for (const Case& one : {Case{0.5, {8.43715084053e-06, 0.0873476047057, 2.42023227489}},
                          Case{3, {0.351846317749, 2.36597388438, 7.81472790325}},
                          Case{200000, {198960.841494, 199999.333334, 201041.432563}}}) {
    RandomStream stream(11);
    constexpr int kDraws = 40000;
    double below[3] = {0, 0, 0};
    for (int i = 0; i < kDraws; ++i) {
      const double draw = stream.chi_squared(one.dof);
      for (int j = 0; j < 3; ++j) below[j] += draw < one.points[j] ? 1.0 / kDraws : 0;
    }
    EXPECT_NEAR(below[0], 0.05, 0.006) << one.dof;
    EXPECT_NEAR(below[1], 0.5, 0.013) << one.dof;
    EXPECT_NEAR(below[2], 0.95, 0.006) << one.dof;
  }
}

TEST(RandomStream, DiffersBySeedStreamAndBlock) {
  std::set<std::uint64_t> first_numbers;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t stream = 0; stream < 30; ++stream) {
      for (std::uint64_t block = 0; block < 30; ++block) {
        first_numbers.insert(RandomStream(seed, stream, block)());
      }
    }
  }
  EXPECT_EQ(first_numbers.size(), 9000u);
}

TEST(RandomStream, UniformNumbersLieInsideTheUnitInterval) {
  RandomStream stream(3);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double u = stream.uniform();
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);  // Five standard errors.
}

TEST(RandomStream, NormalNumbersHaveMeanZeroAndVarianceOne) {
  RandomStream stream(4);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double z = stream.normal();
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / 100'000, 0, 0.016);
  EXPECT_NEAR(squares / 100'000, 1, 0.023);
}

TEST(RandomStream, BelowReachesEveryNumberAndNoMore) {
  RandomStream stream(5);
  std::array<int, 10> hits{};
  for (int i = 0; i < 100'000; ++i) ++hits.at(stream.below(10));
  for (const int count : hits) EXPECT_NEAR(count, 10'000, 500);
  EXPECT_EQ(stream.below(1), 0u);
}

}  // namespace
}  // namespace scalelaw
