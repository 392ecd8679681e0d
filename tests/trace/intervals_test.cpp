#include "trace/device_summary.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "scalelaw/base/random.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

TEST(SampleIntervals, HaveTheMedianOfAll) {
  SampleIntervals intervals;
  EXPECT_FALSE(intervals.median_ns());
  for (const int length : {100, 300, 100, 200}) intervals.add(length);
  EXPECT_EQ(intervals.median_ns(), 150);
  intervals.add(200);
  EXPECT_EQ(intervals.median_ns(), 200);
  EXPECT_EQ(intervals.longest_ns(), 300);
}

TEST(SampleIntervals, AddTheEnergyOfThoseThatAreNotTooLong) {
  SampleIntervals intervals;
  intervals.add_both(1'000'000'000, 100);
  intervals.add_both(2'000'000'000, 200);
  intervals.add_both(9'000'000'000, 900);
  const SampleIntervals::Energy energy = intervals.energy_within(2'000'000'000);
  EXPECT_EQ(energy.joules, 300);
  EXPECT_EQ(energy.readings, 2u);
  EXPECT_EQ(energy.gap_s, 9);
}

TEST(SampleIntervals, KeepFewLengthsOfMany) {
  // A million different lengths about 1 s: their median is known to one part in 2^20.
  SampleIntervals intervals;
  RandomStream random(1);
  double joules = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const auto length = static_cast<std::int64_t>(900'000'000 + random.below(200'000'000));
    intervals.add_both(length, 2.5);
    joules += 2.5;
  }
  EXPECT_NEAR(*intervals.median_ns(), 1e9, 2e5);
  EXPECT_EQ(intervals.energy_within(10'000'000'000).joules, joules);
  EXPECT_EQ(intervals.energy_within(10'000'000'000).gap_s, 0);
}

TEST(DeviceSummary, OneReadingOfACounterIsNoEnergy) {
  DeviceSummary summary;
  Sample sample;
  sample.power_w = 100;
  sample.energy_j = 5000;
  summary.add(sample);
  sample.time_ns = 2'000'000'000;
  sample.energy_j = std::numeric_limits<double>::quiet_NaN();
  summary.add(sample);
  EXPECT_EQ(summary.figures().energy_j, 200);  // 100 W for 2 s.
}

TEST(Moments, SumWholeNumbersExactly) {
  Moments moments;
  for (int i = 0; i < 3'000'001; ++i) moments.add(i % 101);
  // The sum of i % 101 over 0 .. 3,000,000, from whole numbers: 149,999,949 and the rest.
  double sum = 0;
  for (int i = 0; i < 3'000'001; ++i) sum += i % 101;
  EXPECT_EQ(moments.mean(), sum / 3'000'001);
  EXPECT_EQ(moments.largest(), 100);
}

TEST(Moments, OfPartsAreThoseOfTheWhole) {
  Moments whole;
  Moments left;
  Moments right;
  for (int i = 0; i < 5000; ++i) {
    const double value = 1e6 + 0.01 * (i * 7919 % 1000);
    whole.add(value);
    (i < 1234 ? left : right).add(value);
  }
  left.merge(right);
  EXPECT_EQ(left.count(), whole.count());
  EXPECT_DOUBLE_EQ(*left.mean(), *whole.mean());
  EXPECT_NEAR(*left.variation() / *whole.variation(), 1, 1e-9);
}

TEST(Moments, AreUndefinedWithoutValuesAndAtMeanZero) {
  Moments moments;
  EXPECT_FALSE(moments.mean());
  EXPECT_FALSE(moments.variation());
  EXPECT_FALSE(moments.largest());
  moments.add(0);
  EXPECT_EQ(moments.mean(), 0);
  EXPECT_FALSE(moments.variation());
}

}  // namespace
}  // namespace scalelaw
