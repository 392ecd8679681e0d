#include "scalelaw/replay/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "replay/small_trace.hpp"

namespace scalelaw {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

/// Makes the scripted choices and records what it hears.
class Scripted final : public BatchSizePolicy {
 public:
  explicit Scripted(std::vector<std::size_t> sizes) : sizes_(std::move(sizes)) {}
  std::size_t choose() override { return sizes_[std::min(next_++, sizes_.size() - 1)]; }
  void observe(std::size_t, const RunOutcome& outcome) override {
    heard.push_back(outcome.cost);
    heard_at_least.push_back(outcome.at_least);
  }
  Phase phase() const override { return Phase::kFixed; }

  std::vector<double> heard;
  std::vector<double> heard_at_least;

 private:
  std::vector<std::size_t> sizes_;
  std::size_t next_ = 0;
};

Replay replay_scripted(const JobTrace& trace, const ReplaySettings& settings, Scripted& sizes) {
  const auto limits = make_power_limit_policy(settings.policy, trace);
  const auto paths = make_random_source(settings.random, settings.seed, RandomUse::kPaths);
  return replay_job(trace, settings, sizes, *limits, *paths);
}

std::vector<std::int64_t> batch_sizes(const JobTrace& trace, const Replay& replay) {
  std::vector<std::int64_t> out;
  for (const ReplayedRun& run : replay.history) out.push_back(trace.sizes[run.size].batch_size);
  return out;
}

// Computed by hand from the numbers in small_trace.hpp.
TEST(ReplayJob, PrunesDownThenUpTwiceAndSettlesOnTheCheapest) {
  const JobTrace trace = small_trace();
  const Replay replay = replay_job(trace, {});
  EXPECT_EQ(replay.recurrences, 12u);
  EXPECT_THAT(batch_sizes(trace, replay),
              ElementsAre(16, 8, 32, 16, 8, 16, 16, 16, 16, 16, 16, 16, 16));
  EXPECT_EQ(replay.failure, std::nullopt);
}

TEST(ReplayJob, TheFirstEpochOfASizeIsSharedAmongItsLimits) {
  const Replay replay = replay_job(small_trace(), {});
  const ReplayedRun& first = replay.history[0];
  EXPECT_TRUE(first.profiling);
  EXPECT_EQ(first.time_s, 7.5 + 7 * 6);
  EXPECT_EQ(first.energy_j, 885 + 7 * 960);
  EXPECT_EQ(first.cost, 8752.5);
  const ReplayedRun& again = replay.history[3];
  EXPECT_FALSE(again.profiling);
  EXPECT_EQ(again.energy_j, 8 * 960);
}

TEST(ReplayJob, ARunStopsBeforeItCostsMoreThanTheBound) {
  const Replay replay = replay_job(small_trace(), {});
  const ReplayedRun& stopped = replay.history[2];  // 2 * 8752.5 / 950 = 18.4 epochs.
  EXPECT_FALSE(stopped.reached);
  EXPECT_EQ(stopped.epochs, 18);
  EXPECT_EQ(stopped.energy_j, 18 * 900);
  EXPECT_EQ(stopped.recurrence, replay.history[3].recurrence);
}

TEST(ReplayJob, WithoutABoundOnlyTheEpochsEndARun) {
  ReplaySettings settings;
  settings.beta = std::numeric_limits<double>::infinity();
  const Replay replay = replay_job(small_trace(), settings);
  EXPECT_EQ(replay.history[2].epochs, 20);
}

TEST(ReplayJob, PaperModeChargesFailedTriesToTheLeastCost) {
  // Every recurrence begins with the size that fails, and includes its cost.
  Scripted sizes({1, 2, 1});
  const Replay paper = replay_scripted(small_trace(), {.recurrences = 2}, sizes);
  EXPECT_EQ(paper.min_cost, 8752.5);
  EXPECT_THAT(sizes.heard, ElementsAre(8752.5, 17100, 8640));
  EXPECT_THAT(sizes.heard_at_least, ElementsAre(8752.5, 17505, 8640));
  ReplaySettings settings{.recurrences = 2};
  settings.policy.mode = ReplayMode::kCorrected;
  Scripted again({1, 2, 1});
  const Replay corrected = replay_scripted(small_trace(), settings, again);
  EXPECT_EQ(corrected.min_cost, 8640);
  EXPECT_THAT(again.heard, ElementsAre(8752.5, 17505, 8640));  // More than the bound.
}

TEST(ReplayJob, ARunThatCannotStartIsToldButNotRecorded) {
  const std::string power = std::string(kSmallPower) + "d,n,128,o,200,100,200\n";
  const JobTrace trace = join_texts(kSmallTrain, power);  // One epoch of 128 costs 20,000.
  Scripted sizes({1, 3, 1});
  const Replay replay = replay_scripted(trace, {.recurrences = 2}, sizes);
  EXPECT_EQ(replay.history.size(), 2u);
  EXPECT_EQ(replay.not_started, 1u);
  EXPECT_THAT(replay.first_choices, ElementsAre(1, 3));
  EXPECT_THAT(sizes.heard, ElementsAre(8752.5, DoubleEq(100 * 2 * 8752.5), 8640));
  EXPECT_THAT(sizes.heard_at_least, ElementsAre(8752.5, 2 * 8752.5, 8640));
}

TEST(ReplayJob, TheDefaultMustReachTheTarget) {
  Job job = small_job();
  job.default_batch_size = 32;
  const Replay replay = replay_job(join_texts(kSmallTrain, kSmallPower, job), {});
  ASSERT_TRUE(replay.failure);
  EXPECT_EQ(*replay.failure,
            "the default batch size 32 did not reach the target 0.5 within 20 epochs");
  EXPECT_EQ(replay.history.size(), 1u);
}

TEST(ReplayJob, TwentyFailedTriesEndIt) {
  Scripted sizes({1, 2});
  const Replay replay = replay_scripted(small_trace(), {.recurrences = 5}, sizes);
  ASSERT_TRUE(replay.failure);
  EXPECT_EQ(*replay.failure, "recurrence 2: the target was not reached in 20 tries");
  EXPECT_EQ(replay.history.size(), 21u);
}

TEST(ReplayJob, OneRowIsEnough) {
  const JobTrace trace = join_texts(std::string(kTrainHeader) + "d,n,16,o,0.1,1,0.5,8\n",
                                    std::string(kPowerHeader) + "d,n,16,o,200,6,160\n");
  const Replay replay = replay_job(trace, {});
  EXPECT_THAT(batch_sizes(trace, replay), ElementsAre(16, 16));
  EXPECT_THAT(batch_sizes(trace, replay_job(trace, {.recurrences = 1})), ElementsAre(16));
  ReplaySettings longer{.recurrences = 30};
  EXPECT_EQ(replay_job(trace, longer).totals.energy_j, 30 * 8 * 960);
}

TEST(ReplayJob, SettingsOutOfRangeAreRefused) {
  const JobTrace trace = small_trace();
  const auto with = [](double eta, double beta, std::size_t window) {
    ReplaySettings settings;
    settings.policy.eta = eta;
    settings.beta = beta;
    settings.policy.window = window;
    return settings;
  };
  EXPECT_THROW(replay_job(trace, with(-0.1, 2, 0)), std::invalid_argument);
  EXPECT_THROW(replay_job(trace, with(1.1, 2, 0)), std::invalid_argument);
  EXPECT_THROW(replay_job(trace, with(0.5, 0.9, 0)), std::invalid_argument);
  EXPECT_THROW(replay_job(trace, with(0.5, 2, 1)), std::invalid_argument);
  EXPECT_EQ(replay_job(trace, with(0.5, 1, 2)).failure, std::nullopt);
}

TEST(ReplayJob, EveryPolicyRunsTheSameNumberOfRecurrences) {
  for (const BatchSizeRule rule :
       {BatchSizeRule::kZeus, BatchSizeRule::kDefault, BatchSizeRule::kGrid, BatchSizeRule::kOracle,
        BatchSizeRule::kThompson, BatchSizeRule::kUcb, BatchSizeRule::kCorrected}) {
    for (const ReplayMode mode : {ReplayMode::kPaper, ReplayMode::kCorrected}) {
      ReplaySettings settings{.recurrences = 40};
      settings.policy.batch_size = rule;
      settings.policy.power_limit = usual_limits(rule);
      settings.policy.mode = mode;
      settings.random = RandomKind::kScalelaw;
      const Replay replay = replay_job(small_trace(), settings);
      EXPECT_EQ(replay.failure, std::nullopt) << name_of(rule);
      EXPECT_EQ(replay.history.back().recurrence, 40u) << name_of(rule);
      EXPECT_EQ(replay.history.back().size, 1u) << name_of(rule);
    }
  }
}

TEST(ReplayJob, FixedLimitsFallToTheNextLowerOne) {
  ReplaySettings settings{.recurrences = 5};
  settings.policy.power_limit = PowerLimitRule::kFixed;
  settings.policy.fixed_limit_w = 150;
  const JobTrace trace = small_trace();
  const Replay replay = replay_job(trace, settings);
  for (const ReplayedRun& run : replay.history) {
    const SizeTrace& size = trace.sizes[run.size];
    EXPECT_EQ(size.limits[run.limit].limit_w, size.batch_size == 32 ? 200 : 100);
    EXPECT_FALSE(run.profiling);
  }
}

TEST(ReplayJob, TheOracleTakesTheBestSizeAtTheLimitsItIsGiven) {
  // Cost to the target at eta 0.5: size 8 takes 9800 at both limits. Size 16 takes 8640 at 200 W
  // and 10440 at 100 W.
  const JobTrace trace = join_texts(
      std::string(kTrainHeader) + "d,n,16,o,1,1,0.5,8\nd,n,8,o,1,1,0.5,7\n", kSmallPower);
  const auto sizes = [&](PowerLimitRule rule) {
    ReplaySettings settings{.recurrences = 2};
    settings.policy.batch_size = BatchSizeRule::kOracle;
    settings.policy.power_limit = rule;
    settings.policy.fixed_limit_w = 100;
    return batch_sizes(trace, replay_job(trace, settings));
  };
  EXPECT_THAT(sizes(PowerLimitRule::kFixed), ElementsAre(8, 8));
  EXPECT_THAT(sizes(PowerLimitRule::kOracle), ElementsAre(16, 16));
  EXPECT_THAT(sizes(PowerLimitRule::kMaximum), ElementsAre(16, 16));
  EXPECT_THAT(sizes(PowerLimitRule::kZeus), ElementsAre(16, 16));
}

TEST(KnobUses, CountRunsAndFailuresOfEachPair) {
  const Replay replay = replay_job(small_trace(), {});
  const auto uses = knob_uses(replay);
  ASSERT_EQ(uses.size(), 3u);
  EXPECT_EQ(uses[0].runs, 2u);
  EXPECT_EQ(uses[1].runs, 10u);
  EXPECT_EQ(uses[2].runs, 1u);
  EXPECT_EQ(uses[2].reached, 0u);
  EXPECT_EQ(uses[0].mean_cost, 14000);
  EXPECT_EQ(lowest_run_cost(replay), 8640);
}

}  // namespace
}  // namespace scalelaw
