#include "input/benchmark_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "input/json_table.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/input/source.hpp"

// Documents as pytest-benchmark 5.3.1 and asv 0.6.6 wrote them, of which members that say nothing
// about results are left out. That of github-action-benchmark is written by hand in its layout.
namespace scalelaw::test {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

std::string csv_of(const std::string& json, const std::string& path = "results.json") {
  const auto stream = csv_of_json(json, path, "saved fits");
  std::string text;
  read_to(1 << 16, *stream, text);
  return text;
}

TEST(BenchmarkTables, OfPytestBenchmarkHaveTheMeanAndItsSettings) {
  EXPECT_EQ(csv_of(R"({"machine_info": {"node": "n"},
    "commit_info": {"id": "10654782", "time": "2026-11-30T18:48:13+00:00", "dirty": false},
    "benchmarks": [
      {"group": null, "name": "test_step[2]", "fullname": "test_a.py::test_step[2]",
       "params": {"n": 2}, "param": "2", "extra_info": {"gpus": 4, "n": 16},
       "options": {"min_rounds": 5, "max_time": 1.0, "min_time": 5e-06},
       "stats": {"min": 0.0200, "mean": 0.0201, "rounds": 3, "total": 0.0603, "ops": 49.7}},
      {"group": "io", "name": "test_load", "fullname": "test_a.py::test_load", "params": null,
       "param": null, "extra_info": {}, "options": {}, "stats": {"mean": 0.0125, "total": 0.05}}],
    "datetime": "2026-11-30T19:48:14.110718+01:00", "version": "5.3.1"})"),
            "date,commit,benchmark,n,gpus,extra_info.n,mean_s,group\n"
            "2026-11-30T18:48:14Z,10654782,test_a.py::test_step,2,4,16,0.0201,\n"
            "2026-11-30T18:48:14Z,10654782,test_a.py::test_load,,,,0.0125,io\n");
}

TEST(BenchmarkTables, OfGithubActionsHaveAColumnForEachUnit) {
  const std::string json = R"({"lastUpdate": 1768100000000, "repoUrl": "https://example.org",
    "entries": {"Go": [
      {"commit": {"id": "aaa1", "message": "m"}, "date": 1768000000000, "tool": "go", "benches": [
        {"name": "step", "value": 150, "unit": "ns/op", "extra": "10000 times"},
        {"name": "load", "value": 2.5, "range": "± 3", "unit": "µs/iter"},
        {"name": "fib", "value": 143, "unit": "ops/sec"}]}]}})";
  const std::string expected =
      "date,commit,benchmark,seconds,value (ops/sec)\n"
      "2026-01-09T23:06:40Z,aaa1,step,1.5e-07,\n"
      "2026-01-09T23:06:40Z,aaa1,load,2.5e-06,\n"
      "2026-01-09T23:06:40Z,aaa1,fib,,143\n";
  EXPECT_EQ(csv_of(json), expected);
  EXPECT_EQ(csv_of("window.BENCHMARK_DATA = " + json + ";\n"), expected);
}

const char* const kAsvResults = R"({"commit_hash": "6a8a5338", "env_name": "existing-py",
  "date": 1768000000000, "params": {"machine": "vm", "ram": "8"},
  "result_columns": ["result", "params", "version", "started_at"],
  "results": {
    "b.Suite.time_step": [[0.02, 0.021, null, 0.0101], [["1", "2"], ["'a'", "'b'"]], "5bc0", 1],
    "b.Suite.track_accuracy": [[90.5], [], "e16b", 1],
    "b.peakmem_all": [[24657920], [], "b558", 1]},
  "version": 2})";

TEST(BenchmarkTables, OfAsvAreTheProductOfParameters) {
  EXPECT_EQ(csv_of(kAsvResults),
            "date,commit,machine,environment,benchmark,param1,param2,seconds,value,memory_bytes\n"
            "2026-01-09T23:06:40Z,6a8a5338,vm,existing-py,b.Suite.time_step,1,a,0.02,,\n"
            "2026-01-09T23:06:40Z,6a8a5338,vm,existing-py,b.Suite.time_step,1,b,0.021,,\n"
            "2026-01-09T23:06:40Z,6a8a5338,vm,existing-py,b.Suite.time_step,2,b,0.0101,,\n"
            "2026-01-09T23:06:40Z,6a8a5338,vm,existing-py,b.Suite.track_accuracy,,,,90.5,\n"
            "2026-01-09T23:06:40Z,6a8a5338,vm,existing-py,b.peakmem_all,,,,,24657920\n");
}

TEST(BenchmarkTables, OfAsvTakeNamesAndUnitsFromTheDescriptionAbove) {
  namespace fs = std::filesystem;
  const fs::path results = fs::path(testing::TempDir()) / "asv_results";
  fs::create_directories(results / "vm");
  std::ofstream(results / "vm" / "machine.json") << R"({"machine": "vm", "version": 1})";
  std::ofstream(results / "vm" / "6a8a5338-py.json") << kAsvResults;
  std::ofstream(results / "benchmarks.json")
      << R"({"b.Suite.time_step": {"param_names": ["gpus", "kind"], "unit": "seconds"},
            "b.Suite.track_accuracy": {"param_names": [], "unit": "percent"}, "version": 2})";
  const std::vector<std::string> folder{results.string()};
  const auto files = expand_inputs(folder, FolderFiles::kTables);
  EXPECT_THAT(files, ElementsAre(EndsWith("6a8a5338-py.json")));
  const std::string csv = csv_of(kAsvResults, files.front());
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "date,commit,machine,environment,benchmark,gpus,kind,seconds,value (percent),"
            "memory_bytes");
  fs::remove_all(results);
}

TEST(BenchmarkTables, HaveNoDateWhereNoCalendarHasTheInstant) {
  EXPECT_EQ(csv_of(R"({"lastUpdate": 1, "entries": {"Go": [{"commit": {"id": "a"}, "date": 1e300,
    "benches": [{"name": "step", "value": 2, "unit": "s"}]}]}})"),
            "date,commit,benchmark,seconds\n,a,step,2\n");
}

TEST(BenchmarkTables, WithoutAResultAreRefused) {
  EXPECT_THROW(csv_of(R"({"benchmarks": [], "machine_info": {}, "commit_info": {}})"), DataError);
}

}  // namespace
}  // namespace scalelaw::test
