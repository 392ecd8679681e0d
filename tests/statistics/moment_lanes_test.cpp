#include "statistics/moment_lanes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

void expect_same_bits(const Moments& lane, const Moments& alone) {
  const Moments::State a = lane.state();
  const Moments::State b = alone.state();
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.largest, b.largest);
  EXPECT_EQ(a.sum, b.sum);
  EXPECT_EQ(a.squares, b.squares);
}

TEST(MomentLanes, AddAsMomentsDoWhereEachInstantHasTheSameQuantities) {
  RandomStream random(3);
  MomentLanes lanes;
  std::array<Moments, 4> alone;
  for (int i = 0; i < 5000; ++i) {
    const std::array<double, 4> values = {random.uniform() * 100, kMissing,
                                          -40000 * random.uniform(), 250 + random.uniform()};
    lanes.add(values[0], values[1], values[2], values[3]);
    for (std::size_t lane = 0; lane < 4; ++lane) {
      if (!std::isnan(values[lane])) alone[lane].add(values[lane]);
    }
  }
  for (std::size_t lane = 0; lane < 4; ++lane) {
    SCOPED_TRACE(lane);
    EXPECT_EQ(lanes.count(lane), lane == 1 ? 0u : 5000u);
    expect_same_bits(lanes.of(lane), alone[lane]);
  }
  EXPECT_EQ(lanes.of(1).mean(), std::nullopt);
}

TEST(MomentLanes, AQuantityMayBeginLateAndBeMissingAtTimes) {
  RandomStream random(4);
  MomentLanes lanes;
  std::array<Moments, 4> alone;
  for (int i = 0; i < 3000; ++i) {
    std::array<double, 4> values{};
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const bool is_measured = i >= 7 * static_cast<int>(lane) && random.below(3) != 0;
      values[lane] = is_measured ? 1 + static_cast<double>(random.below(1000)) : kMissing;
      if (is_measured) alone[lane].add(values[lane]);
    }
    lanes.add(values[0], values[1], values[2], values[3]);
  }
  // Whole numbers add exactly in blocks of any size.
  for (std::size_t lane = 0; lane < 4; ++lane) {
    SCOPED_TRACE(lane);
    expect_same_bits(lanes.of(lane), alone[lane]);
  }
}

}  // namespace
}  // namespace scalelaw
