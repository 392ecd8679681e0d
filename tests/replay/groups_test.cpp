#include "scalelaw/replay/groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/small_trace.hpp"
#include "replay/zeus_data.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::int64_t> batch_sizes(const JobTrace& trace, const Replay& replay) {
  std::vector<std::int64_t> out;
  for (const ReplayedRun& run : replay.history) out.push_back(trace.sizes[run.size].batch_size);
  return out;
}

TEST(Adler32, IsThatOfRfc1950) {
  EXPECT_EQ(adler32("Wikipedia"), 0x11E60398u);  // Wikipedia's example.
  EXPECT_EQ(adler32(""), 1u);
}

TEST(ReadJobGroups, GroupsComeByNameAndSubmissionsByStart) {
  const auto groups = read_job_groups(
      "group,start_time,end_time,dataset,runtime_ratio\n"
      "g10,5,9,squad,1.5\ng2,30,40,imagenet,1\ng2,20,25,imagenet,0.5\n",
      "jobs.csv");
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "g10");
  EXPECT_EQ(groups[1].submissions[0].start_s, 20);
  EXPECT_EQ(groups[1].submissions[0].runtime_ratio, 0.5);
}

TEST(ReadJobGroups, DefectsAreNamedByPlace) {
  const auto message = [](std::string_view row) -> std::string {
    try {
      read_job_groups(
          "group,start_time,end_time,dataset,runtime_ratio\ng,0,1,squad,1\n" + std::string(row),
          "jobs.csv");
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message("g,5,4,squad,1\n"),
            "jobs.csv:3: expected an end_time that is not before start_time 5, found 4");
  EXPECT_THAT(message("g,5,6,imagenet,1\n"), HasSubstr("has two datasets, squad and imagenet"));
  EXPECT_EQ(message("g,5,6,squad,0\n"),
            "jobs.csv:3: field 5 'runtime_ratio': expected a number above 0, found \"0\"");
}

TEST(ReplayGroup, SubmissionsThatDoNotOverlapAreASequence) {
  std::vector<Submission> submissions;
  for (int i = 0; i < 12; ++i) submissions.push_back({100.0 * i, 100.0 * i + 40, 1});
  const JobTrace trace = small_trace();
  const Replay replay = replay_group(trace, {}, submissions);
  EXPECT_THAT(batch_sizes(trace, replay),
              ElementsAre(16, 8, 32, 16, 8, 16, 16, 16, 16, 16, 16, 16, 16));
  EXPECT_EQ(replay.history[3].recurrence, 3u);  // This is the retry of the third submission.
}

TEST(ReplayGroup, WhatOverlapsTakesTheCheapestSizeSoFar) {
  const JobTrace trace = small_trace();
  const Replay replay = replay_group(
      trace, {}, std::vector<Submission>{{0, 100, 1}, {10, 50, 1}, {20, 60, 2}, {200, 300, 1}});
  // By their ends. The second and third use b0 beside the first, then pruning goes down.
  EXPECT_THAT(batch_sizes(trace, replay), ElementsAre(16, 16, 16, 8));
  EXPECT_EQ(replay.history[0].recurrence, 2u);
  EXPECT_EQ(replay.history[1].recurrence, 3u);
  EXPECT_EQ(replay.history[1].energy_j, 2 * 8 * 960);  // Its runtime ratio is 2.
  EXPECT_EQ(replay.history[2].energy_j, 885 + 7 * 960);
}

/// Takes size 16, then once 128, whose first epoch exceeds the bound. Records what it hears.
class TriesALargeSize final : public BatchSizePolicy {
 public:
  explicit TriesALargeSize(std::vector<RunOutcome>& heard) : heard_(heard) {}
  std::size_t choose() override { return ++choices_ == 2 ? 3 : 1; }
  void observe(std::size_t, const RunOutcome& outcome) override { heard_.push_back(outcome); }
  Phase phase() const override { return Phase::kFixed; }

 private:
  std::vector<RunOutcome>& heard_;
  int choices_ = 0;
};

TEST(ReplayGroup, ARunThatCannotStartCostsNothingOnPaperAndTheBoundWhenCorrected) {
  const std::string power = std::string(kSmallPower) + "d,n,128,o,200,100,200\n";
  const JobTrace trace = join_texts(kSmallTrain, power);  // One epoch of 128 costs 20,000.
  const std::vector<Submission> submissions{{0, 10, 1}, {100, 110, 1}};
  const auto heard_in = [&](ReplayMode mode) {
    std::vector<RunOutcome> heard;
    ReplaySettings settings;
    settings.policy.mode = mode;
    const Replay replay =
        replay_group(trace, settings, submissions,
                     [&](const PolicySettings& policy, const JobTrace& job, RandomSource&) {
                       return Policies{std::make_unique<TriesALargeSize>(heard),
                                       make_power_limit_policy(policy, job)};
                     });
    EXPECT_EQ(replay.failure, std::nullopt);
    EXPECT_EQ(replay.not_started, 1u);
    EXPECT_THAT(batch_sizes(trace, replay), ElementsAre(16, 16));
    return heard;
  };
  const auto paper = heard_in(ReplayMode::kPaper);
  ASSERT_EQ(paper.size(), 3u);
  EXPECT_EQ(paper[1].cost, 0);
  EXPECT_EQ(paper[1].at_least, 2 * 8752.5);
  EXPECT_FALSE(paper[1].reached);
  const auto corrected = heard_in(ReplayMode::kCorrected);
  ASSERT_EQ(corrected.size(), 3u);
  EXPECT_EQ(corrected[1].cost, 2 * 8752.5);
}

TEST(ReplayGroup, AThousandFailuresEndIt) {
  Job job = small_job();
  job.default_batch_size = 32;  // Never reaches the target.
  const JobTrace trace = join_texts(kSmallTrain, kSmallPower, job);
  ReplaySettings settings;
  settings.policy.batch_size = BatchSizeRule::kDefault;
  const Replay replay = replay_group(trace, settings, std::vector<Submission>{{0, 10, 1}});
  ASSERT_TRUE(replay.failure);
  EXPECT_EQ(*replay.failure, "submission 1: the target was not reached in 1000 tries");
  EXPECT_EQ(replay.history.size(), 1000u);
}

TEST(ReplayGroup, EndsWhereNoSizeReachesTheTarget) {
  const JobTrace trace =
      join_texts(std::string(kTrainHeader) + "d,n,16,o,1,1,0.5,21\n", kSmallPower);
  const Replay replay = replay_group(trace, {}, std::vector<Submission>{{0, 10, 1}});
  ASSERT_TRUE(replay.failure);
  EXPECT_EQ(*replay.failure, "no batch size reached the target while exploring");
}

TEST(GeneratedGroups, AreReadAgainAndTheSameForASeed) {
  const GroupFilePlan plan{.groups = 7, .submissions = 9, .load = 0.5, .seed = 3};
  const std::string text = generated_groups(plan);
  EXPECT_EQ(text, generated_groups(plan));
  const auto groups = read_job_groups(text, "generated");
  EXPECT_EQ(groups.size(), 7u);
  double ratios = 0;
  std::size_t jobs = 0;
  for (const JobGroup& group : groups) {
    if (group.dataset != "cifar100") continue;
    for (const Submission& one : group.submissions) ratios += one.runtime_ratio;
    jobs += group.submissions.size();
    EXPECT_GE(group.submissions.size(), 2u);
  }
  EXPECT_NEAR(ratios / static_cast<double>(jobs), 1, 1e-12);  // The mean over a dataset is 1.
}

TEST(GeneratedGroups, OfTwoSubmissionsHaveTwo) {
  const auto groups = read_job_groups(generated_groups({.groups = 20, .submissions = 2}), "text");
  ASSERT_EQ(groups.size(), 20u);
  for (const JobGroup& group : groups) EXPECT_EQ(group.submissions.size(), 2u);
}

TEST(ReplayGroups, AnUnknownDatasetIsAFailureOfItsGroup) {
  if (!has_zeus_data()) GTEST_SKIP() << "the Zeus traces are not here";
  auto groups = read_job_groups(
      "group,start_time,end_time,dataset,runtime_ratio\n"
      "a,0,10,squad,1\na,20,30,squad,1\nb,0,10,chess,1\n",
      "jobs.csv");
  const auto replays = replay_groups(zeus_train(), zeus_power("v100"), groups, {}, {}, 1);
  ASSERT_EQ(replays.size(), 2u);
  EXPECT_EQ(replays[0].replay.history.size(), 2u);
  EXPECT_THAT(*replays[1].replay.failure,
              HasSubstr("there is no dataset 'chess'; it has: cifar100, imagenet"));
  const auto totals = totals_by_dataset(replays);
  ASSERT_EQ(totals.size(), 2u);
  EXPECT_EQ(totals[0].dataset, "chess");
  EXPECT_EQ(totals[0].failed, 1u);
  EXPECT_EQ(totals[0].cost_saving, std::nullopt);
  EXPECT_FALSE(totals[0].totals);
  EXPECT_EQ(totals[1].runs, 2u);
}

}  // namespace
}  // namespace scalelaw
