#include "scalelaw/trace/ingest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "trace/job_table.hpp"

namespace scalelaw {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSupercloudHeader =
    "timestamp,gpu_index,utilization_gpu_pct,utilization_memory_pct,memory_free_MiB,memory_used_"
    "MiB,"
    "temperature_gpu,temperature_memory,power_draw_W,pcie_link_width_current\n";

class Ingest : public testing::Test {
 protected:
  Ingest() {
    std::string pattern = (fs::temp_directory_path() / "scalelaw-ingest-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Ingest() override { fs::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& text) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  /// Rows of "time,gpu,sm,memory,used,power" under SuperCloud's header.
  std::string put_series(const std::string& name, const std::vector<std::string>& rows) const {
    std::string text = kSupercloudHeader;
    for (const std::string& row : rows) {
      std::vector<std::string> cells;
      std::size_t begin = 0;
      for (std::size_t end = row.find(','); begin <= row.size(); end = row.find(',', begin)) {
        cells.push_back(row.substr(begin, end - begin));
        begin = end == std::string::npos ? row.size() + 1 : end + 1;
      }
      text += cells[0] + ',' + cells[1] + ',' + cells[2] + ',' + cells[3] + ",100," + cells[4] +
              ",40,38," + cells[5] + ",16\n";
    }
    return put(name, text);
  }
  IngestResult read(const IngestOptions& options = {}) const {
    const std::vector<std::string> inputs{folder_.string()};
    return ingest(inputs, options);
  }
  /// Why a file of that text cannot be read; empty if it can.
  std::string error_of(const std::string& text) const {
    const std::vector<std::string> inputs{put("job.csv", text)};
    try {
      static_cast<void>(ingest(inputs, {}));
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

/// The cells of a row by the names of their columns.
std::map<std::string, std::string> row_of(const IngestResult& result, std::size_t row = 0) {
  std::map<std::string, std::string> cells;
  for (std::size_t i = 0; i < result.table.names.size(); ++i) {
    cells[result.table.names[i]] = result.table.rows.at(row).at(i);
  }
  return cells;
}

double number_of(const IngestResult& result, const std::string& column, std::size_t row = 0) {
  return std::stod(row_of(result, row).at(column));
}

TEST_F(Ingest, SummarisesAJobOnTwoNodes) {
  put_series("gpu/0000/17-r1-n1.csv",
             {"1000000000.000,0,50,10,1000,100", "1000000000.000,1,70,20,3000,200",
              "1000000001.000,0,60,10,1000,120", "1000000001.000,1,70,20,3000,200"});
  put_series("gpu/0000/17-r1-n2.csv",
             {"1000000000.500,0,100,40,2000,250", "1000000002.500,0,100,40,2000,250"});
  const IngestResult result = read();
  ASSERT_EQ(result.table.rows.size(), 1u);
  const auto row = row_of(result);
  EXPECT_EQ(row.at("job_id"), "17");
  EXPECT_EQ(row.at("nodes_seen"), "2");
  EXPECT_EQ(row.at("gpus_seen"), "3");
  EXPECT_EQ(row.at("gpus"), "3");
  EXPECT_EQ(row.at("samples"), "6");
  EXPECT_EQ(row.at("duration_s"), "2.5");
  EXPECT_EQ(row.at("sm_util_mean_pct"), "75");
  // Population deviation of 50, 60, 70, 70, 100, 100: sqrt(2150 / 6) = 18.929694486000914.
  EXPECT_DOUBLE_EQ(number_of(result, "sm_util_cv"), 0.2523959264800122);
  EXPECT_EQ(row.at("mem_used_mean_mib"), "2000");
  EXPECT_EQ(row.at("power_max_w"), "250");
  // 110 W for 1 s, 200 W for 1 s, 250 W for 2 s.
  EXPECT_EQ(row.at("energy_j"), "810");
  EXPECT_EQ(row.at("gap_s"), "0");
  EXPECT_EQ(row.at("samples_dropped"), "0");
  EXPECT_EQ(result.counts.files, 2u);
  EXPECT_EQ(result.counts.samples, 6u);
  EXPECT_EQ(result.counts.jobs, 1u);
  EXPECT_THAT(result.bad_files, IsEmpty());
}

TEST_F(Ingest, HasTheColumnsOfTheContractInItsOrder) {
  put_series("17-r1-n1.csv", {"1000000000,0,50,10,1000,100"});
  const std::string jobs = put("jobs/labels.csv", "id_job,model,epochs\n17,bert,2\n");
  const IngestResult result = read({.jobs = {jobs}});
  EXPECT_THAT(result.table.names,
              ElementsAre("job_id", "model", "epochs", "nodes_seen", "gpus_seen", "samples",
                          "duration_s", "sm_util_mean_pct", "sm_util_cv", "mem_util_mean_pct",
                          "mem_util_cv", "mem_used_mean_mib", "power_mean_w", "power_max_w",
                          "energy_j", "gap_s", "samples_dropped", "gpus", "epoch_seconds",
                          "energy_per_epoch_j", "samples_missing_share", "longest_interval_s",
                          "sampling_period_s", "deviant_gpus", "node_util_range_pct"));
}

TEST_F(Ingest, DoesNotIntegrateOverGaps) {
  // Eleven intervals of 1 s, one of 10 s (ten medians, still integrated) and one of 10.001 s.
  std::vector<std::string> rows;
  for (int i = 0; i <= 11; ++i) {
    rows.push_back(std::to_string(1000000000 + i) + ",0,50,10,1000,100");
  }
  rows.push_back("1000000021,0,50,10,1000,100");
  rows.push_back("1000000031.001,0,50,10,1000,100");
  put_series("1-r1-n1.csv", rows);
  EXPECT_EQ(row_of(read()).at("energy_j"), "2100");
  EXPECT_EQ(row_of(read()).at("gap_s"), "10.001");
  EXPECT_EQ(row_of(read()).at("longest_interval_s"), "10.001");
  EXPECT_EQ(row_of(read({.max_gap_s = 5})).at("energy_j"), "1100");
  EXPECT_EQ(row_of(read({.max_gap_s = 5})).at("gap_s"), "20.001");
  EXPECT_EQ(row_of(read({.max_gap_s = 11})).at("energy_j"), "3100.1");
}

TEST_F(Ingest, SortsSamplesAndDropsRepeatedOnes) {
  put_series("1-r1-n1.csv", {"1000000002,0,30,1,1,300", "1000000000,0,10,1,1,100",
                             "1000000001,0,20,1,1,200", "1000000001,0,90,1,1,900"});
  const IngestResult result = read();
  EXPECT_EQ(row_of(result).at("samples"), "3");
  EXPECT_EQ(row_of(result).at("samples_dropped"), "1");
  EXPECT_EQ(row_of(result).at("sm_util_mean_pct"), "20");
  EXPECT_EQ(row_of(result).at("energy_j"), "400");
}

TEST_F(Ingest, FilesOfOneNodeAreOneSeries) {
  put_series("a/1-r1-n1.csv", {"1000000002,0,30,1,1,300", "1000000003,0,30,1,1,300"});
  put_series("b/1-r1-n1.csv", {"1000000000,0,10,1,1,100", "1000000001,0,20,1,1,200"});
  EXPECT_EQ(row_of(read()).at("gpus_seen"), "1");
  EXPECT_EQ(row_of(read()).at("energy_j"), "700");
}

TEST_F(Ingest, TakesCellsWithoutANumberAsNotMeasured) {
  put_series("1-r1-n1.csv",
             {"1000000000,0,10,N/A,1,100", "1000000001,0,err,,1,", "1000000002,0,30,7,1,300"});
  const IngestResult result = read();
  EXPECT_EQ(row_of(result).at("samples"), "3");
  EXPECT_EQ(row_of(result).at("sm_util_mean_pct"), "20");
  EXPECT_EQ(row_of(result).at("mem_util_mean_pct"), "7");
  // From the reading at 0 s to the reading at 2 s.
  EXPECT_EQ(row_of(result).at("energy_j"), "400");
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("1 cell is no number")));
}

TEST_F(Ingest, TrimsTheIdleHeadAndTailOfAJob) {
  // GPU 1 is never busy, but its samples stay while the job works.
  put_series("1-r1-n1.csv",
             {"1000000000,0,0,1,1,50", "1000000001,0,80,1,1,200", "1000000002,0,0,1,1,50",
              "1000000003,0,90,1,1,200", "1000000004,0,3,1,1,50", "1000000000,1,0,1,1,40",
              "1000000002,1,0,1,1,40", "1000000004,1,0,1,1,40"});
  const IngestResult result = read({.idle_below_pct = 5});
  const auto row = row_of(result);
  EXPECT_EQ(row.at("samples"), "4");
  EXPECT_EQ(row.at("samples_trimmed"), "4");
  EXPECT_EQ(row.at("duration_s"), "2");
  EXPECT_EQ(row.at("energy_j"), "250");
  EXPECT_EQ(result.counts.trimmed, 4u);
}

TEST_F(Ingest, OfAJobThatNeverWorksNothingIsLeft) {
  put_series("1-r1-n1.csv", {"1000000000,0,0,1,1,50", "1000000001,0,1,1,1,50"});
  const auto row = row_of(read({.idle_below_pct = 5}));
  EXPECT_EQ(row.at("samples"), "0");
  EXPECT_EQ(row.at("samples_trimmed"), "2");
  EXPECT_EQ(row.at("duration_s"), "");
  EXPECT_EQ(row.at("energy_j"), "");
}

TEST_F(Ingest, WhatIsUndefinedIsEmpty) {
  put_series("1-r1-n1.csv", {"1000000000,0,0,NA,1,50"});
  const auto row = row_of(read());
  EXPECT_EQ(row.at("duration_s"), "0");
  EXPECT_EQ(row.at("energy_j"), "");
  EXPECT_EQ(row.at("sm_util_mean_pct"), "0");
  EXPECT_EQ(row.at("sm_util_cv"), "");
  EXPECT_EQ(row.at("mem_util_mean_pct"), "");
  EXPECT_EQ(row.at("sampling_period_s"), "");
}

TEST_F(Ingest, ReadsNvidiaSmiWithUnitsBlanksAndSentences) {
  put("run7.csv",
      "timestamp, index, name, power.draw [W], utilization.gpu [%], memory.used [MiB]\n"
      "2023/01/02 10:00:00.000, 0, Quadro, with comma, 100.00 W, 50 %, 1024 MiB\n"
      "Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.\n"
      "2023/01/02 10:00:01.000, 0, Quadro, with comma, 200.00 W, [N/A], 1 GiB\n"
      "timestamp, index, name, power.draw [W], utilization.gpu [%], memory.used [MiB]\n"
      "2023/01/02 10:00:02.000, 0, Tesla, [Unknown Error], 70 %, 1024 MiB\n"
      "2023/01/02 10:00:03.000, 0, Tes");
  const IngestResult result = read();
  const auto row = row_of(result);
  EXPECT_EQ(row.at("job_id"), "run7");
  EXPECT_EQ(row.at("samples"), "3");
  EXPECT_EQ(row.at("energy_j"), "150");
  EXPECT_EQ(row.at("sm_util_mean_pct"), "60");
  EXPECT_EQ(row.at("mem_used_mean_mib"), "1024");
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("1 line is no sample"), HasSubstr("1 last line is cut"),
                          HasSubstr("1 header came again")));
}

TEST_F(Ingest, SeparatesTheJobsOfAColumn) {
  put("cluster.csv",
      "timestamp, index, slurm_job, power.draw [W]\n"
      "2023/01/02 10:00:00, 0, 11, 100 W\n2023/01/02 10:00:00, 0, 12, 10 W\n"
      "2023/01/02 10:00:02, 0, 11, 100 W\n2023/01/02 10:00:02, 0, 12, 20 W\n");
  const IngestResult result = read({.trace = {.job_column = "slurm_job"}});
  ASSERT_EQ(result.table.rows.size(), 2u);
  EXPECT_EQ(row_of(result, 0).at("job_id"), "11");
  EXPECT_EQ(row_of(result, 0).at("energy_j"), "200");
  EXPECT_EQ(row_of(result, 1).at("energy_j"), "30");
}

TEST_F(Ingest, PrefersTheCounterOfEnergy) {
  put("job.txt",
      "#Entity   POWER    TOTEC\nID        W        mJ\n"
      "GPU 0     100      5000\nGPU 0     100      255000\nGPU 0     100      400000\n");
  EXPECT_EQ(row_of(read()).at("energy_j"), "395");
}

TEST_F(Ingest, OneReadingOfACounterIsNoEnergy) {
  put_series("1-r1-n1.csv", {"1000000000,0,50,10,1000,100", "1000000001,0,50,10,1000,100"});
  const std::string of_power = row_of(read()).at("energy_j");
  put("1-r1-n1.csv",
      "timestamp,gpu_index,power_draw_W,total_energy_mJ\n1000000000,0,100,5000\n"
      "1000000001,0,100,\n");
  EXPECT_EQ(row_of(read()).at("energy_j"), of_power);
}

// The usual interval is 1 s. Of 11 samples in 10 s five are there; five samples in 3 s are all.
TEST_F(Ingest, TellsTheShareOfSamplesThatAreMissing) {
  const auto missing = [this](const std::vector<std::string>& seconds) {
    std::vector<std::string> rows;
    for (const std::string& at : seconds) rows.push_back("10000000" + at + ",0,50,10,1000,100");
    put_series("1-r1-n1.csv", rows);
    return number_of(read(), "samples_missing_share");
  };
  EXPECT_NEAR(missing({"00", "01", "02", "03", "10"}), 6.0 / 11, 1e-12);
  EXPECT_EQ(missing({"00", "01", "02", "02.1", "03"}), 0);
}

TEST_F(Ingest, ACounterThatBeginsAnewLosesNothingItShows) {
  put("job.txt",
      "#Entity   TOTEC\nID        mJ\nGPU 0     5000\nGPU 0     9000\nGPU 0     1000\nGPU 0     "
      "3000\n");
  const IngestResult result = read();
  EXPECT_EQ(row_of(result).at("energy_j"), "7");
  EXPECT_THAT(
      result.warnings,
      testing::Contains(HasSubstr("1 counter of energy began anew: what came before counts")));
}

TEST_F(Ingest, JoinsTablesOfJobs) {
  put_series("10000000000001-r1-n1.csv",
             {"1000000000,0,50,10,1000,100", "1000000010,0,50,10,1000,100"});
  put_series("10000000000002-r1-n1.csv", {"1000000000,0,50,10,1000,100"});
  const std::string labels =
      put("jobs/labels.csv", "id_job,model\n10000000000001,bert\n10000000000009,vgg16\n");
  const std::string slurm =
      put("jobs/slurm.csv",
          "id_job,nodelist,time_start,time_end,tres_alloc,epochs\n"
          "10000000000001,\"['a', 'b']\",1000,1100,\"1=40,2=262144,4=1,5=40,1002=2\",4\n");
  const IngestResult result = read({.jobs = {labels, slurm}});
  const auto row = row_of(result);
  EXPECT_EQ(row.at("model"), "bert");
  EXPECT_EQ(row.at("nodelist"), "['a', 'b']");
  EXPECT_EQ(row.at("gpus"), "2");
  EXPECT_EQ(row.at("gpus_seen"), "1");
  EXPECT_EQ(row.at("epoch_seconds"), "25");
  EXPECT_EQ(row.at("energy_per_epoch_j"), "");  // One of two GPUs was measured.
  EXPECT_EQ(row.at("energy_seen_j"), "1000");
  EXPECT_EQ(row_of(result, 1).at("model"), "");
  EXPECT_EQ(row_of(result, 1).at("epoch_seconds"), "");
  EXPECT_THAT(result.warnings,
              testing::Contains(HasSubstr("1 job without a trace: 10000000000009")));
  EXPECT_THAT(
      result.warnings,
      testing::Contains(HasSubstr("1 job with a trace is in no table of jobs: 10000000000002")));
}

TEST_F(Ingest, SaysWhereTablesOfJobsContradictEachOther) {
  put_series("1-r1-n1.csv", {"1000000000,0,50,10,1000,100"});
  const std::string a = put("jobs/a.csv", "job_id,model\n1,bert\n");
  const std::string b = put("jobs/b.csv", "job_id,model\n1,vgg16\n");
  const IngestResult result = read({.jobs = {a, b}});
  EXPECT_EQ(row_of(result).at("model"), "bert");
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("contradict each other 1 time")));
}

TEST_F(Ingest, OneBadFileDoesNotTakeTheOthersDown) {
  put_series("1-r1-n1.csv", {"1000000000,0,50,10,1000,100"});
  put("2-r1-n1.csv", std::string("\x89PNG\r\n\x1a\n\0\0\0binary", 17));
  put("3-r1-n1.csv", "");
  put("4-r1-n1.csv.gz", "\x1f\x8b\x08 damaged");
  const IngestResult result = read();
  EXPECT_EQ(result.table.rows.size(), 1u);
  ASSERT_EQ(result.bad_files.size(), 3u);
  EXPECT_THAT(result.bad_files[0], HasSubstr("2-r1-n1.csv: this is no known telemetry format"));
  EXPECT_THAT(result.bad_files[1], HasSubstr("3-r1-n1.csv: the file is empty"));
  EXPECT_THAT(result.bad_files[2], HasSubstr("4-r1-n1.csv.gz"));
}

TEST_F(Ingest, RefusesInputsWithoutAnyTrace) {
  put("jobs.csv", "job_id,model\n1,bert\n");
  EXPECT_THROW(read(), DataError);
}

TEST_F(Ingest, ALineOfAMillionColumnsIsNoSample) {
  std::string text = kSupercloudHeader;
  text += "1000000000,0,50,10,100,1000,40,38,100,16\n" + std::string(3'000'000, ',') + "\n";
  text += "1000000001,0,50,10,100,1000,40,38,100,16\n";
  put("1-r1-n1.csv", text);
  const IngestResult result = read();
  EXPECT_EQ(row_of(result).at("samples"), "2");
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("1 line is no sample")));
}

TEST_F(Ingest, LeavesOutWhatStandsInTheTreeBesideTheTraces) {
  put_series("gpu/0000/1-r1-n1.csv", {"1000000000,0,50,10,1000,100"});
  put("cpu/0000/1-timeseries.csv", "Step,Node,Series,ElapsedTime,EpochTime\nbatch,r1,0,10,1\n");
  put("node-data.csv", "Node,Time,UserPIDCount,FSlatency\nr1,1.0,5:1|,0.0\n");
  put("tres-mapping.txt", "1\tcpu\n2\tmem\n");
  const IngestResult result = read();
  EXPECT_EQ(result.table.rows.size(), 1u);
  EXPECT_EQ(result.counts.other_files, 3u);
}

TEST_F(Ingest, KeepsTheGoodFileOfANodeBesideABadOne) {
  put_series("a/1-r1-n1.csv", {"1000000000,0,50,10,1000,100"});
  put("b/1-r1-n1.csv.gz", "\x1f\x8b\x08 damaged");
  const IngestResult result = read();
  EXPECT_EQ(row_of(result).at("samples"), "1");
  EXPECT_EQ(result.bad_files.size(), 1u);
  EXPECT_EQ(result.counts.files, 1u);
}

TEST_F(Ingest, NamesATraceWithoutASample) {
  put_series("1-r1-n1.csv", {"1000000000,0,50,10,1000,100"});
  put_series("2-r1-n1.csv", {});
  // Milliseconds are not Unix seconds.
  put_series("3-r1-n1.csv", {"1618080814783,0,50,10,1000,100"});
  const IngestResult result = read();
  EXPECT_THAT(result.bad_files, ElementsAre(HasSubstr("2-r1-n1.csv: it holds no sample"),
                                            HasSubstr("3-r1-n1.csv: ")));
}

TEST_F(Ingest, FilesThatNameNoNodeAreNodes) {
  const std::string log = "timestamp, index, power.draw [W]\n2023/01/02 10:00:00, 0, 100 W\n";
  put("a/job7.csv", log);
  put("b/job7.csv", log);
  const IngestResult result = read();
  EXPECT_EQ(result.table.rows.size(), 1u);
  EXPECT_EQ(row_of(result).at("nodes_seen"), "2");
  EXPECT_EQ(row_of(result).at("gpus_seen"), "2");
  EXPECT_EQ(row_of(result).at("samples"), "2");
}

TEST_F(Ingest, LeavesOutALastLineWhoseLastNumberIsCut) {
  const std::string log =
      "timestamp, index, power.draw [W]\n2023/01/02 10:00:00, 0, 100.25 W\n"
      "2023/01/02 10:00:01, 0, 100.25 W\n";
  for (const char* cut : {"1", "100", "100.", "100.2", "100.25", "100.25 "}) {
    put("job.csv", log + "2023/01/02 10:00:02, 0, " + cut);
    EXPECT_EQ(row_of(read()).at("samples"), "2") << cut;
  }
  put("job.csv", log + "2023/01/02 10:00:02, 0, 90.50 W");
  EXPECT_EQ(row_of(read()).at("samples"), "3");
}

TEST_F(Ingest, TakesTheUnitOfTheHeader) {
  put("job.csv",
      "timestamp, index, power.draw [mW]\n2023/01/02 10:00:00, 0, 5000\n"
      "2023/01/02 10:00:01, 0, 7000\n");
  EXPECT_EQ(row_of(read()).at("power_mean_w"), "6");
  put("job.csv", "timestamp, index, power.draw [MHz]\n2023/01/02 10:00:00, 0, 5000\n");
  EXPECT_THROW(read(), DataError);
}

TEST_F(Ingest, AStepBackOfACounterIsNoNewBeginning) {
  put("job.txt",
      "#Entity   TOTEC\nID        mJ\nGPU 0     900000000\nGPU 0     900100000\n"
      "GPU 0     900099999\nGPU 0     900200000\n");
  EXPECT_NEAR(number_of(read(), "energy_j"), 200, 1e-9);
}

TEST_F(Ingest, ARowWithoutItsGpuIsNoSample) {
  put("job.csv",
      "timestamp, uuid, power.draw [W]\n2023/01/02 10:00:00, GPU-1, 5 W\n"
      "2023/01/02 10:00:01, , 7 W\n");
  EXPECT_EQ(row_of(read()).at("gpus_seen"), "1");
  EXPECT_EQ(row_of(read()).at("samples"), "1");
}

TEST_F(Ingest, AsksForTheColumnOfTheGpu) {
  put("job.csv",
      "timestamp, power.draw [W]\n2023/01/02 10:00:00, 5 W\n2023/01/02 10:00:00, 7 W\n"
      "2023/01/02 10:00:01, 5 W\n2023/01/02 10:00:01, 7 W\n");
  EXPECT_THAT(read().warnings, testing::Contains(HasSubstr("say to which GPU a sample belongs?")));
}

TEST_F(Ingest, HalvesOfATornLineAreNoRow) {
  std::string text = kSupercloudHeader;
  text += "1000000000,0,50,1,9,1,40,38,100,16\n1000000001,0,50,1,9\n1,40,38,100,16\n";
  text += std::string(19, ',') + "\n";
  put("1-r1-n1.csv", text);
  EXPECT_EQ(row_of(read()).at("samples"), "1");
}

TEST_F(Ingest, CountsLinesThatAreNoSamplesAndNamesTheFirst) {
  const std::string begin =
      "timestamp, index, power.draw [W]\n2023/01/02 10:00:00, 0, 5 W\n"
      "stopped\n2023/01/02 10:00:01, 0, 5 W\n";
  const std::string end = "2023/01/02 10:00:02, 0, 5 W\n";
  put("a.csv", begin + end);
  EXPECT_THAT(read().warnings,
              testing::Contains(HasSubstr("1 line is no sample and was left out, "
                                          "the first at " +
                                          (folder_ / "a.csv").string() + ":3: \"stopped\"")));
  put("a.csv", begin + "began again\n" + end);
  put("b.csv", begin + end);
  EXPECT_THAT(
      read().warnings,
      testing::Contains(HasSubstr("3 lines are no samples and were left out, the first at " +
                                  (folder_ / "a.csv").string() + ":3: \"stopped\"")));
}

TEST_F(Ingest, CarriageReturnsAreNoPartOfTheLastCell) {
  put("job.csv",
      "timestamp,power_draw_W,gpu_index\r\n1600000000.5,100,0\r\n1600000000.5,100,1\r\n"
      "1600000001.5,100,0\r\n1600000001.5,100,1");
  const IngestResult result = read({.rows = IngestRows::kGpu});
  ASSERT_EQ(result.table.rows.size(), 2u);
  EXPECT_EQ(row_of(result, 0).at("gpu"), "0");
  EXPECT_EQ(row_of(result, 1).at("gpu"), "1");
  EXPECT_EQ(row_of(result, 1).at("samples"), "2");
}

TEST_F(Ingest, KeepsTheLastReadingOfOneColumn) {
  put("job.csv", "power.draw [W]\n5 W\n7 W\n9 W");
  EXPECT_EQ(row_of(read()).at("samples"), "3");
}

TEST_F(Ingest, ReadsQuotedCellsAndOneColumn) {
  put("job.csv",
      "\"timestamp\",\"index\",\"power.draw [W]\"\n\"2023/01/02 10:00:00\",\"0\",\"5 W\"\n");
  EXPECT_EQ(row_of(read()).at("power_mean_w"), "5");
  put("job.csv", "power.draw [W]\n5 W\n7 W\n");
  EXPECT_EQ(row_of(read()).at("energy_j"), "6");
}

TEST_F(Ingest, ATableOfJobsKeepsItsColumnsBesideFiguresOfTheSameName) {
  put_series("1-r1-n1.csv", {"1000000000,0,50,10,1000,100", "1000000002,0,50,10,1000,100"});
  const std::string jobs = put("jobs/a.csv", "job_id,samples,epoch_seconds,epochs\n 1 ,99,7.5,\n");
  const auto row = row_of(read({.jobs = {jobs}}));
  EXPECT_EQ(row.at("samples"), "2");
  EXPECT_EQ(row.at("job_samples"), "99");
  EXPECT_EQ(row.at("job_epoch_seconds"), "7.5");
}

TEST_F(Ingest, LooksAtTablesOfJobsBeforeTheTraces) {
  put_series("1-r1-n1.csv", {"1000000000,0,50,10,1000,100"});
  const std::string jobs = put("jobs/a.csv", "job_id,epochs\n1,abc\n");
  try {
    read({.jobs = {jobs}});
    FAIL() << "no error";
  } catch (const ParseError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.csv:2: field 2 'epochs': expected a number above 0"));
  }
}

TEST_F(Ingest, DoesNotTrimAJobWithoutAUtilisation) {
  put("job.csv", "timestamp, index, power.draw [W]\n2023/01/02 10:00:00, 0, 5 W\n");
  const IngestResult result = read({.idle_below_pct = 5});
  EXPECT_EQ(row_of(result).at("samples"), "1");
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("without a utilisation")));
}

TEST_F(Ingest, ARunTableInTheTreeIsNoBadFile) {
  put_series("1-r1-n1.csv", {"1000000000,0,50,10,1000,100"});
  put("runs.tsv", "model\tjob_id\tgpus\nbert\t1\t1\n");
  EXPECT_THAT(read().bad_files, IsEmpty());
}

TEST_F(Ingest, RefusesTimesThatDoNotFit) {
  put_series("1-r1-n1.csv", {"1000000000,0,50,10,1000,100"});
  put_series("2-r1-n1.csv", {"-9000000000,0,50,10,1000,100"});
  EXPECT_THAT(read().bad_files, ElementsAre(HasSubstr("a time stamp lies before 1967")));
}

TEST_F(Ingest, GivesARowANodeOrAGpu) {
  put_series("1-r1-n1.csv", {"1000000000,0,50,10,1000,100", "1000000000,1,70,10,1000,100"});
  put_series("1-r1-n2.csv", {"1000000000,0,90,10,1000,100"});
  const IngestResult nodes = read({.rows = IngestRows::kNode});
  ASSERT_EQ(nodes.table.rows.size(), 2u);
  EXPECT_EQ(row_of(nodes, 0).at("node"), "r1-n1");
  EXPECT_EQ(row_of(nodes, 0).at("sm_util_mean_pct"), "60");
  const IngestResult gpus = read({.rows = IngestRows::kGpu});
  ASSERT_EQ(gpus.table.rows.size(), 3u);
  EXPECT_EQ(row_of(gpus, 1).at("gpu"), "1");
  EXPECT_EQ(row_of(gpus, 1).at("sm_util_mean_pct"), "70");
}

TEST_F(Ingest, FindsAGpuUnlikeTheOthers) {
  for (int gpu = 0; gpu < 8; ++gpu) {
    put_series("1-r1-n" + std::to_string(gpu) + ".csv",
               {"1000000000,0," + std::to_string(gpu == 5 ? 40 : 90 + gpu % 3) + ",10,1000,200"});
  }
  const IngestResult result = read();
  EXPECT_EQ(row_of(result).at("deviant_gpus"), "1");
  EXPECT_EQ(row_of(result).at("node_util_range_pct"), "52");
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("GPUs unlike the others")));
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("nodes differ")));
}

TEST_F(Ingest, AnEnergyOfSomeOfTheNodesIsNoEnergyOfTheJob) {
  put_series("17-r1-n1.csv", {"1000000000,0,50,10,1000,100", "1000000010,0,50,10,1000,100"});
  const std::string jobs = put("jobs/labels.csv", "id_job,nodes,epochs\n17,2,4\n");
  const IngestResult part = read({.jobs = {jobs}});
  EXPECT_EQ(row_of(part).at("nodes"), "2");
  EXPECT_EQ(row_of(part).at("nodes_seen"), "1");
  EXPECT_EQ(row_of(part).at("energy_j"), "");
  EXPECT_EQ(row_of(part).at("energy_per_epoch_j"), "");
  EXPECT_EQ(row_of(part).at("energy_seen_j"), "1000");
  EXPECT_THAT(
      part.warnings,
      testing::Contains("1 job measured in part, so that the energy is left empty, and "
                        "energy_seen_j is that of the part, the first: 17, traces of 1 of 2 "
                        "nodes"));
  put_series("17-r1-n2.csv", {"1000000000,0,50,10,1000,100", "1000000010,0,50,10,1000,100"});
  const IngestResult whole = read({.jobs = {jobs}});
  EXPECT_EQ(row_of(whole).at("energy_j"), "2000");
  EXPECT_FALSE(row_of(whole).contains("energy_seen_j"));
}

TEST_F(Ingest, AnEnergyOfSomeOfTheGpusIsNoEnergyOfTheJob) {
  const std::string jobs = put("jobs/labels.csv", "id_job,gpus\n17,2\n");
  put_series("17-r1-n1.csv", {"1000000000,0,50,10,1000,100", "1000000010,0,50,10,1000,100"});
  EXPECT_EQ(row_of(read({.jobs = {jobs}})).at("energy_j"), "");
  put_series("17-r1-n1.csv", {"1000000000,0,50,10,1000,100", "1000000000,1,50,10,1000,N/A",
                              "1000000010,0,50,10,1000,100", "1000000010,1,50,10,1000,N/A"});
  const IngestResult result = read();
  EXPECT_EQ(row_of(result).at("energy_j"), "1000");
  EXPECT_THAT(result.warnings,
              testing::Contains("1 job whose energy lacks the GPUs that logged no power, the "
                                "first: 17, 1 of 2 GPUs"));
}

TEST_F(Ingest, WarnsOfAPowerThatTheGpuCannotDraw) {
  put("a.csv",
      "timestamp, index, name, power.draw [W], power.limit [W]\n"
      "2023/01/02 10:00:00, 0, Tesla T4, 69.00 W, 70.00 W\n"
      "2023/01/02 10:00:01, 0, Tesla T4, 312.00 W, 70.00 W\n");
  put("b.csv",
      "timestamp, index, name, power.draw [W]\n2023/01/02 10:00:00, 0, NVIDIA L4, 312.00 W\n"
      "2023/01/02 10:00:01, 0, NVIDIA H100 80GB HBM3, 650.00 W\n");
  const IngestResult result = read();
  EXPECT_THAT(result.warnings,
              testing::Contains(testing::AllOf(
                  HasSubstr("2 powers are more than 1.5 times what the GPU may draw"),
                  HasSubstr("a.csv:3: \"312 W, the limit is 70 W\""))));
  EXPECT_EQ(row_of(result).at("power_max_w"), "312");
}

TEST_F(Ingest, ReadsTimesWithZonesAndDaysFirst) {
  put("job.csv",
      "timestamp,index,power.draw [W]\n2023-01-02T12:00:00+02:00,0,50\n"
      "2023-01-02T10:00:10Z,0,50\n02-01-2023 10:00:20,0,50\n");
  const IngestResult result = read();
  EXPECT_EQ(row_of(result).at("samples"), "3");
  EXPECT_EQ(row_of(result).at("duration_s"), "20");
}

TEST_F(Ingest, FindsTheFirstLineOfALogBehindALongHead) {
  std::string pages;
  while (pages.size() < (180U << 10)) pages += "+ export VARIABLE=of a job script\n";
  put("job.txt", pages +
                     ":::MLLOG {\"time_ms\": 60000, \"key\": \"run_start\"}\n"
                     ":::MLLOG {\"time_ms\": 120000, \"key\": \"run_stop\"}\n");
  EXPECT_EQ(row_of(read()).at("minutes"), "1");
}

TEST_F(Ingest, NamesTheFormatOfALogWhoseFirstLineComesLate) {
  std::string pages;
  while (pages.size() < (1200U << 10)) pages += "some words of a framework\n";
  EXPECT_THAT(
      error_of(pages + " iteration 1/ 100 | consumed samples: 4 | elapsed time per iteration (ms): "
                       "500.0 | lm loss: 9.5 |\n"),
      HasSubstr("--format megatron reads the file"));
}

TEST_F(Ingest, NamesTheNearestFormatOfAnUnknownText) {
  EXPECT_THAT(
      error_of("step one of 3, {'learning_rate': 1e-5}\nthen 'epoch': 3\n"),
      HasSubstr("The nearest is hf-log (log of a Hugging Face Trainer): it has \"'epoch': \", "
                "\"'learning_rate': \", and lacks \"{'loss': \", \"'grad_norm': \""));
  EXPECT_THAT(error_of("epoch,step\n1,2\n"), HasSubstr("The nearest is lightning"));
  EXPECT_THAT(error_of("_step,_runtime,loss\n0,1.5,2.5\n"), HasSubstr("run-<id>.wandb, is read"));
  EXPECT_THAT(error_of("38113|a|COMPL|2102\n38113.batch|batch|COMPL|2102\n"),
              HasSubstr("it resembles sacct (Slurm accounting (sacct)), but it has no header"));
  EXPECT_THAT(error_of("[batch=1/4800]:\n\t Train loss/train/total: 12.0118\n"),
              HasSubstr("Composer printed it, which is not read"));
  EXPECT_THAT(error_of("Epoch 1 | iter 4 step 1 | loss train: 1.912, val: n/a | iter time: 9 ms\n"),
              HasSubstr("LitGPT printed it"));
  EXPECT_THAT(error_of("75/75 [====] - 5s 2ms/step - loss: 0.2913\n"),
              HasSubstr("Keras printed it"));
  EXPECT_THAT(error_of("Epoch 1: 12%|# | 12/100 [00:10<01:10, 1.25it/s, loss=2.31, v_num=0]\n"),
              HasSubstr("progress bar of PyTorch Lightning"));
  EXPECT_THAT(error_of("step 00001/21400 (0.00%) | loss: 10.8 | dt: 649.22ms | tok/sec: 807,569\n"),
              HasSubstr("nanochat printed it"));
  EXPECT_THAT(error_of("step 0 | loss: 10.9 | norm: 15.3 | dt: 2500.11ms | tok/sec: 209715.2\n"),
              HasSubstr("build-nanogpt printed it"));
  EXPECT_THAT(error_of("Epoch 1/5\n75/75 - 5s - loss: 0.2913\n"), HasSubstr("Keras printed it"));
  EXPECT_THAT(error_of("  5%|5   | 5/100 [00:10<01:10,  1.25s/it]\n"),
              HasSubstr("progress bar without values"));
  EXPECT_THAT(error_of("  5%|5   | 5/100 [00:10<01:10, 1.25it/s]\n"),
              HasSubstr("progress bar without values"));
  for (const char* text : {"a|b\n1|12 kbit/s\n", "copy | 12 it/s\n", "copy <12 it/s\n"}) {
    EXPECT_THAT(error_of(text), HasSubstr("resembles none")) << text;
  }
}

TEST_F(Ingest, NamesTheNearestJson) {
  EXPECT_THAT(error_of(R"({"meta": {}, "jobs": [{"job_id": 1, "tres": {}}]})"),
              HasSubstr("The nearest is sacct (Slurm accounting (sacct)): it has \"jobs\", "));
  EXPECT_THAT(error_of(R"({"epoch": 1.0, "eval_loss": 596.38, "test_bleu": 0.0})"),
              HasSubstr("The nearest is hf-trainer"));
  EXPECT_THAT(error_of(R"({"loss": 1, "_step": 5})"), HasSubstr("The nearest is wandb"));
  EXPECT_THAT(error_of(R"({"gpus": 4, "model": "bert"})"),
              HasSubstr("it resembles json-run (JSON summary of a run), but no number of its "
                        "outermost object is a time or rate"));
}

TEST_F(Ingest, SaysThatATextResemblesNoFormat) {
  EXPECT_THAT(error_of("a small index of words\n"),
              HasSubstr("it begins with \"a small index of words\", and resembles none"));
}

TEST_F(Ingest, SaysWhatToLogInPlaceOfAScreenOrOfColumnsOfGpus) {
  EXPECT_THAT(error_of("Fri Jun  2 10:00:00 2023\n+-----+\n| NVIDIA-SMI 525.85   Driver |\n"),
              HasSubstr("--query-gpu=timestamp,index,power.draw,utilization.gpu --format=csv"));
  EXPECT_THAT(error_of("timestamp,GPU0,GPU1\n2023-01-02 10:00:00,100,101\n"),
              HasSubstr("a column per GPU, which does not say what was measured"));
}

TEST_F(Ingest, GivesTheSameTableForAnyThreadsAndCompression) {
  for (int job = 0; job < 12; ++job) {
    std::vector<std::string> rows;
    for (int i = 0; i < 400 + job; ++i) {
      const int gpu = i % 3;
      rows.push_back(std::to_string(1600000000 + i / 3) + "." +
                     std::to_string(100 + (i * 37) % 800) + "," + std::to_string(gpu) + "," +
                     std::to_string((i * 7 + job) % 101) + "," + std::to_string((i * 3) % 101) +
                     "," + std::to_string(1000 + i) + "," + std::to_string(100 + (i * 13) % 150) +
                     ".25");
    }
    put_series(std::to_string(job) + "-r1-n1.csv", rows);
  }
  const RunTable one = read({.threads = 1}).table;
  EXPECT_EQ(one.rows.size(), 12u);
  for (const int threads : {2, 7}) EXPECT_EQ(read({.threads = threads}).table.rows, one.rows);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const gzFile packed = gzopen((entry.path().string() + ".gz").c_str(), "wb");
    gzwrite(packed, text.data(), static_cast<unsigned>(text.size()));
    gzclose(packed);
    fs::remove(entry.path());
  }
  EXPECT_EQ(read().table.rows, one.rows);
}

TEST_F(Ingest, WarnsOfImplausiblePowersWhateverTheirColumnsAreCalled) {
  for (const char* run : {R"({"gpus":4,"time_s":1000,"energy_j":100})",
                          R"({"gpus":4,"runtime_s":1000,"energy_j":100})",
                          R"({"n_gpus":4,"duration_s":1000,"energy_kwh":50})",
                          R"({"world_size":4,"duration_s":1000,"energy_j":100})",
                          R"({"gpus":4,"job_duration_s":1000,"job_energy_j":100})"}) {
    const std::vector<std::string> inputs{put("run.json", run)};
    EXPECT_THAT(ingest(inputs, {}).warnings,
                testing::Contains(HasSubstr("less than 5 W or more than 2,000 W per GPU")))
        << run;
  }
  const RunTable results{.names = {"job_id", "accelerators", "minutes", "energy_j"},
                         .rows = {{"bert", "4", "17", "100"}, {"bad", "", "17", "100"}}};
  EXPECT_THAT(implausible_power_warning(results), HasSubstr("1 row with less than 5 W"));
  for (const char* run : {R"({"gpus":4,"runtime_min":10,"energy_kwh":0.1})",
                          R"({"gpus":4,"runtime_s":1000,"energy":100})"}) {
    const std::vector<std::string> inputs{put("run.json", run)};
    EXPECT_THAT(ingest(inputs, {}).warnings, IsEmpty()) << run;
  }
}

TEST_F(Ingest, OneRareSignNamesTheNearestFormat) {
  EXPECT_THAT(error_of(R"({"benchmarks": []})"), HasSubstr("nearest is google-benchmark"));
  EXPECT_THAT(error_of(R"({"dataframe": {}})"), HasSubstr("nearest is thicket"));
  EXPECT_THAT(error_of("[INFO] [config.py:1000:print]   train_batch_size ............. 16\n"),
              HasSubstr("nearest is deepspeed"));
  EXPECT_THAT(error_of("  train_micro_batch_size_per_gpu 4\n"), HasSubstr("nearest is deepspeed"));
}

TEST_F(Ingest, ReadsTheErrorsOfJobsInFolders) {
  const std::string log =
      " iteration 1/ 10 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.5 |\n";
  put("slurm-5.err", log);
  put("bert.e123", log);
  put("gpt.o123", log);
  put("notes.e12a", log);
  const IngestResult result = read();
  EXPECT_EQ(result.counts.files, 3U);
  EXPECT_EQ(row_of(result, 2).at("job_id"), "slurm-5");
}

}  // namespace
}  // namespace scalelaw
