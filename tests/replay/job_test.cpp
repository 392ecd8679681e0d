#include "scalelaw/replay/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/small_trace.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

using testing::HasSubstr;

template <class Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string with(std::string_view text, std::string_view rows) {
  return std::string(text) + std::string(rows);
}

TEST(ReadTrainTrace, ATargetThatWasNotReachedHasNoEpoch) {
  const TrainTrace trace = read_train_trace(kSmallTrain, "train.csv");
  ASSERT_EQ(trace.rows.size(), 5u);
  EXPECT_EQ(trace.rows[0].target_epoch, 8);
  EXPECT_EQ(trace.rows[2].target_epoch, std::nullopt);
  EXPECT_EQ(trace.repeated, 0u);
}

TEST(ReadTrainTrace, MalformedCellsAreNamedByPlace) {
  const auto read = [](std::string_view row) {
    return message_of([&] { read_train_trace(with(kTrainHeader, row), "train.csv"); });
  };
  EXPECT_EQ(read("d,n,x,o,1,1,0.5,8\n"),
            "train.csv:2: field 3 'batch_size': expected a whole number from 1, found \"x\"");
  EXPECT_EQ(read("d,n,8,o,1,1,0.5,0\n"),
            "train.csv:2: field 8 'target_epoch': expected a whole number from 1, found \"0\"");
  EXPECT_EQ(read("d,n,8,o,1,1,0.5,0.5\n"),
            "train.csv:2: field 8 'target_epoch': expected a whole number from 1, found \"0.5\"");
  EXPECT_EQ(read("d,n,8,o,1,1,high,8\n"),
            "train.csv:2: field 7 'target_metric': expected a number, found \"high\"");
  EXPECT_EQ(read(""), "train.csv: there are no rows below the header");
}

TEST(ReadTrainTrace, AMissingColumnIsNamedWithTheNearest) {
  EXPECT_THAT(message_of([] {
                read_train_trace("dataset,network,batchsize,optimizer\na,b,8,c\n", "t.csv");
              }),
              HasSubstr("t.csv: there is no column 'batch_size' (did you mean 'batchsize'?)"));
}

TEST(ReadPowerTrace, IsNamedAfterItsGpu) {
  EXPECT_EQ(read_power_trace(kSmallPower, "a/summary_power_v100.csv").name, "v100");
  EXPECT_EQ(read_power_trace(kSmallPower, "b/mine.csv.gz").name, "mine");
}

TEST(ReadPowerTrace, RefusesPowerThatIsNotPositive) {
  EXPECT_EQ(
      message_of([] { read_power_trace(with(kPowerHeader, "d,n,8,o,100,10,-80\n"), "p.csv"); }),
      "p.csv:2: field 7 'average_power': expected a number above 0, found \"-80\"");
}

TEST(ReadPowerTrace, RefusesWhatWouldMakeACostInfiniteOrNothing) {
  const auto read = [](std::string_view row) {
    return message_of([&] { read_power_trace(with(kPowerHeader, row), "p.csv"); });
  };
  EXPECT_EQ(read("d,n,8,o,100,1e308,80\n"),
            "p.csv:2: field 6 'time_per_epoch': expected a number from 1e-30 to 1e30, found "
            "\"1e308\"");
  EXPECT_EQ(read("d,n,8,o,100,10,1e-200\n"),
            "p.csv:2: field 7 'average_power': expected a number from 1e-30 to 1e30, found "
            "\"1e-200\"");
  EXPECT_EQ(read("d,n,8,o,1e31,10,80\n"),
            "p.csv:2: field 5 'power_limit': expected a number from 1e-30 to 1e30, found "
            "\"1e31\"");
}

TEST(JoinTraces, KeepsBatchSizesThatBothTracesHave) {
  const JobTrace trace = small_trace();
  ASSERT_EQ(trace.sizes.size(), 3u);
  EXPECT_EQ(trace.sizes[0].batch_size, 8);
  EXPECT_EQ(trace.sizes[1].batch_size, 16);
  EXPECT_EQ(trace.sizes[2].batch_size, 32);
  EXPECT_EQ(trace.default_size, 1u);
  EXPECT_EQ(trace.max_power_w, 200);  // No joined row has the 300 W of size 64.
  EXPECT_EQ(trace.usual_recurrences(), 12u);
}

TEST(JoinTraces, LimitsGoFromTheHighestDownAndMayHaveGaps) {
  const JobTrace trace = small_trace();
  ASSERT_EQ(trace.sizes[1].limits.size(), 2u);
  EXPECT_EQ(trace.sizes[1].limits[0].limit_w, 200);
  EXPECT_EQ(trace.sizes[1].limits[1].limit_w, 100);
  ASSERT_EQ(trace.sizes[2].limits.size(), 1u);
  EXPECT_EQ(trace.sizes[1].profiled.seconds, 7.5);
  EXPECT_EQ(trace.sizes[1].profiled.energy_j, 885);
}

TEST(JoinTraces, ABatchSizeWithoutTheTargetIsFeasibleAndNeverReachesIt) {
  Job job = small_job();
  job.target_metric = 0.25;
  const JobTrace trace = join_texts(kSmallTrain, kSmallPower, job);
  ASSERT_EQ(trace.sizes.size(), 3u);
  EXPECT_TRUE(trace.sizes[1].paths.empty());
  EXPECT_EQ(trace.usual_recurrences(), 4u);  // One size has the target, at two limits.
  EXPECT_EQ(expected_cost(trace, 1, 0, 0.5), std::nullopt);
}

TEST(JoinTraces, RepeatedRowsAreMeasurementsOfTheirOwn) {
  const std::string power = with(kSmallPower, "d,n,16,o,200,8,170\n");
  EXPECT_EQ(read_power_trace(power, "p.csv").repeated, 1u);
  const JobTrace trace = join_texts(with(kSmallTrain, "d,n,16,o,0.1,1,0.5,8\n"), power);
  EXPECT_EQ(trace.sizes[1].paths.size(), 2u);
  ASSERT_EQ(trace.sizes[1].limits[0].rows.size(), 2u);
  EXPECT_EQ(trace.sizes[1].limits[0].mean.seconds, 7);
  EXPECT_EQ(trace.sizes[1].limits[0].mean.energy_j, 7 * 165);
  EXPECT_NEAR(trace.sizes[1].profiled.seconds, 23.0 / 3, 1e-12);
}

TEST(JoinTraces, ADefaultOutsideTheTracesAnswersWithTheFeasibleSizes) {
  Job job = small_job();
  job.default_batch_size = 64;
  EXPECT_EQ(
      message_of([&] { join_texts(kSmallTrain, kSmallPower, job); }),
      "d on power: the default batch size 64 (--b0) is not in both traces; these are: 8, 16, 32");
}

TEST(JoinTraces, ADefaultMayBeLoweredToTheLargestSize) {
  Job job = small_job();
  job.default_batch_size = 1024;
  const JobTrace trace = join_traces(read_train_trace(kSmallTrain, "t.csv"),
                                     read_power_trace(kSmallPower, "p.csv"), job, true);
  EXPECT_EQ(trace.job.default_batch_size, 32);
}

TEST(JoinTraces, UnknownJobsAndTargetsAnswerWithWhatThereIs) {
  Job job = small_job();
  job.target_metric = 0.9;
  EXPECT_THAT(message_of([&] { join_texts(kSmallTrain, kSmallPower, job); }),
              HasSubstr("has the target 0.9; targets are: 0.25, 0.5"));
  job.optimizer = "p";
  EXPECT_EQ(message_of([&] { join_texts(kSmallTrain, kSmallPower, job); }),
            "train.csv: it has no rows for (d, n, p); it has rows for: (d, n, o)");
}

TEST(JoinTraces, TracesWithoutACommonBatchSizeAreAnError) {
  const std::string power = with(kPowerHeader, "d,n,64,o,300,5,180\n");
  EXPECT_THAT(message_of([&] { join_texts(kSmallTrain, power); }),
              HasSubstr("have no batch size of (d, n, o) in common"));
}

TEST(ZeusCost, WeighsEnergyAgainstTimeAtMaximumPower) {
  EXPECT_EQ(zeus_cost(0.5, 200, 960, 6), 1080);
  EXPECT_EQ(zeus_cost(1, 200, 960, 6), 960);
  EXPECT_EQ(zeus_cost(0, 200, 960, 6), 1200);
}

TEST(ProfiledLimit, TiesKeepTheHigherLimit) {
  const JobTrace trace = small_trace();
  EXPECT_EQ(profiled_limit(trace.sizes[0], 0.5, 200), 0u);
  EXPECT_EQ(profiled_limit(trace.sizes[0], 1, 200), 1u);    // 800 J against 1200 J.
  EXPECT_EQ(profiled_limit(trace.sizes[0], 0.4, 200), 0u);  // Time counts more.
}

TEST(ExpectedCost, RunsThatFailAreRepeated) {
  // Two runs of 8 epochs, and one of 20 that fails: 36 epochs for two successes.
  const JobTrace trace = join_texts(
      with(kTrainHeader, "d,n,16,o,1,1,0.5,8\nd,n,16,o,1,2,0.5,8\nd,n,16,o,1,3,0.5,21\n"),
      kSmallPower);
  EXPECT_EQ(expected_cost(trace, 0, 0, 0.5)->cost, 18 * 1080);
}

TEST(OracleKnobs, AreTheCheapestThatReachTheTarget) {
  const auto knobs = oracle_knobs(small_trace(), 0.5);
  ASSERT_TRUE(knobs);
  EXPECT_EQ(knobs->size, 1u);
  EXPECT_EQ(knobs->limit, 0u);
}

TEST(WishedJob, ANameMayHaveAComma) {
  const TrainTrace train =
      read_train_trace(with(kTrainHeader, "d,\"n,1\",16,o,0.1,1,0.5,8\n"), "train.csv");
  const Job job =
      wished_job({.target_metric = 0.5, .max_epochs = 20, .default_batch_size = 16}, train);
  EXPECT_EQ(job.network, "n,1");
}

TEST(WishedJob, TakesThePublishedJobOrAsksForWhatIsMissing) {
  const TrainTrace train = read_train_trace(kSmallTrain, "train.csv");
  EXPECT_EQ(
      message_of([&] { wished_job({}, train); }),
      "d: no published job has this dataset: give --target-metric, --max-epochs, --b0 as well");
  EXPECT_EQ(message_of([&] { wished_job({.target_metric = 0.5, .max_epochs = 20}, train); }),
            "d: no published job has this dataset: give --b0 as well");
  EXPECT_EQ(message_of([&] { wished_job({.dataset = "e"}, train); }),
            "train.csv: there is no dataset 'e'; it has: d");
  const Job job =
      wished_job({.target_metric = 0.5, .max_epochs = 20, .default_batch_size = 16}, train);
  EXPECT_EQ(job.network, "n");
  EXPECT_EQ(job.optimizer, "o");
  EXPECT_EQ(wished_job({.dataset = "squad"}, train).default_batch_size, 32);
}

}  // namespace
}  // namespace scalelaw
