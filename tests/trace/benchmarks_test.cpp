#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "support/command.hpp"
#include "support/places.hpp"
#include "trace/formats.hpp"
#include "trace/records.hpp"

namespace scalelaw::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Pair;

/// The records of a text, and what is noted of it.
struct Reading {
  std::vector<JobRecord> records;
  CountedNotes notes;
};

Reading reading_of(const TraceFormat& format, const std::string& text,
                   const std::string& name = "file.json") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / name).string();
  write_bytes(path, text);
  EXPECT_TRUE(format.recognises(text));
  Reading reading;
  reading.records = format.read_records(path, {}, reading.notes);
  return reading;
}

std::string message_of(const TraceFormat& format, const std::string& text) {
  try {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "file.json").string();
    write_bytes(path, text);
    CountedNotes notes;
    format.read_records(path, {}, notes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Every prefix ends in records or in an error.
void check_prefixes(const TraceFormat& format, const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "file.json").string();
  for (std::size_t length = 0; length < text.size(); length += 3) {
    write_bytes(path, text.substr(0, length));
    CountedNotes notes;
    try {
      format.read_records(path, {}, notes);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("file.json"));
    }
  }
}

// --- google-benchmark ---

TEST(GoogleBenchmark, MakesArgumentsColumnsAndLeavesOutAggregates) {
  const std::string text = R"({"context": {"host_name": "h"}, "benchmarks": [
    {"name": "BM_x<a/b>/8/rows:4/threads:2/real_time", "run_name": "BM_x<a/b>/8/rows:4/threads:2/real_time",
     "run_type": "iteration", "repetition_index": 0, "threads": 2, "iterations": 36059,
     "real_time": 1.8424876313825942e+04, "cpu_time": 2.5, "time_unit": "us", "foo": 3.5},
    {"name": "BM_x_mean", "run_name": "BM_x<a/b>/8/rows:4/threads:2/real_time", "run_type": "aggregate",
     "aggregate_name": "mean", "real_time": 1, "cpu_time": 1, "time_unit": "us"},
    {"name": "BM_err", "run_type": "iteration", "error_occurred": true, "error_message": "no"}]})";
  const Reading reading = reading_of(kGoogleBenchmark, text);
  ASSERT_EQ(reading.records.size(), 1U);
  EXPECT_EQ(reading.records[0].job, "file:BM_x<a/b>/8/rows:4/threads:2/real_time");
  EXPECT_THAT(reading.records[0].facts,
              ElementsAre(Pair("benchmark", "BM_x<a/b>"), Pair("argument", "8"), Pair("rows", "4"),
                          Pair("threads", "2"), Pair("repeat", "0"), Pair("iterations", "36059"),
                          Pair("real_time_s", "0.01842487631382594"), Pair("cpu_time_s", "2.5e-06"),
                          Pair("foo", "3.5"), Pair("host", "h")));
  EXPECT_THAT(reading.notes.counts,
              ElementsAre(Pair(TraceOddity::kFailedRun, 1), Pair(TraceOddity::kDerivedRow, 1)));
  check_prefixes(kGoogleBenchmark, text);
}

TEST(GoogleBenchmark, TakesTheMedianWhereOnlyAggregatesWereWritten) {
  const Reading reading = reading_of(kGoogleBenchmark, R"({"benchmarks": [
    {"name": "BM_a_mean", "run_name": "BM_a", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 5, "time_unit": "ns"},
    {"name": "BM_a_median", "run_name": "BM_a", "run_type": "aggregate", "aggregate_name": "median", "real_time": 4, "time_unit": "s"}]})");
  ASSERT_EQ(reading.records.size(), 1U);
  EXPECT_EQ(fact_of(reading.records[0], "real_time_s"), "4");
}

TEST(GoogleBenchmark, ReadsResultsOfOldVersions) {
  // tools/gbench/Inputs/test3_run0.json of google/benchmark.
  const Reading reading =
      reading_of(kGoogleBenchmark, R"({"context": {"num_cpus": 4}, "benchmarks": [
    {"name": "BM_Two", "iterations": 1000, "real_time": 9, "cpu_time": 90, "time_unit": "ns"},
    {"name": "BM_Two", "iterations": 1000, "real_time": 8, "cpu_time": 80, "time_unit": "ns"},
    {"name": "BM_Two_mean", "iterations": 1000, "real_time": 8, "cpu_time": 80, "time_unit": "ns"}]})");
  ASSERT_EQ(reading.records.size(), 2U);
  EXPECT_EQ(reading.records[1].job, "file:BM_Two#2");
  EXPECT_EQ(fact_of(reading.records[1], "real_time_s"), "8e-09");
}

// --- hyperfine ---

TEST(Hyperfine, MakesARowOfEachTimeWithItsParameters) {
  const std::string text = R"({"results": [
    {"command": "x 4", "mean": 1.5, "stddev": 0.1, "median": 1.5, "user": 1.25, "system": 0.5,
     "min": 1, "max": 2, "times": [1.0, 2.0, 9.0], "exit_codes": [0, 0, 1], "parameters": {"threads": "4"}}]})";
  const Reading reading = reading_of(kHyperfine, text);
  ASSERT_EQ(reading.records.size(), 2U);
  EXPECT_EQ(reading.records[1].job, "file-1-2");
  EXPECT_THAT(reading.records[1].facts,
              ElementsAre(Pair("command", "x 4"), Pair("threads", "4"), Pair("repeat", "2"),
                          Pair("duration_s", "2"), Pair("user_s", "1.25"), Pair("system_s", "0.5"),
                          Pair("memory_bytes", "")));
  EXPECT_THAT(reading.notes.counts, ElementsAre(Pair(TraceOddity::kFailedRun, 1)));
  check_prefixes(kHyperfine, text);
}

TEST(Hyperfine, RefusesANumberThatNoDoubleHolds) {
  EXPECT_THAT(message_of(kHyperfine,
                         "{\"results\": [{\"command\": \"a\", \"mean\": 1,\n\"times\": [1e999]}]}"),
              HasSubstr(":2: expected a number below 1.8e308, found 1e999"));
}

TEST(Hyperfine, ReadsVersionTwo) {
  // After the snapshot json_export_basic of hyperfine 2.0.0-alpha.2.
  const Reading reading = reading_of(kHyperfine, R"({"schema_version": 2, "results": [
    {"command": "sleep 1", "name": "one second", "measurements": [
      {"time_wall_clock": {"value": 1.0, "unit": "second"}, "time_user": {"value": 0.25, "unit": "second"},
       "time_system": {"value": 0.0, "unit": "second"}, "memory_peak_resident": {"value": 4096.0, "unit": "byte"},
       "exit_code": 0},
      {"time_wall_clock": {"value": 1.5, "unit": "second"}, "exit_code": 3}]}]})");
  ASSERT_EQ(reading.records.size(), 1U);
  EXPECT_THAT(reading.records[0].facts,
              IsSupersetOf(
                  {Pair("duration_s", "1"), Pair("user_s", "0.25"), Pair("memory_bytes", "4096")}));
  EXPECT_THAT(reading.notes.counts, ElementsAre(Pair(TraceOddity::kFailedRun, 1)));
}

// --- ReFrame ---

TEST(Reframe, ReadsLogsWithAHeader) {
  const std::string text =
      "result|job_completion_time|environ|jobid|name|num_tasks|partition|copy_bw_value|copy_bw_"
      "unit|"
      "system\n"
      "pass|2024-02-21T22:51:16|gnu|65|stream %num_threads=4|1|compute|21116.7|MB/s|pseudo\n"
      "fail|2024-02-21T22:51:16|gnu|66|stream %num_threads=4|1|compute|1|MB/s|pseudo\n"
      "pass|2024-02-21T22:51:19|clang|67|stream %num_threads=8|null|compute|18405.7|MB/s|pseudo\n"
      "pass|2024";
  const Reading reading = reading_of(kReframe, text, "stream.log");
  ASSERT_EQ(reading.records.size(), 2U);
  EXPECT_EQ(reading.records[0].job, "stream-65");
  EXPECT_THAT(
      reading.records[1].facts,
      ElementsAre(Pair("test", "stream"), Pair("num_threads", "8"), Pair("system", "pseudo"),
                  Pair("partition", "compute"), Pair("environ", "clang"), Pair("num_tasks", ""),
                  Pair("num_tasks_per_node", ""), Pair("num_cpus_per_task", ""),
                  Pair("num_gpus_per_node", ""), Pair("status", "pass"),
                  Pair("copy_bw [MB/s]", "18405.7")));
  EXPECT_THAT(reading.notes.counts,
              ElementsAre(Pair(TraceOddity::kCutLine, 1), Pair(TraceOddity::kFailedRun, 1)));
  check_prefixes(kReframe, text);
}

TEST(Reframe, JoinsTheLinesOfARunInOldLogs) {
  const std::string text =
      "2021-09-17T16:10:12|reframe 3.9.0|Stream on daint:gpu using "
      "gnu|jobid=33|num_tasks=1|Copy=24939.4|"
      "ref=25200 (l=-0.05, u=0.05)|MB/s\n"
      "2021-09-17T16:10:12|reframe 3.9.0|Stream on daint:gpu using "
      "gnu|jobid=33|num_tasks=1|Time=2.5|"
      "ref=3 (l=-0.05, u=0.05)|s\n";
  const Reading reading = reading_of(kReframe, text, "stream.log");
  ASSERT_EQ(reading.records.size(), 1U);
  EXPECT_THAT(reading.records[0].facts,
              ElementsAre(Pair("test", "Stream"), Pair("system", "daint"), Pair("partition", "gpu"),
                          Pair("environ", "gnu"), Pair("num_tasks", "1"),
                          Pair("Copy [MB/s]", "24939.4"), Pair("Time [s]", "2.5")));
  check_prefixes(kReframe, text);
}

TEST(Reframe, KnowsTheNamesThatSitesWriteBeforeValues) {
  // A line of ukri-excalibur/excalibur-tests (pull request 88), in which other names follow.
  const Reading old = reading_of(
      kReframe,
      "2023-02-06T18:50:12|reframe 3.12.0|Grid_ITT %n=4 /a1b2 "
      "@archer2:compute+default|jobid=3039779|"
      "Performance=29926.639|num_tasks=16|ref=150000|lower=null|upper=null|units=Mflop/s per node|"
      "spack_spec=grid@develop%cce|variables={\"OMP_NUM_THREADS\": \"16\"}\n",
      "grid.log");
  ASSERT_EQ(old.records.size(), 1U);
  EXPECT_THAT(old.records[0].facts,
              ElementsAre(Pair("test", "Grid_ITT"), Pair("n", "4"), Pair("system", "archer2"),
                          Pair("partition", "compute"), Pair("environ", "default"),
                          Pair("num_tasks", "16"), Pair("spack_spec", "grid@develop%cce"),
                          Pair("variables", "{\"OMP_NUM_THREADS\": \"16\"}"),
                          Pair("Performance [Mflop/s per node]", "29926.639")));
  // As the configuration of its pull request 111 writes them.
  const Reading headed = reading_of(
      kReframe,
      "job_completion_time|version|info|jobid|num_tasks|flops_var=flops_value|flops_ref|flops_"
      "unit\n"
      "2023-03-08T17:38:06|reframe 4.1.0|Sombrero /cc391b86 @generic:login+gnu|jobid=74922|"
      "num_tasks=2|flops=0.77|ref=None|units=Gflops/seconds\n",
      "sombrero.log");
  ASSERT_EQ(headed.records.size(), 1U);
  EXPECT_EQ(headed.records[0].job, "Sombrero-74922");
  EXPECT_EQ(fact_of(headed.records[0], "system"), "generic");
  EXPECT_EQ(fact_of(headed.records[0], "environ"), "gnu");
  EXPECT_EQ(fact_of(headed.records[0], "num_tasks"), "2");
  EXPECT_EQ(fact_of(headed.records[0], "flops [Gflops/seconds]"), "0.77");
}

TEST(Reframe, NamesQuantitiesByTheirRowsAndJoinsTheRowsOfARun) {
  const Reading named = reading_of(
      kReframe,
      "version|info|jobid|num_tasks|perf_var=perf_value|perf_unit|perf_ref\n"
      "reframe 4.5|stream %threads=4 /ab12 "
      "@daint:gpu+gnu|jobid=123|num_tasks=4|copy=1000.5|MB/s|9\n"
      "reframe 4.5|stream %threads=4 /ab12 "
      "@daint:gpu+gnu|jobid=123|num_tasks=4|triad=2000.5|MB/s|9\n"
      "reframe 4.5|stream %threads=4 /ab12 @daint:gpu+gnu|jobid=124|num_tasks=4|copy=1.5|MB/s|9\n",
      "stream.log");
  ASSERT_EQ(named.records.size(), 2U);
  EXPECT_EQ(fact_of(named.records[0], "copy [MB/s]"), "1000.5");
  EXPECT_EQ(fact_of(named.records[0], "triad [MB/s]"), "2000.5");
  EXPECT_EQ(fact_of(named.records[1], "copy [MB/s]"), "1.5");
  const Reading column = reading_of(
      kReframe,
      "version|name|system|jobid|perf_var=perf_var|perf_value=perf_value|unit=perf_unit\n"
      "reframe 4.5|stream|daint|jobid=123|perf_var=copy|perf_value=1000.5|unit=MB/s\n"
      "reframe 4.5|stream|daint|jobid=123|perf_var=triad|perf_value=2000.5|unit=MB/s\n",
      "stream.log");
  ASSERT_EQ(column.records.size(), 1U);
  EXPECT_EQ(fact_of(column.records[0], "copy [MB/s]"), "1000.5");
  EXPECT_EQ(fact_of(column.records[0], "triad [MB/s]"), "2000.5");
}

TEST(Reframe, TakesTheTestFromItsDisplayName) {
  const Reading reading = reading_of(
      kReframe, "display_name|jobid|result|t_value|t_unit\nstream %threads=4|123|pass|2|s\n",
      "x.log");
  EXPECT_EQ(reading.records.at(0).job, "stream-123");
  EXPECT_EQ(fact_of(reading.records[0], "test"), "stream");
  EXPECT_EQ(fact_of(reading.records[0], "threads"), "4");
}

TEST(Reframe, NeedsNoNameOfTheTest) {
  const Reading reading =
      reading_of(kReframe, "result|jobid|t_value|t_unit\npass|1|2|s\npass|3|4|s\n", "x.log");
  ASSERT_EQ(reading.records.size(), 2U);
  EXPECT_EQ(reading.records[1].job, "x-3");
  EXPECT_EQ(fact_of(reading.records[1], "t [s]"), "4");
}

// --- Extra-P ---

TEST(ExtraP, ReadsText) {
  const std::string text =
      "# a comment\nPARAMETER p q\nPOINTS (2 10) ( 4 20 )\n\nREGION main->solve\nMETRIC time\n"
      "DATA 1.5 2.5\nDATA\t3\nMETRIC bytes\nDATA 7\nDATA 8\n";
  const Reading reading = reading_of(kExtraP, text, "x.txt");
  ASSERT_EQ(reading.records.size(), 3U);
  EXPECT_EQ(reading.records[1].job, "x/main->solve/2,10/2");
  EXPECT_THAT(reading.records[1].facts,
              ElementsAre(Pair("p", "2"), Pair("q", "10"), Pair("callpath", "main->solve"),
                          Pair("repeat", "2"), Pair("time", "2.5"), Pair("bytes", "")));
  EXPECT_EQ(fact_of(reading.records[2], "bytes"), "8");
  check_prefixes(kExtraP, text);
  EXPECT_THAT(message_of(kExtraP, "PARAMETER p\nPOINTS 1 2\nREGION r\nDATA 1\nDATA 2\nDATA 3\n"),
              HasSubstr(":6: expected DATA for 2 points, found more"));
  EXPECT_THAT(message_of(kExtraP, "PARAMETER p q\nPOINTS (1 2) (3)\nDATA 1\n"),
              HasSubstr(":2: expected points of 2 numbers, found 3 numbers"));
  EXPECT_THAT(message_of(kExtraP, "PARAMETER p\nPOINTS 1\nDATA x\n"),
              HasSubstr(":3: expected a number, found \"x\""));
}

TEST(ExtraP, ReadsBothDocumentsAndLines) {
  const Reading fresh = reading_of(kExtraP, R"({"parameters": ["x"], "measurements":
    {"sweep": {"time": [{"point": [4], "values": [3.5, 4.5]}]}}})");
  ASSERT_EQ(fresh.records.size(), 2U);
  EXPECT_THAT(fresh.records[1].facts, ElementsAre(Pair("x", "4"), Pair("callpath", "sweep"),
                                                  Pair("repeat", "2"), Pair("time", "4.5")));
  const Reading old = reading_of(kExtraP, R"({"callpaths": [{"id": 1, "name": "sweep"}],
    "coordinates": [{"id": 7, "parameter_value_pairs": [{"parameter_id": 3, "parameter_value": 4}]}],
    "measurements": [{"callpath_id": 1, "coordinate_id": 7, "metric_id": 2, "value": 3.5}],
    "metrics": [{"id": 2, "name": "time"}], "parameters": [{"id": 3, "name": "x"}]})");
  ASSERT_EQ(old.records.size(), 1U);
  EXPECT_THAT(old.records[0].facts, ElementsAre(Pair("x", "4"), Pair("callpath", "sweep"),
                                                Pair("repeat", "1"), Pair("time", "3.5")));
  for (const char* text :
       {"{\"params\":{\"x\":4},\"metric\":\"time\",\"value\":[1,2]}\n\n{\"params\":{\"x\":8},"
        "\"metric\":"
        "\"time\",\"value\":3}\n{\"par",
        "{\"parameters\":{\"x\":4};\"metric\":\"time\";\"callpath\":\"main\";\"value\":1}\n"
        "{\"parameters\":{\"x\":4};\"metric\":\"time\";\"callpath\":\"main\";\"value\":2}\n"
        "{\"parameters\":{\"x\":8};\"metric\":\"time\";\"callpath\":\"main\";\"value\":3}\n{"}) {
    const Reading lines = reading_of(kExtraP, text);
    ASSERT_EQ(lines.records.size(), 3U);
    EXPECT_EQ(fact_of(lines.records[2], "x") + " " + fact_of(lines.records[2], "time"), "8 3");
    EXPECT_THAT(lines.notes.counts, ElementsAre(Pair(TraceOddity::kCutLine, 1)));
    check_prefixes(kExtraP, text);
  }
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_THAT(message_of(kExtraP, "{\"params\":{\"x\":4},\"value\":" + deep + "}\n"),
              HasSubstr(":1: expected a measurement of Extra-P as JSON, found \"{"));
  EXPECT_THAT(message_of(kExtraP, "{\"params\":{\"x\":4},\"value\":1}\nx\n{}\n"),
              HasSubstr(":2: expected a measurement of Extra-P as JSON, found \"x\""));
}

// --- Caliper ---

TEST(Caliper, ReadsARowPerRegionWithItsPath) {
  // After hatchet/tests/data/caliper-ordered-json of LLNL/hatchet.
  const std::string text = R"({"data": [[0, 0.009792, null], [1, 0.018887, 1], [2]],
    "columns": ["mpi.rank", "time", "path"],
    "column_metadata": [{"is_value": true}, {"is_value": true, "attribute.unit": "sec"}, {"is_value": false}],
    "nodes": [{"label": "main", "column": "path"}, {"label": "cycle", "column": "path", "parent": 0}],
    "jobsize": "8"})";
  const Reading reading = reading_of(kCaliper, text);
  ASSERT_EQ(reading.records.size(), 2U);
  EXPECT_THAT(reading.records[1].facts,
              ElementsAre(Pair("mpi.rank", "1"), Pair("time [s]", "0.018887"),
                          Pair("path", "main/cycle"), Pair("jobsize", "8")));
  EXPECT_THAT(reading.notes.counts, ElementsAre(Pair(TraceOddity::kForeignLine, 1)));
  check_prefixes(kCaliper, text);
  std::string circle = text;
  circle.replace(circle.find("\"parent\": 0"), 11, "\"parent\": 1");
  EXPECT_EQ(reading_of(kCaliper, circle).records.size(), 2U);
}

// --- Thicket ---

// As Thicket.to_json writes it: thicket/tests/data/example-json/user_ensemble.json of LLNL/thicket.
const std::string kEnsemble =
    R"({"graph": [{"0": {"data": {"type": "function", "name": "main"}, "children": [1], "parents": []},
    "1": {"data": {"type": "function", "name": "lulesh.cycle"}, "children": [], "parents": [0]}}],
    "dataframe_indices": ["node", "profile"], "dataframe": [
    {"node": 0, "profile": -9218294338049403620, "nid": 0, "avg#time.duration": 82.989823, "name": "main"},
    {"node": 1, "profile": 220019961243795410, "nid": 1, "avg#time.duration": 5e-06, "name": "lulesh.cycle"},
    7],
    "metadata": [{"profile": 220019961243795410, "jobsize": "27", "libraries": [1, 2],
    "executable": ")" +
    std::string(65, 'x') +
    R"("}, {"profile": -9218294338049403620, "jobsize": "125"}],
    "stats": [{"node": 0, "avg#time.duration_mean": 1.5}], "profile": [220019961243795410]})";

TEST(Thicket, ReadsARowPerRegionAndProfileWithItsMetadata) {
  const Reading reading = reading_of(kThicket, kEnsemble, "ensemble.json");
  ASSERT_EQ(reading.records.size(), 2U) << "statistics are no runs";
  EXPECT_EQ(reading.records[0].job, "ensemble-1");
  EXPECT_THAT(reading.records[1].facts,
              ElementsAre(Pair("profile", "220019961243795410"), Pair("path", "main/lulesh.cycle"),
                          Pair("avg#time.duration", "5e-06"), Pair("name", "lulesh.cycle"),
                          Pair("nid", "1"), Pair("jobsize", "27")));
  EXPECT_EQ(fact_of(reading.records[0], "jobsize"), "125") << "ids beyond 2^53 are told apart";
  EXPECT_THAT(reading.notes.counts,
              ElementsAre(Pair(TraceOddity::kForeignLine, 1), Pair(TraceOddity::kLongText, 1)));
  check_prefixes(kThicket, kEnsemble);
}

TEST(Thicket, TellsProfilesApartByTheIndexOfThatName) {
  const Reading reading = reading_of(kThicket,
                                     R"({"graph": [{"0": {"data": {"name": "a"}, "children": []}}],
      "dataframe_indices": ["node", "rank", "profile"], "dataframe": [
      {"node": 0, "rank": 0, "profile": "x", "time": 1}, {"node": 0, "rank": 1, "profile": "x", "time": 2}],
      "metadata": [{"profile": "x", "gpus": 8}]})");
  ASSERT_EQ(reading.records.size(), 2U);
  EXPECT_EQ(fact_of(reading.records[1], "profile"), "x");
  EXPECT_EQ(fact_of(reading.records[1], "rank"), "1");
  EXPECT_EQ(fact_of(reading.records[1], "gpus"), "8");
}

TEST(Thicket, ReadsOneProfileOfHatchetWithoutMetadata) {
  // hatchet/graphframe.py writes children only, and a graph per root.
  const Reading reading = reading_of(
      kThicket,
      R"({"graph": [{"0": {"data": {"name": "a"}, "children": [1]}, "1": {"data": {"name": "b"}, "children": [1]}},
      {"2": {"data": {"name": "c"}, "children": []}}],
      "dataframe_indices": ["node"], "dataframe": [{"node": 1, "time": 2.5, "name": "b"}, {"node": 2, "time": NaN}]})");
  ASSERT_EQ(reading.records.size(), 2U);
  EXPECT_EQ(fact_of(reading.records[0], "path"), "a/b");
  EXPECT_EQ(fact_of(reading.records[0], "time"), "2.5");
  EXPECT_EQ(fact_of(reading.records[1], "path"), "c");
  EXPECT_EQ(fact_of(reading.records[1], "time"), "");
}

TEST(Thicket, TellsOfAnEnsembleWithoutItsTable) {
  const std::string text = R"({"graph": [{"0": {"data": {}, "children": []}}], "metadata": []})";
  EXPECT_FALSE(kThicket.recognises(text));
  EXPECT_EQ(kThicket.missing(text), "it has no dataframe");
}

// --- Home-made summaries, and JSON as such ---

TEST(JsonRun, ReadsTheSummaryOfARun) {
  // After results/v100_16gb of willgpaik/pytorch-ddp-scaling-benchmark.
  const std::string text =
      "{\"world_size\": 4, \"model\": \"resnet152\", \"mean_step_sec\": 0.09185658176412889,\n"
      " \"power_w\": {\"mean\": 160.348853211009}, \"loss\": NaN}";
  const Reading reading = reading_of(kJsonRun, text, "4gpu.json");
  ASSERT_EQ(reading.records.size(), 1U);
  EXPECT_EQ(reading.records[0].job, "4gpu");
  EXPECT_THAT(reading.records[0].facts,
              ElementsAre(Pair("loss", ""), Pair("mean_step_sec", "0.09185658176412889"),
                          Pair("model", "resnet152"), Pair("power_w.mean", "160.348853211009"),
                          Pair("world_size", "4")));
  for (const char* other :
       {"{\"world_size\": 4}", "{\"mean_step_sec\": 4}", "[{\"world_size\": 4, \"time\": 1}]",
        "{\"world_size\": \"x\", \"time\": 1}", "{\"world_size\": 4, \"time\": 1}\n{\"a\": 1}\n",
        "{\"nodes\": [{\"id\": 1}], \"config\": {\"gpus\": 4, \"time\": 30}}",
        "{\"num_nodes\": 2, \"timeout\": 100}", "{\"allocation_nodes\": 2, \"time\": 1}"}) {
    EXPECT_FALSE(kJsonRun.recognises(other)) << other;
  }
}

TEST(JsonRun, RefusesWhatIsMalformedWithItsPlace) {
  EXPECT_THAT(message_of(kJsonRun, "{\"gpus\": 4,\n \"time\": x}"),
              HasSubstr("file.json:2: expected JSON, found \"x}\""));
  EXPECT_THAT(message_of(kJsonRun, "{\"gpus\": 4,\n"),
              HasSubstr(":2: expected the rest of a JSON document, found the end of the file"));
  EXPECT_THAT(message_of(kJsonRun, std::string(100, '[')),
              HasSubstr(":1: expected at most 64 levels of lists and objects"));
}

}  // namespace
}  // namespace scalelaw::test
