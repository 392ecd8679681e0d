#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "support/command.hpp"
#include "support/places.hpp"
#include "trace/formats.hpp"
#include "trace/records.hpp"

// CodeCarbon's emissions.csv, carbontracker's logs, ZeusMonitor's windows.
namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct MonitorRead {
  std::vector<JobRecord> records;
  std::map<TraceOddity, int> counts;
};

MonitorRead read_monitor(const TraceFormat& format, const std::string& name,
                         const std::string& text) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "run");
  const std::string path = (folder.path() / "run" / name).string();
  write_bytes(path, text);
  CountedNotes notes;
  MonitorRead result;
  result.records = format.read_records(path, {}, notes);
  result.counts = notes.counts;
  return result;
}

std::string monitor_message(const TraceFormat& format, const std::string& text) {
  try {
    read_monitor(format, "log", text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void read_every_prefix(const TraceFormat& format, const std::string& text) {
  for (std::size_t length = 0; length <= text.size(); ++length) {
    EXPECT_NO_THROW(monitor_message(format, text.substr(0, length)));
  }
}

// --- CodeCarbon ---

MonitorRead emissions(const std::string& text) {
  return read_monitor(kCodeCarbon, "emissions.csv", text);
}

/// Rows of mlco2/codecarbon's examples/emissions.csv, version 2.4.3, without the columns of places.
const std::string kEmissions =
    "timestamp,project_name,run_id,duration,emissions,emissions_rate,cpu_power,gpu_power,ram_power,"
    "cpu_energy,gpu_energy,ram_energy,energy_consumed,os,cpu_count,cpu_model,gpu_count,gpu_model,"
    "tracking_mode,pue\n"
    "2024-05-31T11:09:40,codecarbon,8a1d9822,15.812680006027222,1.9e-07,1.2e-08,0.7223,0.047,3.0,"
    "2.0197518384920225e-06,1.6932601140605084e-07,8.38407834370931e-06,1.0573156193607383e-05,"
    "macOS,8,\"Apple, M1\",1,Apple M1,machine,1.0\n"
    "2024-05-31T11:10:46,codecarbon,8a1d9822,81.72712707519531,1.018719690364361e-06,1.2e-08,0.834,"
    "0.0156,3.0,1.218398032734129e-05,4.721016825834913e-07,4.3939456343650816e-05,"
    "5.65955383535756e-05,macOS,8,\"Apple, M1\",1,Apple M1,machine,1.0\n";

TEST(CodeCarbon, TakesTheLastOfTheSumsOfARunAndMakesJoules) {
  const MonitorRead one = emissions(kEmissions);
  ASSERT_EQ(one.records.size(), 1U);
  const JobRecord& run = one.records[0];
  EXPECT_EQ(run.job, "8a1d9822");
  EXPECT_EQ(fact_of(run, "duration_s"), "81.72712707519531");
  EXPECT_NEAR(std::stod(fact_of(run, "energy_j")), 203.743938072872, 1e-9);
  EXPECT_NEAR(std::stod(fact_of(run, "gpu_energy_j")), 1.69956605730057, 1e-12);
  EXPECT_NEAR(std::stod(fact_of(run, "cpu_energy_j")), 43.8623291784286, 1e-11);
  EXPECT_NEAR(std::stod(fact_of(run, "power_mean_w")), 0.0207956172953056, 1e-14);
  EXPECT_EQ(fact_of(run, "gpus"), "1");
  EXPECT_EQ(fact_of(run, "gpu_type"), "Apple M1");
  EXPECT_TRUE(one.counts.empty());
}

TEST(CodeCarbon, ReadsTheColumnsOfTheFirstVersion) {
  const JobRecord run =
      emissions(
          "timestamp,experiment_id,project_name,duration,emissions,energy_consumed,country_name\n"
          "2020-03-23T09:26:11,68f53844,project_gamma,34,8,2.5,USA\n")
          .records.at(0);
  EXPECT_EQ(run.job, "68f53844");
  EXPECT_EQ(fact_of(run, "energy_j"), "9000000");
  EXPECT_EQ(fact_of(run, "gpu_energy_j"), "");
  EXPECT_EQ(fact_of(run, "gpus"), "");
  EXPECT_EQ(fact_of(run, "pue"), "(none)");
}

TEST(CodeCarbon, JoinsRowsWithoutAnIdThatStartedTogether) {
  const MonitorRead runs = emissions(
      "timestamp,project_name,run_id,duration,emissions,energy_consumed\n"
      "2024-05-31T10:44:29,a,,98.5,1,0.5\n"
      "2024-05-31T10:45:08,a,,23.4,1,0.25\n"
      "2024-05-31T10:45:39,a,,54.7,1,0.75\n"
      "2024-05-31T10:45:39,b,,54.7,1,1\n");
  ASSERT_EQ(runs.records.size(), 3U);
  EXPECT_EQ(runs.records[0].job, "run/emissions-2");
  EXPECT_EQ(runs.records[1].job, "run/emissions-3");
  EXPECT_EQ(fact_of(runs.records[1], "duration_s"), "54.7");
  EXPECT_EQ(fact_of(runs.records[1], "energy_j"), "2700000");
  EXPECT_EQ(runs.records[2].job, "run/emissions-5");
}

TEST(CodeCarbon, KeepsTasksApart) {
  const MonitorRead tasks = emissions(
      "task_name,timestamp,project_name,run_id,duration,emissions,energy_consumed\n"
      "load,2024-05-31T10:44:29,a,r1,9,1,0.5\ntrain,2024-05-31T10:45:29,a,r1,7,1,0.25\n");
  ASSERT_EQ(tasks.records.size(), 2U);
  EXPECT_EQ(tasks.records[0].job, "r1-load");
  EXPECT_EQ(fact_of(tasks.records[1], "task"), "train");
}

TEST(CodeCarbon, NotesRowsOfOtherWidthsAndBadCells) {
  const MonitorRead runs = emissions(
      "timestamp,project_name,run_id,duration,emissions,energy_consumed\n"
      "2024-05-31T10:44:29,a,r1,9,1,x\n2024-05-31T10:44:29,a,r2,9,1\n"
      "timestamp,project_name,run_id,duration,emissions,energy_consumed\n"
      "2024-05-31T10:44:29,a,\"r3,9,1,1\n2024-05-31T10:44:29,a,r4,,1,1\n2024-05-31T1");
  EXPECT_EQ(runs.records.size(), 1U);
  EXPECT_EQ(runs.counts, (std::map<TraceOddity, int>{{TraceOddity::kBadCell, 1},
                                                     {TraceOddity::kForeignLine, 3},
                                                     {TraceOddity::kRepeatedHeader, 1},
                                                     {TraceOddity::kCutLine, 1}}));
}

TEST(CodeCarbon, IsRecognisedByItsHeader) {
  EXPECT_TRUE(kCodeCarbon.recognises(kEmissions));
  EXPECT_FALSE(kCodeCarbon.recognises("timestamp,duration,emissions\n"));
  EXPECT_THAT(kCodeCarbon.missing("timestamp,duration,emissions,country_name\n"),
              HasSubstr("energy_consumed"));
  EXPECT_EQ(kCodeCarbon.missing("gpus,time\n"), "");
  EXPECT_THAT(
      monitor_message(kCodeCarbon, "timestamp,project_name,duration,emissions,energy_consumed\n"),
      HasSubstr("no run in it"));
  read_every_prefix(kCodeCarbon, kEmissions);
}

// --- carbontracker ---

/// The example of lfwa/carbontracker's README.
const std::string kPrintedLog =
    "CarbonTracker: \nActual consumption for 1 epoch(s):\n        Time:   0:00:10\n"
    "        Energy: 0.000038 kWh\n        CO2eq:  0.003130 g\n"
    "        This is equivalent to:\n        0.000026 km travelled by car\n"
    "CarbonTracker: \nPredicted consumption for 1000 epoch(s):\n        Time:   2:52:22\n"
    "        Energy: 0.038168 kWh\n        CO2eq:  4.096665 g\n";

/// In the form of carbontracker 2.3 (tests/test_report.py), with two GPUs.
const std::string kMeasuredLog =
    "2025-11-18 15:53:54 - carbontracker version 2.3.4\n"
    "2025-11-18 15:53:54 - Only predicted and actual consumptions are multiplied by a PUE "
    "coefficient of 1.58 (Daniel Bizo, 2023, Uptime Institute Global Data Center Survey).\n"
    "2025-11-18 15:53:54 - The following components were found: GPU with device(s) Tesla "
    "V100-SXM2, "
    "Tesla V100-SXM2. CPU with device(s) cpu:0.\n"
    "2025-11-18 15:54:28 - Epoch 1:\n2025-11-18 15:54:28 - Duration: 0:02:20.00\n"
    "2025-11-18 15:54:28 - Average power usage (W) for gpu: [136.5\n 140.5]\n"
    "2025-11-18 15:54:28 - Average power usage (W) for cpu: 13\n"
    "2025-11-18 15:56:28 - Epoch 2:\n2025-11-18 15:56:28 - Duration: 0:02:00\n"
    "2025-11-18 15:56:28 - Average power usage (W) for gpu: [130. 150.]\n"
    "2025-11-18 15:56:28 - Average power usage (W) for cpu: 11\n"
    "2025-11-18 15:56:28 - Monitoring thread ended.\n";

TEST(CarbonTracker, ReadsWhatWasMeasuredAndNotWhatWasPredicted) {
  const JobRecord run =
      read_monitor(kCarbonTracker, "job7.out", "Epoch 1\n" + kPrintedLog).records.at(0);
  EXPECT_EQ(run.job, "job7");
  EXPECT_EQ(fact_of(run, "epochs"), "1");
  EXPECT_EQ(fact_of(run, "duration_s"), "10");
  EXPECT_NEAR(std::stod(fact_of(run, "energy_j")), 136.8, 1e-12);
  EXPECT_EQ(fact_of(run, "emissions_g"), "0.00313");
  EXPECT_EQ(fact_of(run, "gpus"), "");
}

TEST(CarbonTracker, IntegratesThePowersOfItsEpochs) {
  const JobRecord run =
      read_monitor(kCarbonTracker, "a_carbontracker.log", kMeasuredLog).records.at(0);
  EXPECT_EQ(run.job, "a");
  EXPECT_EQ(fact_of(run, "gpus"), "2");
  EXPECT_EQ(fact_of(run, "gpu_type"), "Tesla V100-SXM2");
  EXPECT_EQ(fact_of(run, "epochs"), "2");
  EXPECT_EQ(fact_of(run, "duration_s"), "260");
  EXPECT_EQ(fact_of(run, "epoch_seconds"), "130");
  EXPECT_EQ(fact_of(run, "gpu_energy_j"), "72380");  // 277 W * 140 s + 280 W * 120 s.
  EXPECT_EQ(fact_of(run, "cpu_energy_j"), "3140");
  EXPECT_EQ(fact_of(run, "energy_j"), "75520");
  EXPECT_NEAR(std::stod(fact_of(run, "power_mean_w")), 72380.0 / 260 / 2, 1e-12);
  EXPECT_EQ(fact_of(run, "pue"), "1");
}

TEST(CarbonTracker, JoinsTheTwoLogsOfARunWhicheverIsNamed) {
  const TemporaryFolder folder;
  const std::string measured = (folder.path() / "x_carbontracker.log").string();
  const std::string printed = (folder.path() / "x_carbontracker_output.log").string();
  write_bytes(measured, kMeasuredLog);
  write_bytes(printed, kPrintedLog);
  const JobRecord one = records_of(kCarbonTracker, measured).at(0);
  const JobRecord other = records_of(kCarbonTracker, printed).at(0);
  EXPECT_EQ(one.job, "x");
  EXPECT_EQ(other.job, "x");
  EXPECT_EQ(one.facts, other.facts);
  EXPECT_NEAR(std::stod(fact_of(one, "energy_j")), 136.8, 1e-12);
  EXPECT_EQ(fact_of(one, "gpu_energy_j"), "72380");
  EXPECT_EQ(fact_of(one, "pue"), "1.58");
}

TEST(CarbonTracker, LeavesEnergyEmptyWhereAnEpochWasNotMeasured) {
  std::string text = kMeasuredLog;
  const std::string power = "[130. 150.]";
  text.replace(text.find(power), power.size(), "None");
  const JobRecord run = read_monitor(kCarbonTracker, "a.log", text).records.at(0);
  EXPECT_EQ(fact_of(run, "gpu_energy_j"), "");
  EXPECT_EQ(fact_of(run, "energy_j"), "");
  EXPECT_EQ(fact_of(run, "power_mean_w"), "138.5");
}

TEST(CarbonTracker, ReadsDaysAndOtherUnitsAndSeveralRuns) {
  const auto runs = read_monitor(kCarbonTracker, "a.log",
                                 "CarbonTracker: \nActual consumption for 3 epoch(s):\n"
                                 "\tTime:\t1 day, 2:00:00\n\tEnergy:\t5 Wh\n"
                                 "CarbonTracker: \nActual consumption:\n\tTime:\t0:00:09.5\n"
                                 "\tEnergy:\t0.5 horses\n")
                        .records;
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(fact_of(runs[0], "duration_s"), "93600");
  EXPECT_EQ(fact_of(runs[0], "epoch_seconds"), "31200");
  EXPECT_EQ(fact_of(runs[0], "energy_j"), "18000");
  EXPECT_EQ(runs[1].job, "a-2");
  EXPECT_EQ(fact_of(runs[1], "duration_s"), "9.5");
  EXPECT_EQ(fact_of(runs[1], "energy_j"), "");
}

TEST(CarbonTracker, RefusesAPredictionAlone) {
  EXPECT_THAT(monitor_message(kCarbonTracker,
                              kPrintedLog.substr(kPrintedLog.find("CarbonTracker: \nPred"))),
              HasSubstr("a prediction is no measurement"));
  EXPECT_TRUE(kCarbonTracker.recognises(kPrintedLog));
  EXPECT_TRUE(kCarbonTracker.recognises(kMeasuredLog));
  EXPECT_FALSE(kCarbonTracker.recognises("Energy: 0.000038 kWh\n"));
  read_every_prefix(kCarbonTracker, kPrintedLog + kMeasuredLog);
}

// --- ZeusMonitor ---

const std::string kZeusWindows =
    "start_time,window_name,elapsed_time,gpu0_energy,gpu1_energy\n"
    "100,step,4,400,400\n104,step,2,300,300\n106,step,2,300,300\n108,step,2,300,300\n"
    "100,epoch,10.5,1400,1400\n"
    "111,step,2,300,300\n113,step,2.5,300,300\n115.5,step,9,300,300\n111,epoch,13.5,1000,1200\n";

TEST(ZeusMonitor, MakesOneRunOfEpochsAndSteps) {
  const MonitorRead one = read_monitor(kZeusMonitor, "bert.csv", kZeusWindows);
  ASSERT_EQ(one.records.size(), 1U);
  const JobRecord& run = one.records[0];
  EXPECT_EQ(run.job, "bert");
  EXPECT_EQ(fact_of(run, "gpus"), "2");
  EXPECT_EQ(fact_of(run, "duration_s"), "24");
  EXPECT_EQ(fact_of(run, "energy_j"), "5000") << "steps lie inside epochs and count once";
  EXPECT_NEAR(std::stod(fact_of(run, "power_mean_w")), 5000.0 / 24 / 2, 1e-12);
  EXPECT_EQ(fact_of(run, "epochs"), "2");
  EXPECT_EQ(fact_of(run, "epoch_seconds"), "12");
  EXPECT_EQ(fact_of(run, "energy_per_epoch_j"), "2500");
  EXPECT_EQ(fact_of(run, "steps"), "7");
  EXPECT_EQ(fact_of(run, "seconds_per_step"), "2");
  EXPECT_EQ(one.counts.at(TraceOddity::kOtherStep), 1);
}

TEST(ZeusMonitor, LeavesWindowsOfPowerLimitsToTheSweep) {
  EXPECT_TRUE(kZeusMonitor.recognises(kZeusWindows));
  EXPECT_FALSE(kZeusMonitor.recognises(
      "start_time,window_name,elapsed_time,gpu0_energy\n1,PowerLimit_250,10,100\n2,step,1,1\n"));
  EXPECT_FALSE(kZeusMonitor.recognises(
      "start_time,window_name,elapsed_time,gpu0_energy\n1,resnet_bs32,10,100\n"));
  EXPECT_FALSE(kZeusMonitor.recognises(
      "start_time,window_name,elapsed_time,gpu0_energy\n1,epoch,10,100\n2,resnet_bs32,1,1\n"));
  EXPECT_TRUE(kZeusMonitor.recognises(
      "start_time,window_name,elapsed_time,gpu0_energy\n1,epoch,10,100\n1,train,10,100\n"));
  EXPECT_EQ(recognised_format(kZeusWindows)->name, "zeus-monitor");
  read_every_prefix(kZeusMonitor, kZeusWindows);
}

TEST(CodeCarbon, TheLatestOfSeveralCopiesOfARunCounts) {
  const TemporaryFolder folder;
  const std::string head =
      "timestamp,project_name,run_id,duration,emissions,energy_consumed,country_name\n";
  const std::string first = "2024-05-01T10:00:00,p,5b0f,100,0.5,1.5,France\n";
  const std::string last = "2024-05-01T10:05:00,p,5b0f,400,0.75,2.5,France\n";
  for (const auto& [name, text] : {std::pair("a", first), {"b", last}, {"c", first}}) {
    std::filesystem::create_directory(folder.path() / name);
    write_bytes(folder.path() / name / "emissions.csv", head + text);
  }
  const IngestResult result = ingest(std::vector{folder.path().string()}, {});
  ASSERT_EQ(result.table.rows.size(), 1U);
  const auto& names = result.table.names;
  const auto place = std::find(names.begin(), names.end(), "duration_s") - names.begin();
  EXPECT_EQ(result.table.rows[0].at(static_cast<std::size_t>(place)), "400");
  EXPECT_THAT(result.warnings, testing::Contains(testing::StartsWith("2 rows tell again")));
}

}  // namespace
}  // namespace scalelaw::test
