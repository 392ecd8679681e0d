#include "runs/cell_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "runs/fixed_log.hpp"
#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

__extension__ using Quad = __float128;

/// A cell and its pool.
struct Sums {
  CellSums cell;
  std::vector<ScaledSums> pool;

  void add(double value, bool logarithmic) {
    static const FixedLog log;
    cell.add(value, logarithmic ? log(value) : 0, pool);
  }
  void merge(const Sums& other) { cell.merge(other.cell, other.pool, pool); }
  Cell finished() const { return cell.cell(8, pool); }
};

Sums sums_of(const std::vector<double>& values, bool logarithmic = false) {
  Sums sums;
  for (const double value : values) sums.add(value, logarithmic);
  return sums;
}

/// Moments from two passes with 113 bits.
struct Exact {
  Quad mean = 0;
  Quad ss = 0;

  explicit Exact(const std::vector<double>& values) {
    for (const double value : values) mean += value;
    mean /= static_cast<Quad>(values.size());
    for (const double value : values) ss += (value - mean) * (value - mean);
  }
};

double relative_error(double value, Quad exact) {
  if (exact == 0) return std::fabs(value);
  const Quad error = (value - exact) / exact;
  return static_cast<double>(error < 0 ? -error : error);
}

constexpr double kHalfUlp = 0x1p-53;

/// Expects both figures to be correctly rounded doubles, except for the second rounding of long
/// double.
void expect_exact(const std::vector<double>& values) {
  const Cell cell = sums_of(values).finished();
  const Exact exact(values);
  EXPECT_EQ(cell.count, values.size());
  EXPECT_LE(relative_error(cell.mean, exact.mean), 1.01 * kHalfUlp);
  EXPECT_LE(relative_error(cell.ss, exact.ss), 1.01 * kHalfUlp);
  EXPECT_EQ(cell.min, *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(cell.max, *std::max_element(values.begin(), values.end()));
}

std::vector<double> random_values(std::size_t count, std::uint64_t seed,
                                  const std::function<double(RandomStream&)>& draw) {
  RandomStream random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = draw(random);
  return values;
}

TEST(CellSums, MeanAndScatterAreExactForAnySize) {
  for (const std::size_t count : {2u, 3u, 10u, 100u, 1000u, 10000u}) {
    expect_exact(random_values(count, count, [](RandomStream& r) { return std::exp(r.normal()); }));
    expect_exact(random_values(count, count, [](RandomStream& r) { return r.normal(); }));
  }
}

TEST(CellSums, ALargeShiftCostsNoDigits) {
  for (const double shift : {1e4, 1e8, -1e8, 1e12, 0x1p52}) {
    for (const std::size_t count : {2u, 17u, 10000u}) {
      expect_exact(
          random_values(count, count, [&](RandomStream& r) { return shift + r.normal(); }));
    }
  }
}

TEST(CellSums, ValuesOfAllMagnitudesAreExact) {
  for (const double spread : {5.0, 50.0, 100.0}) {
    expect_exact(
        random_values(1000, 1, [&](RandomStream& r) { return std::exp(spread * r.normal() / 3); }));
    expect_exact(random_values(1000, 2, [&](RandomStream& r) {
      return std::exp(spread * r.normal() / 3) * (r.below(2) == 0 ? -1 : 1);
    }));
  }
}

TEST(CellSums, ASmallNumberIsNotLostBesideALargeOne) {
  const Cell cell = sums_of({1e300, 1e-300, -1e300}).finished();
  EXPECT_EQ(cell.mean, 1e-300 / 3);
  EXPECT_EQ(cell.min, -1e300);
  EXPECT_EQ(cell.max, 1e300);
}

TEST(CellSums, ValuesOfOneMagnitudeShareTheirSums) {
  std::vector<ScaledSums> pool;
  CellSums sums;
  for (const double value : {1e20, 1e-20, 1.0, 1e-20, 1.0, 1e20, 1e-20}) sums.add(value, 0, pool);
  EXPECT_EQ(pool.size(), 2U);  // The first magnitude needs no place of its own.
}

TEST(CellSums, NegativeValuesAndZeroAreExact) {
  const Cell cell = sums_of({-3, 0, 0, 5, -2}).finished();
  EXPECT_EQ(cell.mean, 0);
  EXPECT_EQ(cell.ss, 38);
  EXPECT_EQ(cell.min, -3);
  EXPECT_EQ(cell.max, 5);
  const Cell zeros = sums_of({0, 0, 0}).finished();
  EXPECT_EQ(zeros.mean, 0);
  EXPECT_EQ(zeros.ss, 0);
}

TEST(CellSums, EqualValuesHaveNoScatterAtAll) {
  for (const double value : {0.1, 1e8 + 0.1, 3e-310, 1.7e308, -7.3}) {
    const Cell cell = sums_of(std::vector(1000, value)).finished();
    EXPECT_EQ(cell.mean, value);
    EXPECT_EQ(cell.ss, 0);
  }
  const Cell cell = sums_of(std::vector(1000, 0.1), true).finished();
  EXPECT_EQ(cell.ss_log, 0);
}

TEST(CellSums, SubnormalNumbersAreExact) {
  const double least = std::numeric_limits<double>::denorm_min();
  const Cell cell = sums_of({least, 3 * least}).finished();
  EXPECT_EQ(cell.mean, 2 * least);
  EXPECT_EQ(cell.ss, 0);  // Below the range of double.
}

TEST(CellSums, OneValueIsItself) {
  const Cell cell = sums_of({12.5}, true).finished();
  EXPECT_EQ(cell.x, 8);
  EXPECT_EQ(cell.count, 1u);
  EXPECT_EQ(cell.mean, 12.5);
  EXPECT_EQ(cell.ss, 0);
  EXPECT_DOUBLE_EQ(cell.mean_log, 2.5257286443082556);
  EXPECT_EQ(cell.ss_log, 0);
  EXPECT_EQ(cell.min, 12.5);
  EXPECT_EQ(cell.max, 12.5);
}

TEST(CellSums, LogarithmsOfShiftedTimesKeepTheirDigits) {
  // ln t is near 18.4 with a scatter of 1e-4, of which a unit of 2^-53 is 1e-12.
  for (const std::size_t count : {3u, 100u, 10000u}) {
    const std::vector<double> values = random_values(
        count, count, [](RandomStream& r) { return 1e8 * std::exp(1e-4 * r.normal()); });
    const Cell cell = sums_of(values, true).finished();
    long double mean = 0;
    for (const double value : values) mean += std::log(static_cast<long double>(value));
    mean /= static_cast<long double>(count);
    long double ss = 0;
    for (const double value : values)
      ss += std::pow(std::log(static_cast<long double>(value)) - mean, 2.0L);
    EXPECT_NEAR(cell.mean_log, static_cast<double>(mean), 4e-15);
    EXPECT_NEAR(cell.ss_log / static_cast<double>(ss), 1, 1e-11);
  }
}

void expect_same_bits(const Cell& a, const Cell& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.ss, b.ss);
  EXPECT_EQ(a.mean_log, b.mean_log);
  EXPECT_EQ(a.ss_log, b.ss_log);
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
}

TEST(CellSums, MergingInAnyOrderAndSplitGivesTheSameBits) {
  for (const double spread : {0.1, 3.0, 60.0}) {
    std::vector<double> values =
        random_values(2000, 3, [&](RandomStream& r) { return std::exp(spread * r.normal()); });
    const Cell expected = sums_of(values, true).finished();
    RandomStream random(4);
    for (int repeat = 0; repeat < 50; ++repeat) {
      for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[random.below(static_cast<std::uint32_t>(i))]);
      }
      // Parts have random sizes, some are empty, and the order of merging is random.
      std::vector<Sums> parts(1 + random.below(12));
      for (const double value : values) {
        parts[random.below(static_cast<std::uint32_t>(parts.size()))].add(value, true);
      }
      while (parts.size() > 1) {
        const std::size_t to = random.below(static_cast<std::uint32_t>(parts.size() - 1));
        parts[to].merge(parts.back());
        parts.pop_back();
      }
      expect_same_bits(parts.front().finished(), expected);
    }
  }
}

TEST(CellSums, MergingNothingChangesNothing) {
  Sums sums = sums_of({1, 2, 1e9});
  const Cell before = sums.finished();
  sums.merge(Sums());
  expect_same_bits(sums.finished(), before);
  Sums empty;
  empty.merge(sums);
  expect_same_bits(empty.finished(), before);
}

}  // namespace
}  // namespace scalelaw
