#include "scalelaw/replay/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "replay/bandit.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;

/// Runs an exploration in which a size has its cost in `costs`, or fails if that is empty.
std::vector<std::size_t> explored(PruningExploration& exploration,
                                  const std::vector<std::optional<double>>& costs) {
  std::vector<std::size_t> tried;
  while (const auto size = exploration.next()) {
    tried.push_back(*size);
    exploration.report(*size, costs[*size].value_or(1), costs[*size].has_value());
  }
  return tried;
}

TEST(PruningExploration, GoesDownThenUpAndStartsAgainAtTheCheapest) {
  PruningExploration exploration(4, 2);
  EXPECT_THAT(explored(exploration, {4, 2, 3, 5}), ElementsAre(2, 1, 0, 3, 1, 0, 2, 3));
  EXPECT_THAT(exploration.survivors(), ElementsAre(0, 1, 2, 3));
}

TEST(PruningExploration, AFailureEndsItsDirectionAndDropsTheSize) {
  PruningExploration exploration(6, 3);
  EXPECT_THAT(explored(exploration, {1, {}, 3, 2, 4, {}}), ElementsAre(3, 2, 1, 4, 5, 3, 2, 4));
  EXPECT_THAT(exploration.survivors(), ElementsAre(2, 3, 4));
}

TEST(PruningExploration, MayLeaveNothing) {
  PruningExploration exploration(2, 0);
  EXPECT_THAT(explored(exploration, {{}, {}}), ElementsAre(0, 1));
  EXPECT_TRUE(exploration.survivors().empty());
}

TEST(PruningExploration, MayKeepWhatARoundWithoutSuccessWouldDrop) {
  PruningExploration exploration(2, 1, true);
  EXPECT_EQ(exploration.next(), 1u);
  exploration.report(1, 3, true);
  EXPECT_EQ(exploration.next(), 0u);
  exploration.report(0, 9, false);
  EXPECT_EQ(exploration.next(), 1u);  // In the second round, the only survivor fails.
  exploration.report(1, 9, false);
  EXPECT_EQ(exploration.next(), std::nullopt);
  EXPECT_THAT(exploration.survivors(), ElementsAre(1));
}

TEST(PruningExploration, ResultsItDoesNotWaitForAreIgnored) {
  PruningExploration exploration(2, 1);
  EXPECT_EQ(exploration.next(), 1u);
  exploration.report(0, 1, false);
  exploration.report(1, 5, true);
  exploration.report(1, 1, false);
  EXPECT_EQ(exploration.next(), 0u);
}

/// How often each arm is chosen out of 2,000 draws.
std::map<std::size_t, int> choices(BatchSizePolicy& bandit) {
  std::map<std::size_t, int> count;
  for (int i = 0; i < 2000; ++i) ++count[bandit.choose()];
  return count;
}

TEST(GaussianThompson, TriesEveryArmTwiceFirst) {
  const auto random = make_random_source(RandomKind::kScalelaw, 1, RandomUse::kPolicy);
  const auto bandit = make_gaussian_thompson(3, {}, *random);
  std::map<std::size_t, int> count;
  for (int i = 0; i < 6; ++i) {
    const std::size_t arm = bandit->choose();
    EXPECT_EQ(bandit->phase(), Phase::kExploring);
    bandit->observe(arm, {1.0 + static_cast<double>(arm), true});
    ++count[arm];
  }
  EXPECT_THAT(count, ElementsAre(std::pair(0u, 2), std::pair(1u, 2), std::pair(2u, 2)));
  EXPECT_EQ(bandit->choose(), 0u);
  EXPECT_EQ(bandit->phase(), Phase::kSampling);
}

TEST(GaussianThompson, SamplesTheMeanWithTheVarianceOverN) {
  // Arms with costs 8, 12 and 9, 13 have means 10 and 11; each mean has the standard deviation
  // sqrt(4 / 2). The first arm is better with probability Phi(1 / 2) = 0.6915.
  const auto random = make_random_source(RandomKind::kScalelaw, 5, RandomUse::kPolicy);
  const auto bandit = make_gaussian_thompson(2, {}, *random);
  for (const double cost : {8.0, 12.0}) bandit->observe(0, {cost, true});
  for (const double cost : {9.0, 13.0}) bandit->observe(1, {cost, true});
  EXPECT_NEAR(choices(*bandit)[0] / 2000.0, 0.6915, 0.04);
}

TEST(GaussianThompson, APriorDrawsTheMean) {
  PolicySettings settings;
  settings.prior_mean = -1;  // No cost comes near this reward.
  settings.prior_precision = 1e6;
  const auto random = make_random_source(RandomKind::kScalelaw, 5, RandomUse::kPolicy);
  const auto bandit = make_gaussian_thompson(2, settings, *random);
  for (const double cost : {8.0, 12.0}) bandit->observe(0, {cost, true});
  for (const double cost : {90.0, 130.0}) bandit->observe(1, {cost, true});
  EXPECT_NEAR(choices(*bandit)[0] / 2000.0, 0.5, 0.05);
}

TEST(CorrectedThompson, IsLessSureOfTwoCostsThanTheGaussianOne) {
  const auto random = make_random_source(RandomKind::kScalelaw, 9, RandomUse::kPolicy);
  const auto fill = [](BatchSizePolicy& bandit) {
    for (const double cost : {99.0, 101.0}) bandit.observe(0, {cost, true});
    for (const double cost : {101.0, 103.0}) bandit.observe(1, {cost, true});
  };
  const auto paper = make_gaussian_thompson(2, {}, *random);
  const auto corrected = make_corrected_thompson(2, {}, *random);
  fill(*paper);
  fill(*corrected);
  EXPECT_GT(choices(*corrected)[1], choices(*paper)[1]);
}

TEST(CorrectedThompson, AStoppedRunCountsAsDearerThanItsBound) {
  // Arm 1 reached the target once at 90 and was stopped three times at 150. If these counted as
  // costs, its mean would be 135, but stopped runs have no upper end.
  const auto random = make_random_source(RandomKind::kScalelaw, 9, RandomUse::kPolicy);
  const auto bandit = make_corrected_thompson(2, {}, *random);
  for (const double cost : {136.0, 140.0, 138.0, 137.0}) bandit->observe(0, {cost, true});
  bandit->observe(1, {90.0, true});
  for (int i = 0; i < 3; ++i) bandit->observe(1, {150.0, false, 150.0});
  EXPECT_GT(choices(*bandit)[0], 1500);
}

TEST(CorrectedThompson, AnArmThatNeverReachedTheTargetIsNotChosen) {
  const auto random = make_random_source(RandomKind::kScalelaw, 9, RandomUse::kPolicy);
  const auto bandit = make_corrected_thompson(2, {}, *random);
  for (int i = 0; i < 2; ++i) bandit->observe(0, {10.0, false, 10.0});
  for (const double cost : {50.0, 60.0}) bandit->observe(1, {cost, true});
  EXPECT_EQ(choices(*bandit)[1], 2000);
}

TEST(CorrectedThompson, ReadsTheBoundOfAStoppedRunWhateverItIsToldToHaveCost) {
  // In paper mode, a run that could not start counts as cost 0 or as a hundred bounds.
  const auto chosen = [](double told) {
    const auto random = make_random_source(RandomKind::kScalelaw, 9, RandomUse::kPolicy);
    const auto bandit = make_corrected_thompson(2, {}, *random);
    for (const double cost : {136.0, 140.0, 138.0, 137.0}) bandit->observe(0, {cost, true, cost});
    bandit->observe(1, {90.0, true, 90.0});
    bandit->observe(1, {told, false, 150.0});
    return choices(*bandit);
  };
  EXPECT_EQ(chosen(0), chosen(150));
  EXPECT_EQ(chosen(30000), chosen(150));
  EXPECT_GT(chosen(0)[1], 100);
}

// Arm 0 was cheaper than arm 1 for a long time, but its latest ten costs are higher.
TEST(Bandits, AWindowForgetsOldCosts) {
  const auto random = make_random_source(RandomKind::kScalelaw, 9, RandomUse::kPolicy);
  const auto chosen = [](BatchSizePolicy& bandit) {
    for (int i = 0; i < 50; ++i) bandit.observe(0, {i % 2 == 0 ? 99.0 : 101.0, true});
    for (int i = 0; i < 10; ++i) bandit.observe(0, {i % 2 == 0 ? 199.0 : 201.0, true});
    for (int i = 0; i < 60; ++i) bandit.observe(1, {i % 2 == 0 ? 149.0 : 151.0, true});
    return choices(bandit);
  };
  PolicySettings window;
  window.window = 10;
  for (const auto make : {make_gaussian_thompson, make_corrected_thompson}) {
    EXPECT_EQ(chosen(*make(2, {}, *random))[0], 2000);
    EXPECT_EQ(chosen(*make(2, window, *random))[1], 2000);
  }
  EXPECT_EQ(chosen(*make_confidence_bound(2, {}, *random))[0], 2000);
  EXPECT_EQ(chosen(*make_confidence_bound(2, window, *random))[1], 2000);
}

TEST(ConfidenceBound, ReturnsToAnArmThatWasSeldomTried) {
  const auto random = make_random_source(RandomKind::kScalelaw, 1, RandomUse::kPolicy);
  const auto bandit = make_confidence_bound(2, {}, *random);
  for (int i = 0; i < 200; ++i) bandit->observe(0, {i % 2 == 0 ? 9.0 : 11.0, true});
  for (const double cost : {10.5, 11.0}) bandit->observe(1, {cost, true});
  EXPECT_EQ(bandit->choose(), 1u);
}

TEST(UsualLimits, FollowThePolicy) {
  EXPECT_EQ(usual_limits(BatchSizeRule::kDefault), PowerLimitRule::kMaximum);
  EXPECT_EQ(usual_limits(BatchSizeRule::kOracle), PowerLimitRule::kOracle);
  EXPECT_EQ(usual_limits(BatchSizeRule::kGrid), PowerLimitRule::kZeus);
}

}  // namespace
}  // namespace scalelaw
