#include "trace/joined_records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "trace/records.hpp"
#include "trace/told_runs.hpp"

namespace scalelaw::test {
namespace {

JobRecord account(const std::string& id) {
  return {.job = id,
          .facts = {{"status", "COMPLETED"},
                    {"gpus", "8"},
                    {"nodes", "2"},
                    {"duration_s", "600"},
                    {"energy_j", "5000"}},
          .identity = {.system = "sacct", .id = id}};
}

JobRecord log(const std::string& name, const std::string& gpus = "") {
  return {name,
          {{"gpus", gpus}, {"duration_s", "550"}, {"status", "finished"}, {"loss", "2.5"}},
          "logs/" + name + ".out"};
}

TEST(JoinAccounts, GivesTheLogWhatSlurmSaysOfTheJob) {
  for (const char* name : {"38113", "slurm-38113", "gpt2-n4_38113", "a/slurm-38113"}) {
    std::vector<JobRecord> records{account("38113"), log(name)};
    join_accounts(records, {});
    ASSERT_EQ(records.size(), 1U) << name;
    EXPECT_EQ(records[0].job, name);
    EXPECT_EQ(fact_of(records[0], "duration_s"), "550");
    EXPECT_EQ(fact_of(records[0], "status"), "finished");
    EXPECT_EQ(fact_of(records[0], "energy_j"), "(none)");
    EXPECT_EQ(fact_of(records[0], "job_duration_s"), "600");
    EXPECT_EQ(fact_of(records[0], "job_status"), "COMPLETED");
    EXPECT_EQ(fact_of(records[0], "job_energy_j"), "5000");
    EXPECT_EQ(fact_of(records[0], "gpus"), "8");
    EXPECT_EQ(fact_of(records[0], "job_gpus"), "(none)");
    EXPECT_EQ(fact_of(records[0], "nodes"), "2");
  }
}

TEST(JoinAccounts, ShowsWhatTheyDisagreeOn) {
  std::vector<JobRecord> records{account("38113"), log("slurm-38113", "16")};
  join_accounts(records, {});
  EXPECT_EQ(fact_of(records.at(0), "gpus"), "16");
  EXPECT_EQ(fact_of(records.at(0), "job_gpus"), "8");
}

TEST(JoinAccounts, KnowsTheTasksOfAnArray) {
  std::vector<JobRecord> records{account("5908801_3"), account("3"), log("slurm-5908801_3")};
  join_accounts(records, {});
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].job, "3");
}

TEST(JoinAccounts, LeavesAJobOfSeveralLogsAlone) {
  std::vector<JobRecord> records{account("38113"), log("a-38113"), log("b-38113"), log("c-7")};
  join_accounts(records, {});
  EXPECT_EQ(records.size(), 4U);
  EXPECT_EQ(fact_of(records[1], "job_status"), "(none)");
}

TEST(NameRecordsByFile, NamesTheFoldersOfARunOnce) {
  std::vector<JobRecord> records;
  for (const char* study : {"a", "b"}) {
    const std::string folder = std::string("x/") + study + "/lightning_logs/version_0";
    records.push_back({"lightning_logs/version_0", {}, folder + "/metrics.csv"});
  }
  name_records_by_file(records);
  EXPECT_EQ(records[0].job, "a/lightning_logs/version_0");
  EXPECT_EQ(records[1].job, "b/lightning_logs/version_0");
}

JobRecord of_trainer(const std::string& framework, const std::string& tensor_parallel) {
  return {"a",
          {{"framework", framework},
           {"gpus", ""},
           {"data_parallel", "8"},
           {"tensor_parallel", tensor_parallel}}};
}

TEST(FillGpusOfBatches, TakesDataParallelTrainersOnly) {
  std::vector<JobRecord> records{of_trainer("DeepSpeed", ""), of_trainer("DeepSpeed", "2"),
                                 of_trainer("Megatron-DeepSpeed", ""),
                                 of_trainer("Transformers", "")};
  EXPECT_THAT(fill_gpus_of_batches(records, {}), testing::HasSubstr("2 runs"));
  EXPECT_EQ(fact_of(records[0], "gpus"), "8");
  EXPECT_EQ(fact_of(records[1], "gpus"), "");
  EXPECT_EQ(fact_of(records[2], "gpus"), "");
  EXPECT_EQ(fact_of(records[3], "gpus"), "8");
}

TEST(JoinAccounts, TakesNoOtherRecordForAJob) {
  std::vector<JobRecord> records{{"170", {{"status", "finished"}}}, log("slurm-170")};
  join_accounts(records, {});
  EXPECT_EQ(records.size(), 2U);
}

TEST(JoinAccounts, KnowsThePartsOfAHeterogeneousJob) {
  std::vector<JobRecord> records{account("5+0"), log("slurm-5+0")};
  join_accounts(records, {});
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(fact_of(records[0], "job_energy_j"), "5000");
}

/// A row of an account, of which a file says some.
JobRecord row_of(const RunIdentity& identity, const std::string& energy,
                 const std::string& file = "a") {
  return {
      .job = identity.id, .facts = {{"energy_j", energy}}, .identity = identity, .source = file};
}

std::vector<std::string> ids_and_energies(const std::vector<JobRecord>& records) {
  std::vector<std::string> texts;
  for (const JobRecord& record : records) {
    texts.push_back(record.job + ": " + fact_of(record, "energy_j"));
  }
  return texts;
}

TEST(KeepLatestRows, KeepsTheRowThatEndedLastAndFillsItsCells) {
  const auto row = [](const std::string& energy, const std::string& partition,
                      const std::string& submitted, const std::string& ended) {
    JobRecord of{.job = "1",
                 .facts = {{"energy_j", energy}, {"end_time", ended}},
                 .identity = {.system = "sacct", .id = "1", .submitted = submitted}};
    if (!partition.empty()) of.facts.emplace_back("partition", partition);
    return of;
  };
  std::vector<JobRecord> records{row("", "", "2024-05-01", "2024-05-03"),
                                 row("5000", "gpu", "2024-05-01", "2024-05-02"),
                                 row("9000", "", "2026-01-01", "2026-01-02")};
  EXPECT_EQ(keep_latest_rows(records, {}).repeated.count, 1U);
  EXPECT_EQ(ids_and_energies(records), (std::vector<std::string>{"1: 5000", "1-2: 9000"}))
      << "the id came again after years";
  EXPECT_EQ(fact_of(records[0], "partition"), "gpu");
  EXPECT_EQ(fact_of(records[0], "end_time"), "2024-05-03");
}

TEST(KeepLatestRows, TellsJobsOfOneIdApart) {
  const auto rows = [](const std::vector<JobRecord>& of) {
    std::vector<JobRecord> records = of;
    keep_latest_rows(records, {});
    return ids_and_energies(records);
  };
  using Ids = std::vector<std::string>;
  const RunIdentity first{.system = "sacct", .id = "8", .submitted = "2024-05-01"};
  const RunIdentity second{.system = "sacct", .id = "8", .submitted = "2024-06-01"};
  EXPECT_EQ(
      rows({row_of(second, "2", "june"), row_of(first, "1", "may"), row_of(second, "2", "may")}),
      (Ids{"8-2: 2", "8: 1"}));
  const RunIdentity early{.system = "sacct", .id = "8", .started = "12:00"};
  const RunIdentity late{.system = "sacct", .id = "8", .started = "14:00"};
  EXPECT_EQ(rows({row_of(late, "2", "june"), row_of(early, "1", "may"), row_of(late, "2", "may")}),
            (Ids{"8-2: 2", "8: 1"}));
  const RunIdentity at_a{.system = "sacct", .id = "2", .cluster = "A"};
  const RunIdentity at_b{.system = "sacct", .id = "2", .cluster = "B"};
  EXPECT_EQ(rows({row_of(at_a, "1", "a"), row_of(at_b, "2", "b")}), (Ids{"2: 1", "2-2: 2"}));
  const RunIdentity small{.system = "sacct", .id = "2", .duration_s = "60", .gpus = "4"};
  const RunIdentity large{.system = "sacct", .id = "2", .duration_s = "90", .gpus = "8"};
  EXPECT_EQ(rows({row_of(small, "1", "a"), row_of(large, "2", "b")}), (Ids{"2: 1", "2-2: 2"}));
  EXPECT_EQ(rows({row_of(small, "1", "a"), row_of(small, "2", "b")}), (Ids{"2: 1"}));
  EXPECT_EQ(rows({row_of(small, "1", "a"), row_of(small, "2", "a")}), (Ids{"2: 1", "2-2: 2"}))
      << "sacct lists no job twice";
}

std::vector<TraceOddity> kinds_of(const OddityCounts& counts) {
  std::vector<TraceOddity> kinds;
  for (const auto& [kind, count] : counts) kinds.push_back(kind);
  return kinds;
}

TEST(KeepLatestRows, KeepsTheLatestStateOfARunOfATracker) {
  const auto run = [](const std::string& status, std::uint64_t values, const std::string& file) {
    return JobRecord{.job = "ee",
                     .facts = {{"status", status}, {"loss", std::to_string(values)}},
                     .identity = {.system = "mlflow", .id = "ee"},
                     .values = values,
                     .source = file};
  };
  std::vector<JobRecord> copies{run("running", 9, "a"), run("finished", 3, "b"),
                                run("finished", 2, "c")};
  EXPECT_EQ(keep_latest_rows(copies, {}).repeated.count, 2U);
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(fact_of(copies[0], "loss"), "3");
  const std::vector<LeftOut> failed{
      {{.why = TraceOddity::kFailedRun, .identity = {.system = "mlflow", .id = "ee"}}, "d"}};
  std::vector<JobRecord> running{run("running", 2, "a")};
  EXPECT_EQ(keep_latest_rows(running, failed).repeated.count, 1U);
  EXPECT_TRUE(running.empty()) << "it failed later";
  EXPECT_EQ(counts_of_left_out(failed, running).at(TraceOddity::kFailedRun).count, 1U);
  EXPECT_THAT(kinds_of(counts_of_left_out(failed, copies)),
              testing::ElementsAre(TraceOddity::kRepeatedRun))
      << "it was resumed and finished";
}

TEST(KeepLatestRows, JoinsTheCurvesOfARunThatWasResumed) {
  const auto start = [](const std::string& seconds, StepTable steps) {
    return JobRecord{.job = "ab",
                     .facts = {{"duration_s", seconds}},
                     .steps = std::move(steps),
                     .identity = {.system = "wandb", .id = "ab"}};
  };
  std::vector<JobRecord> starts{
      start("10", {.names = {"step", "loss", "lr"}, .cells = {0, 5, 0.1, 1, 4, 0.1, 2, 3, 0.1}}),
      start("20", {.names = {"step", "loss"}, .cells = {2, 2.5, 3, 2}}), start("15", {})};
  EXPECT_EQ(keep_latest_rows(starts, {}).repeated.count, 2U);
  ASSERT_EQ(starts.size(), 1U);
  EXPECT_THAT(starts[0].steps.names, testing::ElementsAre("step", "loss", "lr"));
  EXPECT_THAT(
      starts[0].steps.cells,
      testing::ElementsAre(0, 5, 0.1, 1, 4, 0.1, 2, 2.5, testing::IsNan(), 3, 2, testing::IsNan()));
  std::vector<JobRecord> three{start("30", {}), start("10", {}), start("20", {})};
  three[1].facts.emplace_back("loss", "3");
  three[2].facts.emplace_back("loss", "2");
  keep_latest_rows(three, {});
  EXPECT_EQ(fact_of(three.at(0), "loss"), "2") << "of the later start";
  std::vector<JobRecord> lost{start("10", {}), start("20", {})};
  lost[0].facts.emplace_back("loss", "2.5");
  lost[1].facts.emplace_back("loss", "");
  lost[1].lost_losses = 1;
  keep_latest_rows(lost, {});
  EXPECT_EQ(fact_of(lost.at(0), "loss"), "") << "its last loss was NaN";
}

TEST(CountsOfLeftOut, ComparesRowsOfOneSystem) {
  const auto left_out = [](TraceOddity why, const RunIdentity& identity, const std::string& file) {
    return LeftOut{{.why = why, .identity = identity}, file, file};
  };
  const RunIdentity job{.system = "sacct", .id = "5"};
  const std::vector<LeftOut> both{
      left_out(TraceOddity::kFailedRun, job, "a"), left_out(TraceOddity::kFailedRun, job, "a"),
      left_out(TraceOddity::kFailedRun, job, "b"),
      left_out(TraceOddity::kFailedRun, {.system = "mlflow", .id = "5"}, "c")};
  EXPECT_EQ(counts_of_left_out(both, {}).at(TraceOddity::kFailedRun).count, 3U)
      << "two starts of a job, of which another account tells one, and a run of MLflow";
  const std::vector<LeftOut> running{left_out(TraceOddity::kUnfinishedRun, job, "a")};
  EXPECT_EQ(counts_of_left_out(running, {log("5")}).at(TraceOddity::kUnfinishedRun).count, 1U)
      << "the log is no account";
  EXPECT_THAT(kinds_of(counts_of_left_out(running, {row_of(job, "1", "b")})),
              testing::ElementsAre(TraceOddity::kRepeatedRun));
}

TEST(ToldRuns, ComparesNoSecondsWithDates) {
  ToldRuns runs;
  const auto job = [](const std::string& submitted, const std::string& seconds) {
    return RunIdentity{.system = "sacct", .id = "5", .submitted = submitted, .duration_s = seconds};
  };
  EXPECT_EQ(runs.add(job("2024-05-01T10:00:00", "60"), "may.txt"), 0U);
  EXPECT_EQ(runs.add(job("2024-06-01T10:00:00", "90"), "may.txt"), 1U);
  EXPECT_EQ(runs.add(job("1717236000", "90"), "june.json"), 1U);
  EXPECT_EQ(runs.add(job("1719828000", "70"), "june.json"), 2U);
}

TEST(ToldRuns, LearnsTimesFromOtherFiles) {
  ToldRuns runs;
  EXPECT_EQ(runs.add({.system = "sacct", .id = "5", .duration_s = "60", .gpus = "4"}, "may"), 0U);
  EXPECT_EQ(
      runs.add({.system = "sacct", .id = "5", .submitted = "1", .duration_s = "60", .gpus = "4"},
               "june"),
      0U);
  EXPECT_EQ(
      runs.add({.system = "sacct", .id = "5", .submitted = "2", .duration_s = "60", .gpus = "4"},
               "july"),
      1U);
  EXPECT_EQ(runs.add({.system = "sacct", .id = "5", .submitted = "1"}, "august"), 0U);
  EXPECT_TRUE(runs.has_surely({.system = "sacct", .id = "5", .submitted = "2"}));
  EXPECT_FALSE(runs.has_surely({.system = "sacct", .id = "5"}));
  EXPECT_FALSE(runs.find({.system = "sacct", .id = "5"}, "")) << "nothing tells which";
  EXPECT_TRUE(runs.has_perhaps({.system = "sacct", .id = "5"}));
}

/// A job of 60 s on 4 GPUs.
RunIdentity short_job(const std::string& submitted, const std::string& started = "") {
  return {.system = "sacct",
          .id = "5",
          .submitted = submitted,
          .started = started,
          .duration_s = "60",
          .gpus = "4"};
}

TEST(ToldRuns, ComparesSubmissionsWithStarts) {
  ToldRuns runs;
  EXPECT_EQ(runs.add(short_job("2024-05-31T10:00:00"), "submit"), 0U);
  EXPECT_EQ(runs.add(short_job("", "2024-05-31T10:00:05"), "start"), 0U);
  EXPECT_EQ(runs.add(short_job("", "2024-05-31T09:59:59"), "early"), 1U)
      << "no job starts before it is submitted";
  EXPECT_EQ(runs.add(short_job("", "2024-09-01T10:00:00"), "late"), 2U);
  EXPECT_TRUE(runs.undecided().empty());
}

TEST(ToldRuns, KnowsThatNoZoneIsFarther) {
  ToldRuns runs;
  EXPECT_EQ(runs.add(short_job("2021-05-31T10:00:00"), "a"), 0U);
  EXPECT_EQ(runs.add(short_job("1717149600"), "b"), 1U) << "2024-05-31T10:00:00 in UTC";
  EXPECT_EQ(runs.add(short_job("2024-05-31T19:00:00"), "c"), 1U) << "of Tokyo";
  EXPECT_EQ(runs.add(short_job("2024-06-01T00:00:01"), "d"), 2U) << "14 hours are the most";
}

TEST(ToldRuns, MakesNoGuess) {
  ToldRuns runs;
  EXPECT_EQ(runs.add(short_job("2024-05-31T10:00:00"), "a"), 0U);
  EXPECT_EQ(runs.add(short_job("2025-05-31T10:00:00"), "b"), 1U);
  EXPECT_EQ(runs.add(short_job(""), "c"), 2U);
  EXPECT_THAT(runs.undecided(), testing::ElementsAre(2U));
}

TEST(ToldRuns, TakesNoQuadraticTime) {
  for (const bool is_dated : {false, true}) {
    ToldRuns runs;
    for (int copy = 0; copy < 2; ++copy) {
      for (int i = 0; i < 20'000; ++i) {
        const std::string second = std::to_string(100'000 + i);
        RunIdentity job{.system = "sacct", .id = "1", .duration_s = second};
        if (is_dated && copy == 0) job.submitted = "1700" + second;
        if (is_dated && copy == 1) job.started = "1700" + second;
        runs.add(job, copy == 0 ? "a" : "b");
      }
    }
    EXPECT_EQ(runs.size(), 20'000U) << is_dated;
  }
}

TEST(KeepLatestRows, FillsNothingFromARowThatContradicts) {
  const auto row = [](const std::string& gpus, const std::string& energy,
                      const std::string& seconds, const std::string& file) {
    return JobRecord{
        .job = "100",
        .facts = {{"gpus", gpus}, {"duration_s", seconds}, {"energy_j", energy}},
        .identity = {.system = "sacct", .id = "100", .submitted = "2024-05-31T10:00:00"},
        .source = file};
  };
  for (const bool other_order : {false, true}) {
    std::vector<JobRecord> records{row("8", "1000000", "3600", "u1.txt"),
                                   row("16", "", "3660", "u2.txt")};
    if (other_order) std::swap(records[0], records[1]);
    const KeptRows kept = keep_latest_rows(records, {});
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(fact_of(records[0], "gpus"), "16");
    EXPECT_EQ(fact_of(records[0], "energy_j"), "");
    EXPECT_THAT(kept.warnings, testing::ElementsAre(testing::HasSubstr(
                                   "contradict each other 2 times, the first: u1.txt: \"100\": "
                                   "gpus is \"8\", and \"16\" in the row that counts")));
  }
}

TEST(JoinAccounts, TakesNoAccountOfAnotherJobWithTheId) {
  const std::vector<LeftOut> failed{{{.why = TraceOddity::kFailedRun,
                                      .identity = {.system = "sacct", .id = "38113", .gpus = "16"}},
                                     "a"}};
  std::vector<JobRecord> records{account("38113"), log("slurm-38113", "16")};
  EXPECT_THAT(join_accounts(records, failed),
              testing::StartsWith("1 log has no account, the first: slurm-38113."));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(fact_of(records[1], "job_energy_j"), "(none)");
  std::vector<JobRecord> two{account("38113"), account("38113"), log("slurm-38113", "16")};
  two[1].facts[1].second = "16";
  two[1].facts[4].second = "7000";
  EXPECT_EQ(join_accounts(two, {}), "");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(fact_of(two[1], "job_energy_j"), "7000");
}

/// GPU 0 of a node, with ten samples of ten seconds in all.
DeviceRow row_of_gpu() {
  DeviceRow row{.job = "7", .node = "n1", .gpu = "0", .figures = {}};
  row.figures.samples = 10;
  row.figures.last_ns = 9'000'000'000;
  return row;
}

TEST(JoinSameDevices, TheGapsAreThoseOfThePower) {
  DeviceRow power = row_of_gpu();
  for (int i = 0; i < 10; ++i) power.figures.power.add(200);
  power.figures.energy_j = 1400;
  power.figures.gap_s = 2;
  DeviceRow use = row_of_gpu();
  for (int i = 0; i < 10; ++i) use.figures.sm_util.add(90);
  use.figures.gap_s = 9;
  for (const bool power_first : {true, false}) {
    std::vector<DeviceRow> rows{power_first ? power : use, power_first ? use : power};
    EXPECT_EQ(join_same_devices(rows), "");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].figures.gap_s, 2) << power_first;
    EXPECT_EQ(rows[0].figures.energy_j, 1400);
    EXPECT_EQ(rows[0].figures.sm_util.mean(), 90);
    EXPECT_EQ(rows[0].figures.samples, 10U);
  }
}

}  // namespace
}  // namespace scalelaw::test
