#include "scalelaw/judge/history.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

std::vector<HistoryPoint> series(const std::vector<double>& estimates,
                                 const std::vector<double>& errors) {
  std::vector<HistoryPoint> points;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    HistoryPoint point;
    point.estimate = estimates[i];
    if (errors[i] > 0) point.se = errors[i];
    points.push_back(point);
  }
  return points;
}

// By hand: the best split is after the third point, with means 0.9 and 0.6. Squares about them sum
// to 0.04 with 3 degrees of freedom, of which errors of fits explain 0.03: nights add 0.01 / 3.
// Points have the variance 0.04 / 3, the difference 0.04 / 3 * (1 / 3 + 1 / 2) = 1 / 90, and 0.3^2
// * 90 = 8.1.
TEST(ChangePoint, StatisticAndLevelsAreThoseOfTheBestSplit) {
  const auto change =
      change_point(series({0.9, 0.8, 1.0, 0.5, 0.7}, {0.1, 0.1, 0.1, 0.1, 0.1}), {});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->first_after, 3u);
  EXPECT_NEAR(change->before, 0.9, 1e-14);
  EXPECT_NEAR(change->after, 0.6, 1e-14);
  EXPECT_NEAR(change->change, -0.3, 1e-14);
  EXPECT_NEAR(change->night_sd, 0.057735026918962577, 1e-14);
  EXPECT_NEAR(change->statistic, 8.1, 1e-11);
}

// By hand: nights add nothing to the errors of the fits. Weights 4 and 1 before, mean 0.8 + 0.2 * 1
// / 5 = 0.84, variance 1 / 5 + 1 / 1 = 1.2.
TEST(ChangePoint, LevelsAreWeightedByTheStandardErrors) {
  const auto change = change_point(series({0.8, 1.0, 9.0}, {0.5, 1.0, 1.0}), {});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->first_after, 2u);
  EXPECT_NEAR(change->before, 0.84, 1e-14);
  EXPECT_NEAR(change->statistic, 8.16 * 8.16 / 1.2, 1e-9);
}

TEST(ChangePoint, NeedsThreePointsWithStandardErrors) {
  EXPECT_FALSE(change_point(series({1, 2}, {0.1, 0.1}), {}));
  EXPECT_FALSE(change_point(series({1, 2, 3}, {0.1, 0.1, 0}), {}));
}

TEST(ChangePoint, PointsWithoutStandardErrorKeepTheirPlace) {
  const auto change = change_point(series({1, 5, 1, 1, 9, 9}, {0.1, 0, 0.1, 0.1, 0.1, 0.1}), {});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->first_after, 4u);
  EXPECT_LT(change->p, 0.001);
}

/// The share of 1,000 series whose p is at most 0.05. The level falls by `drop` after half of the
/// points; nights differ by `night_sd`.
double rejected(std::size_t points, double dof, double night_sd, double drop = 0) {
  constexpr int kStudies = 1000;
  int count = 0;
  for (int study = 0; study < kStudies; ++study) {
    RandomStream random(99, static_cast<std::uint64_t>(study));
    std::vector<HistoryPoint> history;
    for (std::size_t i = 0; i < points; ++i) {
      HistoryPoint point;
      const double sigma = 0.01;
      const double level = i < points / 2 ? 0.9 : 0.9 - drop;
      point.estimate = level + night_sd * random.normal() + sigma * random.normal();
      point.se = dof > 0 ? sigma * std::sqrt(random.chi_squared(dof) / dof) : sigma;
      if (dof > 0) point.dof = dof;
      history.push_back(point);
    }
    const auto change =
        change_point(history, {.draws = 199, .seed = 3}, static_cast<std::uint64_t>(study));
    if (change->p <= 0.05) ++count;
  }
  return static_cast<double>(count) / kStudies;
}

// The Monte Carlo standard error of 5 % is 0.7 points. By the standard errors alone the test called
// 18 to 62 % of such histories changed.
TEST(ChangePoint, FindsNoChangeInNightsThatDiffer) {
  for (const double night_sd : {0.0, 0.01, 0.02, 0.05}) {
    EXPECT_LT(rejected(5, 3, night_sd), 0.07) << night_sd;
    EXPECT_LT(rejected(10, 3, night_sd), 0.07) << night_sd;
    EXPECT_LT(rejected(20, 25, night_sd), 0.07) << night_sd;
    EXPECT_LT(rejected(20, 0, night_sd), 0.07) << night_sd;
  }
}

TEST(ChangePoint, FindsChangesThatStandOutOfTheNights) {
  EXPECT_GT(rejected(10, 3, 0, 0.05), 0.95);
  EXPECT_GT(rejected(10, 25, 0.02, 0.1), 0.9);
  EXPECT_GT(rejected(20, 25, 0.02, 0.06), 0.9);
}

/// Nights whose fits have few runs err more; the standard errors tell so.
TEST(ChangePoint, ANightWithAGreaterStandardErrorIsNoChange) {
  int count = 0;
  for (std::uint64_t study = 0; study < 1000; ++study) {
    RandomStream random(5, study);
    std::vector<HistoryPoint> history;
    for (int i = 0; i < 12; ++i) {
      const double sigma = i == 11 ? 0.03 : 0.01;
      HistoryPoint& point = history.emplace_back();
      point.estimate = sigma * random.normal();
      point.se = sigma * std::sqrt(random.chi_squared(25) / 25);
      point.dof = 25;
    }
    count += change_point(history, {.draws = 199}, study)->p <= 0.05 ? 1 : 0;
  }
  EXPECT_LT(count, 70);
}

// With levels of 1 and 9 and standard errors of 0.1, no draw without a change comes close.
TEST(ChangePoint, KnowsThatNoDrawWasAsGreat) {
  const auto sure = change_point(series({1, 1, 1, 9, 9, 9}, std::vector(6, 0.1)), {});
  EXPECT_TRUE(sure->at_floor);
  EXPECT_DOUBLE_EQ(sure->p, 0.0001);
  EXPECT_FALSE(change_point(series({1, 1.1, 1, 1.1}, {0.1, 0.1, 0.1, 0.1}), {})->at_floor);
}

TEST(ChangePoint, IsTheSameForTheSameSeed) {
  const auto points = series({0.9, 0.8, 1.0, 0.7}, {0.1, 0.1, 0.1, 0.1});
  EXPECT_EQ(change_point(points, {})->p, change_point(points, {})->p);
}

TEST(ChangePoint, WithoutAsGreatADrawIsOnlyKnownToBeBelowANumberThatIsRoundedUp) {
  ChangePoint change{.p_holm = 1.0 / 300};
  EXPECT_EQ(bound_of_p_holm(change), std::nullopt);
  change.at_floor = true;
  EXPECT_DOUBLE_EQ(bound_of_p_holm(change).value(), 0.0034);
  change.p_holm = 0.0002;
  EXPECT_DOUBLE_EQ(bound_of_p_holm(change).value(), 0.0002);
  change.p_holm = 1;
  EXPECT_EQ(bound_of_p_holm(change), std::nullopt);
}

TEST(AdjustForGroups, IsHolmOverTheGroupsWithATest) {
  std::vector<GroupHistory> groups(3);
  groups[0].change = ChangePoint{.p = 0.03};
  groups[2].change = ChangePoint{.p = 0.01};
  adjust_for_groups(groups);
  EXPECT_DOUBLE_EQ(*groups[0].change->p_holm, 0.03);
  EXPECT_DOUBLE_EQ(*groups[2].change->p_holm, 0.02);
}

}  // namespace
}  // namespace scalelaw
