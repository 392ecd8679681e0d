#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "support/command.hpp"
#include "support/places.hpp"
#include "trace/collect.hpp"
#include "trace/formats.hpp"
#include "trace/records.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Measurements that are not part of the project may be here.
const fs::path kPerunData = source_folder() / "../shared/data/perun";

// --- CSV export ---

const std::string kHeader = ",run id,hostname,device_group,sensor,unit,magnitude,timestep,value\n";

CollectingSink export_of(const std::string& rows) { return samples_of(kPerun, kHeader + rows); }

TEST(PerunExport, ReadsThePowerOfAGpuInWatts) {
  const CollectingSink sink = export_of(
      "0,0,node1,gpu,CUDA:0_POWER,W,0.001,0.0,55123.0\n"
      "1,0,node1,gpu,CUDA:0_POWER,W,0.001,1.0009,231877.0\n");
  ASSERT_EQ(sink.devices.size(), 1U);
  EXPECT_EQ(sink.devices[0], (Device{.job = "", .node = "node1", .name = "0"}));
  ASSERT_EQ(sink.samples.size(), 2U);
  EXPECT_EQ(sink.samples[0].time_ns, 0);
  EXPECT_DOUBLE_EQ(sink.samples[0].power_w, 55.123);
  EXPECT_TRUE(std::isnan(sink.samples[0].mem_used_mib));
  EXPECT_EQ(sink.samples[1].time_ns, 1'000'900'000);
  EXPECT_DOUBLE_EQ(sink.samples[1].power_w, 231.877);
  EXPECT_TRUE(sink.notes.empty());
}

TEST(PerunExport, JoinsTheSensorsOfAGpuThoughTheyStandOneAfterTheOther) {
  const CollectingSink sink = export_of(
      "0,0,n,gpu,CUDA:1_POWER,W,0.001,0.0,100000\n"
      "1,0,n,gpu,CUDA:1_POWER,W,0.001,1.5,200000\n"
      "2,0,n,gpu,CUDA:1_MEM,B,1.0,0.0,1048576\n"
      "3,0,n,gpu,CUDA:1_MEM,B,1.0,1.5,3145728\n"
      "4,0,n,gpu,CUDA:1_UTIL,%,1.0,1.5,87\n");
  ASSERT_EQ(sink.samples.size(), 2U);
  EXPECT_EQ(sink.samples[0].power_w, 100);
  EXPECT_EQ(sink.samples[0].mem_used_mib, 1);
  EXPECT_TRUE(std::isnan(sink.samples[0].sm_util_pct));
  EXPECT_EQ(sink.samples[1].power_w, 200);
  EXPECT_EQ(sink.samples[1].mem_used_mib, 3);
  EXPECT_EQ(sink.samples[1].sm_util_pct, 87);
}

TEST(PerunExport, TakesEveryHostGpuAndRunAsADevice) {
  const CollectingSink sink = export_of(
      "0,0,a,gpu,CUDA:0_POWER,W,1,0,1\n1,0,a,gpu,CUDA:1_POWER,W,1,0,2\n"
      "2,0,b,gpu,CUDA:0_POWER,W,1,0,3\n3,1,a,gpu,CUDA:0_POWER,W,1,0,4\n"
      "4,1,a,gpu,AMD Instinct MI100_3_POWER,W,1,0,5\n");
  EXPECT_EQ(sink.devices,
            (std::vector<Device>{{.job = "", .node = "a", .name = "0"},
                                 {.job = "", .node = "a", .name = "1"},
                                 {.job = "", .node = "b", .name = "0"},
                                 {.job = "trace-1", .node = "a", .name = "0"},
                                 {.job = "trace-1", .node = "a", .name = "AMD Instinct MI100_3"}}));
  std::vector<double> watts;
  for (const Sample& sample : sink.samples) watts.push_back(sample.power_w);
  EXPECT_EQ(watts, (std::vector<double>{1, 2, 3, 4, 5}));
}

TEST(PerunExport, LeavesOutOtherSensors) {
  const CollectingSink sink = export_of(
      "0,0,n,ram,RAM_USAGE,B,1.0,0.0,8123396096.0\n1,0,n,cpu,CPU_FREQ_0,Hz,1.0,0.0,1\n"
      "2,0,n,cpu,cpu_0_package-0_POWER,W,1.0,0.0,1\n3,0,n,gpu,CUDA:0_CLOCK_MEM,Hz,1.0,0.0,1\n"
      "4,0,n,gpu,CUDA:0_POWER,W,1.0,0.0,\n");
  EXPECT_TRUE(sink.samples.empty());
  EXPECT_TRUE(sink.notes.empty());
}

TEST(PerunExport, FindsColumnsByTheirNames) {
  const CollectingSink sink = samples_of(
      kPerun,
      "\xEF\xBB\xBFvalue,timestep,magnitude,unit,sensor,device_group,extra,hostname,run id\r\n"
      "50,2,2,W,CUDA:0_POWER,gpu,x,n,0\r\n");
  ASSERT_EQ(sink.samples.size(), 1U);
  EXPECT_EQ(sink.samples[0].power_w, 100);
  EXPECT_EQ(sink.samples[0].time_ns, 2'000'000'000);
}

TEST(PerunExport, HandsOnARepeatedInstantSoThatItIsCounted) {
  const CollectingSink sink = export_of(
      "0,0,n,gpu,CUDA:0_POWER,W,1,1,10\n1,0,n,gpu,CUDA:0_POWER,W,1,1,20\n"
      "2,0,n,gpu,CUDA:0_POWER,W,1,2,30\n");
  ASSERT_EQ(sink.samples.size(), 3U);
  EXPECT_EQ(sink.samples[0].power_w, 10);
  EXPECT_EQ(sink.samples[1].power_w, 30);
  EXPECT_EQ(sink.samples[2].power_w, 20);
  EXPECT_EQ(sink.samples[2].time_ns, 1'000'000'000);
}

TEST(PerunExport, NotesWhatIsOdd) {
  const CollectingSink sink = export_of(
      "0,0,n,gpu,CUDA:0_POWER,W,1,soon,10\n1,0,n,gpu,CUDA:0_POWER,W,1,1,much\n"
      "2,0,n,gpu,CUDA:0_POWER,W,-,1,1\nKilled\n" +
      kHeader + "3,0,n,gpu,CUDA:0_POWER,W,1,1e300,1\n4,0,n,gpu,CUDA:0_POW");
  EXPECT_TRUE(sink.samples.empty());
  EXPECT_EQ(sink.count(TraceOddity::kBadCell), 4U);
  EXPECT_EQ(sink.count(TraceOddity::kForeignLine), 1U);
  EXPECT_EQ(sink.count(TraceOddity::kRepeatedHeader), 1U);
  EXPECT_EQ(sink.count(TraceOddity::kCutLine), 1U);
  EXPECT_EQ(sink.notes.front().line, 2U);
  EXPECT_EQ(sink.notes.front().what, "soon");
}

TEST(PerunExport, RefusesAFileWithoutItsHeader) {
  EXPECT_THROW(samples_of(kPerun, ""), ParseError);
  EXPECT_THROW(samples_of(kPerun, "0,0,n,gpu,CUDA:0_POWER,W,1,1,10\n"), ParseError);
}

TEST(PerunExport, IsRecognisedByItsHeader) {
  EXPECT_TRUE(kPerun.recognises(kHeader));
  EXPECT_TRUE(kPerun.recognises(kHeader + "0,0,n,gpu,CUDA:0_POWER,W,1,1,10"));
  EXPECT_FALSE(kPerun.recognises(""));
  EXPECT_FALSE(kPerun.recognises("\n" + kHeader));
  EXPECT_FALSE(kPerun.recognises(",run id,hostname,device_group,sensor,unit,timestep,value\n"));
  EXPECT_FALSE(kPerun.recognises("timestamp,index,power.draw [W]\n"));
}

TEST(PerunExport, EveryPrefixInPiecesOfAnySizeIsReadOrRefusedAsAnError) {
  const std::string text = kHeader +
                           "0,0,n,gpu,CUDA:0_POWER,W,0.001,0.0,55123.0\r\n"
                           "1,1,n,gpu,\"CUDA:0_MEM\",B,1,0.0,1\n2,1,n,gpu,_POWER,W,1,0.0,1\n";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    StringStream stream(std::string_view(text).substr(0, length), 1 + length % 7);
    CollectingSink sink;
    try {
      kPerun.read_samples(stream, "trace", {}, sink);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("trace:"));
    }
    EXPECT_LE(sink.samples.size(), 2U);
  }
}

TEST(PerunExport, ReadsTheExampleOfTheFormat) {
  if (!fs::exists(kPerunData)) GTEST_SKIP() << "no measurements here";
  const CollectingSink sink = samples_of(kPerun, read_bytes(kPerunData / "raw_export_made_up.csv"));
  EXPECT_EQ(sink.samples.size(), 3U);
  EXPECT_EQ(sink.devices.size(), 1U);
  EXPECT_TRUE(sink.notes.empty());
}

// --- Text report ---

using Facts = std::vector<std::pair<std::string, std::string>>;

std::vector<JobRecord> report_of(const std::string& text) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "report.txt";
  write_bytes(path, text);
  return records_of(kPerunReport, path.string());
}

const std::string kReport =
    "PERUN REPORT\n"
    "\n"
    "App name: mnist\n"
    "First run: 2023-08-22T17:44:34.927402\n"
    "\n"
    "RUN ID: 4711\n"
    "\n"
    "|   Round # | Host | RUNTIME   | ENERGY    | CPU_POWER | GPU_POWER | GPU_MEM  | DRAM_POWER |\n"
    "|----------:|:-----|:----------|:----------|:----------|:----------|:---------|:-----------|\n"
    "|         0 | All  | 61.954 s  | 28.440 kJ | 203.619 W | 1.250 kW  | 1.024 GB | 922.000 mW |\n"
    "|         1 | All  | 52.988 s  | 1.500 MJ  | 203.366 W | 234.821 W | 4.513 GB |            |\n"
    "|         0 | n1   | 61.954 s  | 20.000 kJ | 203.619 W | 1.250 kW  | 1.024 GB | 922.000 mW |\n"
    "|         1 | n1   | 52.988 s  | 1.000 MJ  | 203.366 W | 234.821 W | 4.513 GB | nan        |\n"
    "|         0 | n2   | 61.954 s  | 8.440 kJ  | 203.619 W | 1.250 kW  | 1.024 GB | 922.000 mW |\n"
    "\n"
    "Monitored Functions\n"
    "\n"
    "|   Round # | Function | Avg Runtime    |\n"
    "|----------:|:---------|:---------------|\n"
    "|         0 | All      | 50.390\xC2\xB1"
    "0.000 s |\n"
    "\n"
    "The application has been run 1 times.\n";

TEST(PerunReport, MakesARecordOfEachRoundOverAllHosts) {
  const auto records = report_of(kReport);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].job, "mnist-4711-0");
  EXPECT_EQ(records[0].facts, (Facts{{"app", "mnist"},
                                     {"run_id", "4711"},
                                     {"round", "0"},
                                     {"hosts", "2"},
                                     {"duration_s", "61.954"},
                                     {"energy_j", "28440"},
                                     {"gpu_power_w", "1250"},
                                     {"cpu_power_w", "203.619"},
                                     {"dram_power_w", "0.922"},
                                     {"gpu_mem_mib", "976.5625"}}));
  EXPECT_EQ(records[1].job, "mnist-4711-1");
  EXPECT_EQ(records[1].facts[3].second, "1");
  EXPECT_EQ(records[1].facts[5].second, "1500000");
  EXPECT_EQ(records[1].facts[8].second, "");
}

TEST(PerunReport, LeavesEmptyWhatTheHardwareDoesNotMeasure) {
  const auto records = report_of(
      "PERUN REPORT\n\nApp name: a\nRUN ID: r\n\n| Round # | Host | RUNTIME |\n|--|--|--|\n"
      "| 0 | All | 1.500 min |\n");
  ASSERT_EQ(records.size(), 1U);
  for (std::size_t fact = 4; fact < 10; ++fact) EXPECT_EQ(records[0].facts[fact].second, "");
}

TEST(PerunReport, ReadsReportsThatWereAppended) {
  const std::string second =
      "PERUN REPORT\n\nApp name: other\nRUN ID: x\n\n| Round # | Host |\n"
      "|---|---|\n| 0 | All |\n";
  const auto records = report_of(kReport + second);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].job, "mnist-4711-0");
  EXPECT_EQ(records[2].job, "other-x-0");
}

TEST(PerunReport, RefusesAReportWithoutRounds) {
  EXPECT_THROW(report_of(""), DataError);
  EXPECT_THROW(report_of("PERUN REPORT\n\nApp name: script\nRUNTIME: 0:00:06.333626 s\n"),
               DataError);
}

TEST(PerunReport, IsRecognisedByItsTitle) {
  EXPECT_TRUE(kPerunReport.recognises(kReport));
  EXPECT_TRUE(kPerunReport.recognises("\xEF\xBB\xBF\r\nPERUN REPORT\r\n"));
  EXPECT_FALSE(kPerunReport.recognises(""));
  EXPECT_FALSE(kPerunReport.recognises("# LxPERUN REPORT\n"));
  EXPECT_FALSE(kPerunReport.recognises("PERUN REPORTS\n"));
  EXPECT_FALSE(kPerunReport.recognises("an application\nPERUN REPORT\n"));
}

TEST(PerunReport, EveryPrefixIsReadOrRefusedAsAnError) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "report.txt").string();
  for (std::size_t length = 0; length <= kReport.size(); ++length) {
    write_bytes(path, kReport.substr(0, length));
    try {
      EXPECT_LE(records_of(kPerunReport, path).size(), 2U);
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("report.txt: "));
    }
  }
}

std::vector<std::string> facts_of(const fs::path& path, std::size_t fact) {
  std::vector<std::string> texts;
  for (const JobRecord& record : records_of(kPerunReport, path.string())) {
    texts.push_back(record.facts.at(fact).second);
  }
  return texts;
}

TEST(PerunReport, ReproducesThePublishedTimesAndEnergies) {
  if (!fs::exists(kPerunData)) GTEST_SKIP() << "no measurements here";
  using testing::ElementsAre;
  const fs::path single = kPerunData / "report_single_run.txt";
  EXPECT_THAT(facts_of(single, 4), ElementsAre("61.954"));
  EXPECT_THAT(facts_of(single, 5), ElementsAre("28440"));
  const fs::path five = kPerunData / "report_five_rounds.txt";
  EXPECT_THAT(facts_of(five, 4), ElementsAre("52.988", "48.401", "48.258", "48.537", "48.416"));
  EXPECT_THAT(facts_of(five, 5), ElementsAre("24379", "22319", "22248", "22393", "22323"));
  EXPECT_EQ(records_of(kPerunReport, five.string()).at(4).job,
            "torch_mnist-2023-08-22T17:45:46.992693-4");
}

}  // namespace
}  // namespace scalelaw::test
