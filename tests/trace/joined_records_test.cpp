#include "trace/joined_records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/records.hpp"

namespace scalelaw::test {
namespace {

JobRecord account(const std::string& id) {
  return {id,
          {{"status", "COMPLETED"},
           {"gpus", "8"},
           {"nodes", "2"},
           {"duration_s", "600"},
           {"energy_j", "5000"}}};
}

JobRecord log(const std::string& name, const std::string& gpus = "") {
  return {name,
          {{"gpus", gpus}, {"duration_s", "550"}, {"status", "finished"}, {"loss", "2.5"}},
          "logs/" + name + ".out"};
}

TEST(JoinAccounts, GivesTheLogWhatSlurmSaysOfTheJob) {
  for (const char* name : {"38113", "slurm-38113", "gpt2-n4_38113", "a/slurm-38113"}) {
    std::vector<JobRecord> records{account("38113"), log(name)};
    join_accounts(records);
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
  join_accounts(records);
  EXPECT_EQ(fact_of(records.at(0), "gpus"), "16");
  EXPECT_EQ(fact_of(records.at(0), "job_gpus"), "8");
}

TEST(JoinAccounts, KnowsTheTasksOfAnArray) {
  std::vector<JobRecord> records{account("5908801_3"), account("3"), log("slurm-5908801_3")};
  join_accounts(records);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].job, "3");
}

TEST(JoinAccounts, LeavesAJobOfSeveralLogsAlone) {
  std::vector<JobRecord> records{account("38113"), log("a-38113"), log("b-38113"), log("c-7")};
  join_accounts(records);
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

TEST(JoinAccounts, TakesNoOtherIdForAJob) {
  std::vector<JobRecord> records{account("17b0"), log("slurm-17b0")};
  join_accounts(records);
  EXPECT_EQ(records.size(), 2U);
}

TEST(JoinAccounts, KnowsThePartsOfAHeterogeneousJob) {
  std::vector<JobRecord> records{account("5+0"), log("slurm-5+0")};
  join_accounts(records);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(fact_of(records[0], "job_energy_j"), "5000");
}

TEST(DropEarlierAccounts, KeepsTheRowThatEndedLast) {
  const auto row = [](const std::string& energy, const std::string& submitted,
                      const std::string& ended) {
    return JobRecord{"1", {{"energy_j", energy}, {"submit_time", submitted}, {"end_time", ended}}};
  };
  std::vector<JobRecord> records{row("7000", "2024-05-01", "2024-05-03"),
                                 row("5000", "2024-05-01", "2024-05-02"),
                                 row("9000", "2026-01-01", "2026-01-02")};
  EXPECT_EQ(drop_earlier_accounts(records), std::vector<std::string>{"1"});
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(fact_of(records[0], "energy_j"), "7000");
  EXPECT_EQ(fact_of(records[1], "energy_j"), "9000") << "the id came again after years";
  // Without times, that with most cells.
  std::vector<JobRecord> bare{row("", "", ""), row("5000", "", ""), log("1"), log("1")};
  EXPECT_EQ(drop_earlier_accounts(bare).size(), 1U);
  ASSERT_EQ(bare.size(), 3U) << "logs are no accounts";
  EXPECT_EQ(fact_of(bare[0], "energy_j"), "5000");
}

}  // namespace
}  // namespace scalelaw::test
