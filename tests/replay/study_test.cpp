#include "scalelaw/replay/study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <numeric>

#include "replay/small_trace.hpp"
#include "replay/zeus_data.hpp"

namespace scalelaw {
namespace {

std::vector<std::uint64_t> seeds_to(std::uint64_t last) {
  std::vector<std::uint64_t> seeds(last);
  std::iota(seeds.begin(), seeds.end(), 1);
  return seeds;
}

/// Chooses size 16, but 128 as its second choice.
class LargeAtSecond final : public BatchSizePolicy {
 public:
  std::size_t choose() override { return ++choices_ == 2 ? 3 : 1; }
  void observe(std::size_t, const RunOutcome&) override {}
  Phase phase() const override { return Phase::kFixed; }

 private:
  int choices_ = 0;
};

TEST(ReplayStudy, ComparesWithTheOracleAndTheDefaultKnobs) {
  const JobTrace trace = small_trace();
  const auto summary =
      replay_study(std::vector<StudyCase>{{&trace, {}}}, seeds_to(1), 0.95, 1).front();
  // 11 runs of 8 epochs at 16, two of 10 at 8, one of 18 at 32; two first epochs are profiling.
  const double cost = 8752.5 + 9 * 8640 + 2 * 14000 + 17100;
  EXPECT_EQ(summary.cost.mean, cost);
  EXPECT_EQ(summary.oracle_cost, 8640);
  EXPECT_EQ(summary.regret->mean, cost - 12 * 8640);
  EXPECT_DOUBLE_EQ(summary.excess->mean, cost / (12 * 8640) - 1);
  EXPECT_DOUBLE_EQ(summary.cost_saving->mean, 1 - cost / (12 * 8640));
  EXPECT_EQ(summary.cost.ci, std::nullopt);
  EXPECT_EQ(summary.runs, 13);
  EXPECT_EQ(summary.curve.size(), 12u);
  EXPECT_EQ(summary.curve[0].cost.mean, 8752.5);
  EXPECT_EQ(summary.curve[11].regret->mean, summary.regret->mean);
  EXPECT_EQ(summary.best_share, 9.0 / 12);
}

TEST(ReplayStudy, ConvergenceNeedsTwentyRecurrencesAndNinetyFivePercent) {
  const JobTrace trace = small_trace();
  const auto converged = [&](std::uint32_t recurrences, std::uint64_t seeds = 1) {
    ReplaySettings settings{.recurrences = recurrences};
    return replay_study(std::vector<StudyCase>{{&trace, settings}}, seeds_to(seeds), 0.95, 1)
        .front()
        .converged_after;
  };
  EXPECT_EQ(converged(12), std::nullopt);
  // Recurrences 2, 3 and 4 begin with another size; only one of twenty may.
  EXPECT_EQ(converged(23), 3u);
  EXPECT_EQ(converged(22), std::nullopt);
  // Forty seeds do not make up for too few recurrences at the end.
  EXPECT_EQ(converged(12, 40), std::nullopt);
  EXPECT_EQ(converged(23, 40), 3u);
}

TEST(ReplayStudy, DoesNotDependOnThreads) {
  const JobTrace trace =
      join_texts(std::string(kTrainHeader) +
                     "d,n,16,o,1,1,0.5,8\nd,n,16,o,1,2,0.5,9\nd,n,8,o,1,1,0.5,7\n"
                     "d,n,8,o,1,2,0.5,8\nd,n,8,o,1,3,0.5,6\n",
                 kSmallPower);
  const std::vector<StudyCase> cases{{&trace, {.random = RandomKind::kScalelaw}},
                                     {&trace, {.random = RandomKind::kZeus}}};
  const auto one = replay_study(cases, seeds_to(200), 0.95, 1);
  const auto four = replay_study(cases, seeds_to(200), 0.95, 4);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(one[i].cost.mean, four[i].cost.mean);
    EXPECT_EQ(one[i].cost.ci->upper, four[i].cost.ci->upper);
    EXPECT_EQ(one[i].curve.back().energy_j.mean, four[i].curve.back().energy_j.mean);
    EXPECT_GT(*one[i].cost.standard_deviation, 0);
    // After the last recurrence, the curve has the totals.
    EXPECT_NEAR(one[i].curve.back().cost.mean / one[i].cost.mean, 1, 1e-13);
    EXPECT_NEAR(one[i].curve.back().cost.ci->lower / one[i].cost.ci->lower, 1, 1e-12);
    EXPECT_NEAR(one[i].curve.back().cost_ratio->ci->upper, 1 - one[i].cost_saving->ci->lower,
                1e-12);
    EXPECT_NEAR(one[i].curve.back().regret->ci->upper / one[i].regret->ci->upper, 1, 1e-9);
  }
}

TEST(ReplayStudy, SeedsThatFailAreCountedAndLeftOut) {
  Job job = small_job();
  job.default_batch_size = 32;
  const JobTrace trace = join_texts(kSmallTrain, kSmallPower, job);
  const auto summary =
      replay_study(std::vector<StudyCase>{{&trace, {}}}, seeds_to(40), 0.95, 2).front();
  EXPECT_EQ(summary.seeds, 40u);
  EXPECT_EQ(summary.failed, 40u);
  EXPECT_EQ(summary.regret, std::nullopt);
  EXPECT_EQ(summary.default_knobs, std::nullopt);
  EXPECT_TRUE(summary.curve.empty());
  EXPECT_EQ(*summary.first_failure,
            "the default batch size 32 did not reach the target 0.5 within 20 epochs");
}

TEST(ReplayStudy, OneReplayIsAStudyOfItsSeed) {
  const JobTrace trace = small_trace();
  const CaseSummary summary = summary_of({&trace, {}}, replay_job(trace, {}));
  EXPECT_EQ(summary.seeds, 1u);
  EXPECT_EQ(summary.cost.mean, 8752.5 + 9 * 8640 + 2 * 14000 + 17100);
  EXPECT_EQ(summary.oracle_cost, 8640);
  EXPECT_EQ(summary.best_share, 9.0 / 12);
}

TEST(ReplayStudy, AFirstChoiceThatCouldNotStartIsAChoice) {
  const std::string power = std::string(kSmallPower) + "d,n,128,o,200,100,200\n";
  const JobTrace trace = join_texts(kSmallTrain, power);  // One epoch of 128 costs 20,000.
  StudyCase one{&trace, {.recurrences = 2}};
  one.policies = [](const PolicySettings& settings, const JobTrace& job, RandomSource&) {
    return Policies{std::make_unique<LargeAtSecond>(), make_power_limit_policy(settings, job)};
  };
  const auto summary = replay_study(std::vector<StudyCase>{one}, seeds_to(1), 0.95, 1).front();
  EXPECT_EQ(summary.failed, 0u);
  EXPECT_EQ(summary.runs, 2);  // Both use the best size, the second run as second choice.
  EXPECT_EQ(summary.best_share, 0.5);
}

// reference_monte_carlo.csv: the published simulator with seeds 1 to 8, to six digits.
TEST(ReplayStudy, MeansOverEightSeedsAreThoseOfThePublishedSimulator) {
  if (!has_zeus_data()) GTEST_SKIP() << "the Zeus traces are not here";
  const TrainTrace train = zeus_train();
  std::deque<JobTrace> traces;
  std::vector<StudyCase> cases;
  const auto rows = reference_rows("reference_monte_carlo.csv");
  for (const auto& row : rows) {
    traces.push_back(
        join_traces(train, zeus_power(row.at("gpu")), *published_job(row.at("dataset")), true));
    cases.push_back({&traces.back(), {.random = RandomKind::kZeus}});
  }
  const auto summaries = replay_study(cases, seeds_to(8), 0.95, 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto near = [&](double value, const char* column) {
      const double expected = number_at(rows[i], column);
      EXPECT_NEAR(value, expected, 5.1e-6 * std::abs(expected)) << rows[i].at("dataset");
    };
    near(summaries[i].cost.mean, "mean_total_cost_j");
    near(*summaries[i].cost.standard_deviation, "sd_total_cost_j");
    near(summaries[i].energy_j.mean, "mean_total_energy_j");
    near(summaries[i].time_s.mean, "mean_total_time_s");
    EXPECT_EQ(summaries[i].recurrences, number_at(rows[i], "recurrences"));
    EXPECT_EQ(summaries[i].failed, 0u);
  }
}

TEST(ReplayStudy, OurOwnRandomNumbersGiveTheSameMeans) {
  if (!has_zeus_data()) GTEST_SKIP() << "the Zeus traces are not here";
  const TrainTrace train = zeus_train();
  for (const Job& job : published_jobs()) {
    const JobTrace trace = join_traces(train, zeus_power("a40"), job, true);
    const std::vector<StudyCase> cases{{&trace, {.random = RandomKind::kScalelaw}},
                                       {&trace, {.random = RandomKind::kZeus}}};
    const auto summaries = replay_study(cases, seeds_to(400), 0.95, 1);
    const OverSeeds& ours = summaries[0].cost;
    const OverSeeds& published = summaries[1].cost;
    const double error = std::hypot(*ours.standard_deviation, *published.standard_deviation) / 20;
    EXPECT_NEAR(ours.mean, published.mean, 4 * error) << job.dataset;
  }
}

}  // namespace
}  // namespace scalelaw
