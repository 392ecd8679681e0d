// Compiles and runs the example of docs/how-to/replay-policy.md.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "replay/small_trace.hpp"
#include "scalelaw/replay/groups.hpp"
#include "scalelaw/replay/study.hpp"
#include "support/command.hpp"
#include "support/places.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// clang-format off
/// Tries size after size, and stays at the first one that reached the target.
class FirstThatWorks final : public scalelaw::BatchSizePolicy {
 public:
  explicit FirstThatWorks(std::size_t sizes) : sizes_(sizes) {}
  std::size_t choose() override { return size_; }
  void observe(std::size_t size, const scalelaw::RunOutcome& outcome) override {
    if (!outcome.reached && size == size_) size_ = (size_ + 1) % sizes_;
  }
  scalelaw::Phase phase() const override { return scalelaw::Phase::kFixed; }

 private:
  std::size_t sizes_;
  std::size_t size_ = 0;
};

scalelaw::Policies first_that_works(const scalelaw::PolicySettings& settings,
                                    const scalelaw::JobTrace& trace, scalelaw::RandomSource&) {
  return {std::make_unique<FirstThatWorks>(trace.sizes.size()),
          scalelaw::make_power_limit_policy(settings, trace)};
}
// clang-format on

/// Size 8 fails; size 16 needs 8 epochs.
JobTrace trace_of_two() {
  Job job = small_job();
  job.default_batch_size = 16;
  return join_texts(std::string(kTrainHeader) + "d,n,16,o,1,1,0.5,8\nd,n,8,o,1,1,0.5,nan\n",
                    kSmallPower, job);
}

std::vector<std::size_t> sizes_of(const Replay& replay) {
  std::vector<std::size_t> sizes;
  for (const ReplayedRun& run : replay.history) sizes.push_back(run.size);
  return sizes;
}

TEST(OwnPolicy, RunsInAReplay) {
  const Replay replay = replay_job(trace_of_two(), {.recurrences = 3}, first_that_works);
  EXPECT_THAT(sizes_of(replay), ElementsAre(0, 1, 1, 1));
}

TEST(OwnPolicy, RunsInAGroupOfSubmissions) {
  const std::vector<Submission> submissions{{0, 10, 1}, {100, 110, 1}};
  const Replay replay = replay_group(trace_of_two(), {}, submissions, first_that_works);
  EXPECT_THAT(sizes_of(replay), ElementsAre(0, 1, 1));
}

TEST(OwnPolicy, RunsInAStudyAnewForEverySeed) {
  const JobTrace trace = trace_of_two();
  const StudyCase one{&trace, {.recurrences = 3}, first_that_works};
  const auto summary =
      replay_study(std::vector<StudyCase>{one}, std::vector<std::uint64_t>{1, 2}, 0.95, 2).front();
  EXPECT_EQ(summary.failed, 0u);
  EXPECT_EQ(summary.runs, 4);
  EXPECT_EQ(summary.best_share, 2.0 / 3);
}

TEST(OwnPolicy, IsTheOneOfTheDocuments) {
  const std::filesystem::path root = source_folder();
  const std::string document = test::read_bytes(root / "docs/how-to/replay-policy.md");
  const std::size_t begin = document.find("```cpp\n");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = document.find("```\n", begin + 7);
  const std::string example = document.substr(begin + 7, end - begin - 7);
  EXPECT_THAT(test::read_bytes(root / "tests/replay/own_policy_test.cpp"), HasSubstr(example));
}

}  // namespace
}  // namespace scalelaw
