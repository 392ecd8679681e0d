#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "support/command.hpp"
#include "support/places.hpp"
#include "trace/formats.hpp"
#include "trace/records.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using Facts = std::vector<std::pair<std::string, std::string>>;

std::vector<JobRecord> records_of(const std::string& text) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "V100_bert.csv";
  write_bytes(path, text);
  return records_of(kZeusSweep, path.string());
}

std::string jobs_of(const std::string& text) {
  std::string jobs;
  for (const JobRecord& record : records_of(text)) jobs += record.job + ' ';
  return jobs;
}

TEST(ZeusSweep, MakesARecordOfEachWindow) {
  const auto records = records_of(
      "start_time,window_name,elapsed_time,gpu0_energy\n"
      "529134.31,__GlobalPowerLimitOptimizer_250,12.5,3000\n"
      "529151.60,__GlobalPowerLimitOptimizer_225,16,3200.5\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].job, "V100_bert-250W");
  EXPECT_EQ(records[0].facts, (Facts{{"power_cap_w", "250"},
                                     {"gpus", "1"},
                                     {"duration_s", "12.5"},
                                     {"energy_j", "3000"},
                                     {"power_mean_w", "240"},
                                     {"window", "__GlobalPowerLimitOptimizer_250"},
                                     {"sweep", "V100_bert"}}));
  EXPECT_EQ(records[1].job, "V100_bert-225W");
  EXPECT_EQ(records[1].facts[4].second, "200.03125");
}

TEST(ZeusSweep, AddsTheEnergyOfAllGpusAndDividesTheMeanPowerByThem) {
  const auto records = records_of(
      "start_time,window_name,elapsed_time,gpu0_energy,gpu1_energy\n"
      "1,__GlobalPowerLimitOptimizer_250,10,1361.5,1402.25\n");
  EXPECT_THAT(records.at(0).facts,
              testing::IsSupersetOf({Pair("gpus", "2"), Pair("energy_j", "2763.75"),
                                     Pair("power_mean_w", "138.1875")}));
}

TEST(ZeusSweep, NumbersRepeatedLimitsAndNamesWindowsWithoutOne) {
  EXPECT_EQ(jobs_of("start_time,window_name,elapsed_time,gpu0_energy\n"
                    "1,PowerLimit_250,1,1\n2,PowerLimit_250,1,1\n3,PowerLimit_250,1,1\n4,warm_up,1,"
                    "1\n5,idle,1,1\n"
                    "6,idle,1,1\n7,idle-2,1,1\n"),
            "V100_bert-250W V100_bert-250W-2 V100_bert-250W-3 V100_bert-warm_up V100_bert-idle "
            "V100_bert-idle-2 V100_bert-idle-2-2 ");
  const auto records =
      records_of("start_time,window_name,elapsed_time,gpu0_energy\n4,warm_up,1,1\n");
  EXPECT_THAT(records.at(0).facts.at(0), Pair("power_cap_w", ""));
}

TEST(ZeusSweep, LeavesEmptyWhatWasNotMeasured) {
  const auto records = records_of(
      "start_time,window_name,elapsed_time,gpu0_energy,gpu1_energy\n"
      "1,PowerLimit_250,10,100,\n2,PowerLimit_225,0,100,100\n3,PowerLimit_200,N/A,100,100\n");
  EXPECT_THAT(records.at(0).facts,
              testing::IsSupersetOf({Pair("energy_j", ""), Pair("power_mean_w", "")}));
  EXPECT_THAT(records.at(1).facts,
              testing::IsSupersetOf({Pair("energy_j", "200"), Pair("power_mean_w", "")}));
  EXPECT_THAT(records.at(2).facts,
              testing::IsSupersetOf({Pair("duration_s", ""), Pair("power_mean_w", "")}));
}

TEST(ZeusSweep, ReadsAppendedSweepsOtherOrdersOfColumnsAndACutLine) {
  const std::string header = "start_time,window_name,gpu0_energy,elapsed_time,gpu1_energy\r\n";
  EXPECT_EQ(jobs_of(header + "1,PowerLimit_250,1,1,1\r\n\r\n" + header +
                    "2,PowerLimit_250,1,1,1\r\n3,PowerLimit_2"),
            "V100_bert-250W V100_bert-250W-2 ");
  EXPECT_EQ(jobs_of(header), "");
}

TEST(ZeusSweep, RefusesWhatIsMalformedWithItsPlace) {
  const std::string header = "start_time,window_name,elapsed_time,gpu0_energy\n";
  const auto message = [](const std::string& text) -> std::string {
    try {
      records_of(text);
    } catch (const ParseError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(header + "1,PowerLimit_250,1,1\n2,PowerLimit_225,x,1\n"),
              HasSubstr("V100_bert.csv:3: field 3: expected a number, found \"x\""));
  EXPECT_THAT(message(header + "1,PowerLimit_250,1\n2,PowerLimit_225,1,1\n"),
              HasSubstr(":2: expected 4 fields as in the header, found 3"));
  EXPECT_THAT(message(""), HasSubstr(":1: expected the header of a Zeus power-limit sweep"));
  EXPECT_THAT(message("start_time,window_name,elapsed_time\n1,PowerLimit_250,1\n"),
              HasSubstr(":1: "));
}

TEST(ZeusSweep, IsRecognisedByItsHeader) {
  EXPECT_TRUE(
      kZeusSweep.recognises("start_time,window_name,elapsed_time,gpu0_energy\n1,a_1,2,3\n"));
  EXPECT_TRUE(kZeusSweep.recognises(
      "\xEF\xBB\xBFstart_time,window_name,elapsed_time,gpu0_energy,gpu1_energy\r\n"));
  for (const char* head :
       {"", "start_time,window_name,elapsed_time\n", "start_time,window_name,gpu0_energy\n",
        "window_name,elapsed_time,gpu0_energy\n",
        "start_time,window_name,elapsed_time,gpu_energy\n",
        "start_time,window_name,elapsed_time,gpux_energy\n",
        "timestamp, index, power.draw [W]\nstart_time,window_name,elapsed_time,gpu0_energy\n"}) {
    EXPECT_FALSE(kZeusSweep.recognises(head)) << head;
  }
}

TEST(ZeusSweep, EveryPrefixIsReadOrRefusedAsAnError) {
  const std::string text =
      "start_time,window_name,elapsed_time,gpu0_energy\r\n"
      "1,__GlobalPowerLimitOptimizer_250,12.5,3000\n2,\"warm,\"\"up\",16,3200.5\n";
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "sweep.csv").string();
  for (std::size_t length = 0; length <= text.size(); ++length) {
    write_bytes(path, text.substr(0, length));
    try {
      EXPECT_LE(records_of(kZeusSweep, path).size(), 2U);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("sweep.csv:"));
    }
  }
}

/// Measurements that are not part of the project may be here.
const fs::path kSweepData = source_folder() / "../shared/data/zeus_power_sweep";

TEST(ZeusSweep, ReadsEveryMeasuredSweepFromTheHighestLimitDown) {
  if (!fs::exists(kSweepData)) GTEST_SKIP() << "no measurements here";
  int files = 0;
  for (const auto& entry : fs::directory_iterator(kSweepData)) {
    if (entry.path().extension() != ".csv") continue;
    ++files;
    std::vector<std::string> limits;
    for (const JobRecord& record : records_of(kZeusSweep, entry.path().string())) {
      limits.push_back(record.facts.at(0).second);
    }
    EXPECT_THAT(limits, ElementsAre("250", "225", "200", "175", "150", "125", "100"));
  }
  EXPECT_EQ(files, 6);
}

TEST(ZeusSweep, ReadsTheNumbersOfAMeasuredWindow) {
  const fs::path file = kSweepData / "V100_resnet18_gpu0-1.csv";
  if (!fs::exists(file)) GTEST_SKIP() << "no measurements here";
  const JobRecord record = records_of(kZeusSweep, file.string()).at(0);
  EXPECT_EQ(record.job, "V100_resnet18_gpu0-1-250W");
  // 1361.443 J + 1402.245 J in 10.353665743 s on two GPUs.
  EXPECT_EQ(record.facts[2].second, "10.353665743023157");
  EXPECT_NEAR(std::stod(record.facts[3].second), 2763.688, 1e-9);
  EXPECT_NEAR(std::stod(record.facts[4].second), 133.4642, 1e-4);
}

}  // namespace
}  // namespace scalelaw::test
