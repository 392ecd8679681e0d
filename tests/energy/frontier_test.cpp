#include "scalelaw/energy/pareto.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "scalelaw/base/random.hpp"

namespace scalelaw::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Points {
  std::vector<double> a;
  std::vector<double> b;
};

/// Compares every pair of points, as the definition says.
std::vector<std::size_t> frontier_by_pairs(const Points& points) {
  std::vector<std::size_t> frontier;
  for (std::size_t i = 0; i < points.a.size(); ++i) {
    bool dominated = false;
    for (std::size_t j = 0; j < points.a.size(); ++j) {
      const bool no_worse = points.a[j] <= points.a[i] && points.b[j] <= points.b[i];
      const bool better = points.a[j] < points.a[i] || points.b[j] < points.b[i];
      dominated = dominated || (no_worse && better);
    }
    if (!dominated) frontier.push_back(i);
  }
  std::sort(frontier.begin(), frontier.end(), [&](std::size_t i, std::size_t j) {
    return std::tuple(points.a[i], points.b[i], i) < std::tuple(points.a[j], points.b[j], j);
  });
  return frontier;
}

/// Points on a grid, with ties and duplicates; a fine grid has none.
Points random_points(std::size_t count, double grid, RandomStream& stream) {
  Points points;
  for (std::size_t i = 0; i < count; ++i) {
    points.a.push_back(std::floor(grid * stream.uniform()));
    points.b.push_back(std::floor(grid * stream.uniform()));
  }
  return points;
}

TEST(ParetoFrontier, EqualPointsStandOrFallTogether) {
  const std::vector<double> a{3, 1, 2, 1, 3, 2};
  const std::vector<double> b{1, 4, 2, 4, 2, 2};
  EXPECT_THAT(pareto_frontier(a, b), ElementsAre(1, 3, 2, 5, 0));
}

TEST(ParetoFrontier, OneOfTwoThatShareACostIsDominated) {
  EXPECT_THAT(pareto_frontier(std::vector{1.0, 1.0}, std::vector{2.0, 1.0}), ElementsAre(1));
  EXPECT_THAT(pareto_frontier(std::vector{2.0, 1.0}, std::vector{1.0, 1.0}), ElementsAre(1));
}

TEST(ParetoFrontier, NoneOneAndInfinite) {
  EXPECT_THAT(pareto_frontier({}, {}), IsEmpty());
  EXPECT_THAT(pareto_frontier(std::vector{7.0}, std::vector{7.0}), ElementsAre(0));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(pareto_frontier(std::vector{inf, inf, 1.0}, std::vector{inf, 0.0, inf}),
              ElementsAre(2, 1));
  EXPECT_THAT(pareto_frontier(std::vector{inf, inf}, std::vector{inf, inf}), ElementsAre(0, 1));
}

TEST(ParetoFrontier, AgreesWithEveryPairCompared) {
  for (std::size_t round = 0; round < 4000; ++round) {
    RandomStream stream(17, round);
    const double grid = std::vector{2.0, 4.0, 12.0, 100.0, 1e9}[round % 5];
    const Points points = random_points(1 + stream.below(60), grid, stream);
    ASSERT_EQ(pareto_frontier(points.a, points.b), frontier_by_pairs(points)) << "round " << round;
  }
}

TEST(ParetoFrontier, AgreesOnManyPointsToo) {
  for (const double grid : {3.0, 40.0, 1000.0, 1e9}) {
    RandomStream stream(29);
    Points points = random_points(5000, grid, stream);
    ASSERT_EQ(pareto_frontier(points.a, points.b), frontier_by_pairs(points)) << grid;
    for (std::size_t i = 0; i < points.a.size(); i += 7) points.b[i] = grid - points.a[i];
    ASSERT_EQ(pareto_frontier(points.a, points.b), frontier_by_pairs(points)) << grid;
  }
}

TEST(ParetoFrontier, IsTheSameForAnyNumberOfThreads) {
  RandomStream stream(5);
  Points points = random_points(300000, 1000, stream);
  for (std::size_t i = 0; i < points.a.size(); i += 2) points.b[i] = 1000 - points.a[i];
  const auto one = pareto_frontier(points.a, points.b, 1);
  EXPECT_EQ(pareto_frontier(points.a, points.b, 2), one);
  EXPECT_EQ(pareto_frontier(points.a, points.b, 5), one);
}

TEST(ParetoFrontier, RefusesWhatHasNoOrder) {
  EXPECT_THROW(pareto_frontier(std::vector{1.0}, std::vector{std::nan("")}), std::invalid_argument);
  EXPECT_THROW(pareto_frontier(std::vector{1.0}, {}), std::invalid_argument);
}

TEST(DominatedArea, AddsTheStepsUpToTheReference) {
  const std::vector<double> a{1, 2, 4};
  const std::vector<double> b{5, 3, 1};
  const std::vector<std::size_t> frontier{0, 1, 2};
  // 5 x 1 + 4 x 2 + 2 x 2 under (6, 6).
  const DominatedArea area = dominated_area(a, b, frontier, 6, 6);
  EXPECT_DOUBLE_EQ(area.area, 17);
  EXPECT_THAT(area.outline_a, ElementsAre(1, 1, 2, 2, 4, 4, 6));
  EXPECT_THAT(area.outline_b, ElementsAre(6, 5, 5, 3, 3, 1, 1));
}

TEST(DominatedArea, CountsNothingBeyondTheReference) {
  const std::vector<double> a{1, 2, 4};
  const std::vector<double> b{5, 3, 1};
  const std::vector<std::size_t> frontier{0, 1, 2};
  EXPECT_DOUBLE_EQ(dominated_area(a, b, frontier, 4, 5).area, 4);  // (2, 3) alone: 2 x 2.
  EXPECT_DOUBLE_EQ(dominated_area(a, b, frontier, 1, 1).area, 0);
  EXPECT_THAT(dominated_area(a, b, frontier, 1, 1).outline_a, IsEmpty());
}

// tests/energy/oracle/pareto.py: curve().
TEST(EtaRanges, EndWhereNeighboursCostTheSame) {
  const std::vector<double> a{2500, 3000, 3750, 3250, 5000};
  const std::vector<double> b{4000, 3000, 2400, 3100, 2300};
  const auto ranges = eta_ranges(a, b, pareto_frontier(a, b));
  ASSERT_EQ(ranges.size(), 4U);
  EXPECT_EQ(ranges[0].point, 0U);
  EXPECT_EQ(ranges[0].from, 0);
  EXPECT_DOUBLE_EQ(ranges[0].to, 0.3333333333333333);
  EXPECT_DOUBLE_EQ(ranges[1].from, 0.3333333333333333);
  EXPECT_DOUBLE_EQ(ranges[1].to, 0.5555555555555556);
  EXPECT_EQ(ranges[2].point, 2U);
  EXPECT_DOUBLE_EQ(ranges[2].to, 0.9259259259259259);
  EXPECT_EQ(ranges[3].point, 4U);
  EXPECT_EQ(ranges[3].to, 1);
}

TEST(EtaRanges, LeaveOutWhatLiesOnALineOrAboveIt) {
  const std::vector<double> a{1, 2, 3, 1};
  const std::vector<double> b{3, 2, 1, 3};
  const auto ranges = eta_ranges(a, b, pareto_frontier(a, b));
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].point, 3U);  // The last of two equal points.
  EXPECT_EQ(ranges[1].point, 2U);
  EXPECT_DOUBLE_EQ(ranges[1].from, 0.5);
}

TEST(EtaRanges, NameTheLeastCostAtEveryEta) {
  for (std::size_t round = 0; round < 300; ++round) {
    RandomStream stream(23, round);
    const Points points = random_points(1 + stream.below(40), round % 2 == 0 ? 1e6 : 20, stream);
    const auto ranges = eta_ranges(points.a, points.b, pareto_frontier(points.a, points.b));
    ASSERT_EQ(ranges.front().from, 0);
    ASSERT_EQ(ranges.back().to, 1);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      ASSERT_EQ(ranges[i].from, i > 0 ? ranges[i - 1].to : 0);
      ASSERT_LT(ranges[i].from, ranges[i].to);
      for (const double eta : {ranges[i].from, (ranges[i].from + ranges[i].to) / 2, ranges[i].to}) {
        const auto cost = [&](std::size_t j) {
          return eta * points.b[j] + (1 - eta) * points.a[j];
        };
        for (std::size_t j = 0; j < points.a.size(); ++j) {
          ASSERT_LE(cost(ranges[i].point), cost(j) + 1e-9 * (1 + cost(j))) << "round " << round;
        }
      }
    }
  }
}

}  // namespace
}  // namespace scalelaw::test
