#include "runs/fixed_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

/// The error of ln t in units of 2^-53 against long double (64 bits), which itself is exact to a
/// quarter of a unit where ln t is largest.
double error_in_units(const FixedLog& log, double t) {
  const long double exact = std::log(static_cast<long double>(t)) * 0x1p53L;
  return static_cast<double>(std::fabs(static_cast<long double>(log(t)) - exact));
}

/// The worst error of `count` doubles whose bits are uniform between those of two numbers.
double worst_error(double from, double to, int count, std::uint64_t seed) {
  const FixedLog log;
  RandomStream random(seed);
  const auto low = std::bit_cast<std::uint64_t>(from);
  const auto high = std::bit_cast<std::uint64_t>(to);
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    const auto t = std::bit_cast<double>(low + random() % (high - low + 1));
    worst = std::max(worst, error_in_units(log, t));
  }
  return worst;
}

TEST(FixedLog, IsWithinSixTenthsOfAUnitInTheMiddleRange) {
  EXPECT_LE(worst_error(0x1p-60, 0x1p60, 3'000'000, 1), 0.6);
  EXPECT_LE(worst_error(1e-3, 1e6, 2'000'000, 2), 0.6);  // The range of seconds.
  EXPECT_LE(worst_error(0.99, 1.01, 1'000'000, 3), 0.6);
}

TEST(FixedLog, IsWithinTwoUnitsEverywhere) {
  EXPECT_LE(worst_error(std::numeric_limits<double>::denorm_min(),
                        std::numeric_limits<double>::max(), 3'000'000, 4),
            2);
  EXPECT_LE(worst_error(1e-308, 1e-300, 500'000, 5), 2);
  EXPECT_LE(worst_error(1e300, std::numeric_limits<double>::max(), 500'000, 6), 2);
}

TEST(FixedLog, KnowsSubnormalNumbers) {
  EXPECT_LE(
      worst_error(std::numeric_limits<double>::denorm_min(), 0x0.fffffffffffffp-1022, 500'000, 7),
      2);
  const FixedLog log;
  for (double t = std::numeric_limits<double>::denorm_min(); t < 1e-300; t *= 2) {
    EXPECT_LE(error_in_units(log, t), 2) << t;
  }
}

TEST(FixedLog, OfPowersOfTwoIsAMultipleOfLnTwo) {
  const FixedLog log;
  EXPECT_EQ(log(1), 0);
  EXPECT_EQ(log(2), 6243314768165359);
  EXPECT_EQ(log(0.5), -6243314768165359);
  for (int e = -60; e <= 60; ++e) EXPECT_LE(error_in_units(log, std::ldexp(1.0, e)), 0.6) << e;
  for (int e = -1074; e <= 1023; ++e) EXPECT_LE(error_in_units(log, std::ldexp(1.0, e)), 2) << e;
}

TEST(FixedLog, OfNeighboursOfOneIsTheirDistance) {
  const FixedLog log;
  EXPECT_EQ(log(1 + 0x1p-52), 2);
  EXPECT_EQ(log(1 + 0x1p-51), 4);
  EXPECT_EQ(log(1 - 0x1p-53), -1);
  EXPECT_EQ(log(1 - 0x1p-52), -2);
  double above = 1;
  double below = 1;
  for (int i = 0; i < 100'000; ++i) {
    above = std::nextafter(above, 2);
    below = std::nextafter(below, 0);
    ASSERT_LE(error_in_units(log, above), 0.6) << above;
    ASSERT_LE(error_in_units(log, below), 0.6) << below;
  }
}

TEST(FixedLog, IsRightAtTheSeamsOfItsTable) {
  const FixedLog log;
  for (int i = 0; i < 128; ++i) {
    const double seam = 1 + i / 128.0;
    for (const double t : {seam, std::nextafter(seam, 0), std::nextafter(seam, 3)}) {
      EXPECT_LE(error_in_units(log, t), 0.6) << t;
      EXPECT_LE(error_in_units(log, t * 0x1p40), 0.6) << t;
    }
  }
}

TEST(FixedLog, DoesNotFallWhereNumbersGrow) {
  const FixedLog log;
  RandomStream random(8);
  for (int i = 0; i < 500'000; ++i) {
    const double t = std::exp(20 * random.normal());
    ASSERT_LE(log(t), log(std::nextafter(t, INFINITY)) + 1)
        << t;  // Neighbours may differ by less than a unit.
    ASSERT_LT(log(t), log(t * (1 + 0x1p-48))) << t;
  }
}

// Lots of eight, what is left behind them, and lots with a number too small to be normal.
TEST(FixedLog, TakesSeveralWithTheSameBits) {
  const FixedLog log;
  RandomStream random(9);
  for (std::size_t count = 0; count < 2000; ++count) {
    std::vector<double> ts(count % 40);
    for (double& t : ts) t = std::exp((count % 3 == 0 ? 200 : 3) * random.normal());
    if (count % 5 == 0 && !ts.empty())
      ts[ts.size() / 2] = 0x1p-1060 * static_cast<double>(1 + count);
    if (count % 7 == 0 && !ts.empty()) ts.back() = std::numeric_limits<double>::max();
    std::vector<std::int64_t> logs(ts.size());
    log.take(ts.data(), ts.size(), logs.data());
    for (std::size_t i = 0; i < ts.size(); ++i) ASSERT_EQ(logs[i], log(ts[i])) << ts[i];
  }
}

}  // namespace
}  // namespace scalelaw
