// The published simulator's results on its own traces (NumPy 1.24.2, pandas 1.5.3).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "replay/zeus_data.hpp"
#include "scalelaw/replay/simulate.hpp"

namespace scalelaw {
namespace {

class ZeusReference : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_zeus_data()) GTEST_SKIP() << "the Zeus traces are not here";
  }
};

void expect_digits(double value, double expected, double relative, const std::string& what) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected)) << what;
}

JobTrace published_trace(const TrainTrace& train, const std::string& gpu,
                         const std::string& dataset) {
  return join_traces(train, zeus_power(gpu), *published_job(dataset), true);
}

TEST_F(ZeusReference, EveryRunOfTheReferenceHistoriesIsTheSame) {
  const TrainTrace train = zeus_train();
  const auto rows = reference_rows("reference_histories.csv");
  int histories = 0;
  for (std::size_t begin = 0; begin < rows.size();) {
    const auto& first = rows[begin];
    const std::string name = first.at("gpu") + " " + first.at("dataset") + " " + first.at("seed");
    const JobTrace trace = published_trace(train, first.at("gpu"), first.at("dataset"));
    ASSERT_EQ(static_cast<double>(trace.job.default_batch_size), number_at(first, "default_bs"))
        << name;
    ReplaySettings settings;
    settings.seed = static_cast<std::uint64_t>(number_at(first, "seed"));
    const Replay replay = replay_job(trace, settings);
    for (std::size_t i = 0; i < replay.history.size(); ++i) {
      const auto& row = rows.at(begin + i);
      const ReplayedRun& run = replay.history[i];
      const SizeTrace& size = trace.sizes[run.size];
      ASSERT_EQ(number_at(row, "step"), static_cast<double>(i)) << name;
      ASSERT_EQ(static_cast<double>(size.batch_size), number_at(row, "batch_size"))
          << name << " step " << i;
      ASSERT_EQ(size.limits[run.limit].limit_w, number_at(row, "power_limit_w")) << name;
      ASSERT_EQ(run.reached, row.at("reached") == "1") << name << " step " << i;
      expect_digits(run.energy_j, number_at(row, "energy_j"), 1e-12, name);
      expect_digits(run.time_s, number_at(row, "time_s"), 1e-12, name);
    }
    begin += replay.history.size();
    ASSERT_TRUE(begin == rows.size() || rows[begin].at("step") == "0") << name;
    ++histories;
  }
  EXPECT_EQ(histories, 24);
}

TEST_F(ZeusReference, EveryBestLimitIsTheSame) {
  const TrainTrace train = zeus_train();
  for (const auto& row : reference_rows("reference_power_limits.csv")) {
    const JobTrace trace = published_trace(train, row.at("gpu"), row.at("dataset"));
    const auto size =
        std::find_if(trace.sizes.begin(), trace.sizes.end(), [&](const SizeTrace& one) {
          return std::to_string(one.batch_size) == row.at("batch_size");
        });
    ASSERT_NE(size, trace.sizes.end());
    const double eta = number_at(row, "eta");
    const LimitTrace& best = size->limits[profiled_limit(*size, eta, size->largest_limit_w())];
    EXPECT_EQ(best.limit_w, number_at(row, "best_power_limit_w"));
    expect_digits(zeus_cost(eta, size->largest_limit_w(), best.mean.energy_j, best.mean.seconds),
                  number_at(row, "epoch_cost_j"), 1e-12, row.at("dataset"));
  }
}

/// Seed 1 of every dataset and GPU, as in the table of reference values.
struct Expectation {
  const char* gpu;
  const char* dataset;
  std::uint32_t recurrences;
  std::size_t history;
  double energy_j;
  double time_s;
  double lowest_run_cost;
};

TEST_F(ZeusReference, TotalsOfSeedOneAreTheSame) {
  const Expectation expectations[] = {
      {"v100", "cifar100", 140, 142, 4.598022e+06, 4.968934e+04, 50968.62},
      {"v100", "imagenet", 70, 71, 9.797106e+08, 5.927796e+06, 15191278.34},
      {"v100", "squad", 98, 98, 1.283529e+08, 7.339277e+05, 1466019.56},
      {"v100", "librispeech", 210, 211, 1.276354e+09, 9.887724e+06, 8178256.82},
      {"v100", "movielens-1m", 182, 184, 2.210087e+05, 6.080775e+03, 4017.75},
      {"v100", "sentiment140", 70, 70, 1.560484e+08, 9.608416e+05, 2763606.66},
      {"a40", "cifar100", 180, 183, 9.114389e+06, 5.902131e+04, 64437.57},
      {"a40", "imagenet", 108, 109, 1.820294e+09, 9.300733e+06, 19406964.71},
      {"a40", "squad", 126, 126, 1.035334e+08, 5.217253e+05, 986727.97},
      {"a40", "librispeech", 108, 109, 6.210909e+08, 4.381186e+06, 8354921.44},
      {"a40", "movielens-1m", 216, 218, 6.699866e+05, 8.315523e+03, 6265.83},
      {"a40", "sentiment140", 50, 51, 7.093813e+07, 3.641950e+05, 1657050.69}};
  const TrainTrace train = zeus_train();
  for (const Expectation& expected : expectations) {
    const std::string name = std::string(expected.gpu) + " " + expected.dataset;
    const JobTrace trace = published_trace(train, expected.gpu, expected.dataset);
    const Replay replay = replay_job(trace, {});
    EXPECT_EQ(replay.recurrences, expected.recurrences) << name;
    EXPECT_EQ(replay.history.size(), expected.history) << name;
    expect_digits(replay.totals.energy_j, expected.energy_j, 5e-7, name);
    expect_digits(replay.totals.time_s, expected.time_s, 5e-7, name);
    double lowest = std::numeric_limits<double>::infinity();
    for (const ReplayedRun& run : replay.history) {
      if (run.reached) lowest = std::min(lowest, run.cost);
    }
    EXPECT_NEAR(lowest, expected.lowest_run_cost, 0.005) << name;
  }
}

TEST_F(ZeusReference, TheDefaultCallPrunesFirstAndSettlesOnFortyEight) {
  const JobTrace trace = published_trace(zeus_train(), "v100", "librispeech");
  const Replay replay = replay_job(trace, {});
  int exploring = 0;
  int at_best = 0;
  for (const ReplayedRun& run : replay.history) {
    exploring += run.phase == Phase::kExploring ? 1 : 0;
    const SizeTrace& size = trace.sizes[run.size];
    at_best += size.batch_size == 48 && size.limits[run.limit].limit_w == 150 ? 1 : 0;
  }
  EXPECT_EQ(exploring, 25);
  EXPECT_EQ(replay.history.size() - 25, 186u);
  EXPECT_EQ(at_best, 182);
  const ReplayedRun& first = replay.history.front();
  EXPECT_EQ(first.epochs, 9);
  EXPECT_TRUE(first.profiling);
  EXPECT_NEAR(first.time_s, 56443.49, 0.005);
  EXPECT_NEAR(first.energy_j, 8495173.59, 0.005);
  EXPECT_NEAR(first.cost, 11303022.51, 0.005);
}

TEST_F(ZeusReference, ExpectedCostsOfBatchSizesAreTheReferenceMeans) {
  const TrainTrace train = zeus_train();
  for (const auto& row : reference_rows("reference_batch_costs.csv")) {
    const JobTrace trace = published_trace(train, row.at("gpu"), row.at("dataset"));
    for (std::size_t i = 0; i < trace.sizes.size(); ++i) {
      const SizeTrace& size = trace.sizes[i];
      if (std::to_string(size.batch_size) != row.at("batch_size")) continue;
      const double eta = number_at(row, "eta");
      // The reference is a mean over runs that reached the target, whatever their number of epochs.
      if (std::any_of(size.paths.begin(), size.paths.end(),
                      [&](const auto& path) { return !path || *path > trace.job.max_epochs; })) {
        continue;
      }
      const auto expected =
          expected_cost(trace, i, profiled_limit(size, eta, size.largest_limit_w()), eta);
      ASSERT_TRUE(expected);
      expect_digits(expected->time_s, number_at(row, "mean_tta_s"), 1e-12, row.at("dataset"));
      expect_digits(expected->energy_j, number_at(row, "mean_eta_j"), 1e-12, row.at("dataset"));
      expect_digits(expected->cost, number_at(row, "mean_cost_j"), 1e-12, row.at("dataset"));
    }
  }
}

}  // namespace
}  // namespace scalelaw
