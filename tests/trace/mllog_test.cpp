#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "support/command.hpp"
#include "support/places.hpp"
#include "trace/formats.hpp"
#include "trace/records.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

using Facts = std::vector<std::pair<std::string, std::string>>;

/// A folder of results, written file by file.
class Submission {
 public:
  void add(const fs::path& path, const std::string& text) {
    fs::create_directories((folder_.path() / path).parent_path());
    write_bytes(folder_.path() / path, text);
  }
  void add_folder(const fs::path& path) { fs::create_directories(folder_.path() / path); }
  std::string path(const fs::path& path) const { return (folder_.path() / path).string(); }
  std::vector<JobRecord> records(const fs::path& file) const {
    return records_of(kMllog, path(file));
  }

 private:
  TemporaryFolder folder_;
};

/// A line in the form of v0.7.
std::string mllog(std::int64_t time_ms, const std::string& key, const std::string& value = "null",
                  const std::string& metadata = "{\"file\": \"train.py\", \"lineno\": 1}") {
  return ":::MLLOG {\"namespace\": \"\", \"time_ms\": " + std::to_string(time_ms) +
         ", \"event_type\": \"POINT_IN_TIME\", \"key\": \"" + key + "\", \"value\": " + value +
         ", \"metadata\": " + metadata + "}\n";
}

const std::string kRun = mllog(1'000'000, "run_start") +
                         mllog(1'090'000, "run_stop", "0.72", "{\"status\": \"success\"}");

JobRecord record_of(const std::string& text) {
  Submission submission;
  submission.add("log.txt", text);
  return submission.records("log.txt").at(0);
}

const fs::path kResult = "v4.0/ACME/results/dgx_n2/bert/result_3.txt";

TEST(Mllog, MakesARecordOfAResultAndTheSystemBesideIt) {
  Submission submission;
  submission.add(kResult, mllog(999'000, "submission_org", "\"Someone\"") +
                              mllog(999'001, "global_batch_size", "3072") +
                              mllog(999'002, "train_samples", "1751040") +
                              mllog(1'000'000, "run_start") +
                              mllog(1'001'000, "epoch_start", "null", "{\"epoch_num\": 1}") +
                              mllog(1'041'000, "epoch_stop", "null", "{\"epoch_num\": 1}") +
                              mllog(1'041'500, "eval_accuracy", "0.65") +
                              mllog(1'042'000, "epoch_start", "null", "{\"epoch_num\": 2}") +
                              mllog(1'083'000, "epoch_stop", "null", "{\"epoch_num\": 2}") +
                              mllog(1'083'500, "eval_accuracy", "0.7201641201972961") +
                              mllog(1'090'001, "run_stop", "0.72", "{\"status\": \"success\"}"));
  submission.add("v4.0/ACME/systems/dgx_n2.json",
                 "{\n // Two of them.\n \"number_of_nodes\": \"2\", /* , */\n"
                 " \"accelerators_per_node\": 8,\n \"hw_notes\": [\"a, }\", \"\\\"//\",],\n"
                 " \"accelerator_model_name\": \"NVIDIA H100\",\n}\n");
  submission.add("v4.0/ACME/results/dgx_n2/bert/scaling.json", "{\"scaling_factor\": 1.0042}");
  const auto records = submission.records(kResult);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].job, "v4.0/ACME/results/dgx_n2/bert/result_3");
  EXPECT_EQ(records[0].facts, (Facts{{"round", "v4.0"},
                                     {"submitter", "ACME"},
                                     {"system", "dgx_n2"},
                                     {"benchmark", "bert"},
                                     {"run", "3"},
                                     {"status", "success"},
                                     {"accelerator", "NVIDIA H100"},
                                     {"accelerators", "16"},
                                     {"nodes", "2"},
                                     {"minutes", "1.5000166666666668"},
                                     {"global_batch_size", "3072"},
                                     {"samples", "1751040"},
                                     {"epochs", "2"},
                                     {"epoch_seconds", "40.5"},
                                     {"eval_accuracy", "0.7201641201972961"},
                                     {"scaling_factor", "1.0042"},
                                     {"energy_j", ""},
                                     {"energy_trapezoid_j", ""},
                                     {"switch_energy_j", ""}}));
}

TEST(Mllog, TakesNodesAndErrorsThatMlperfHpcLogs) {
  // As CSCS's oc20 of v1.0: piz_daint_gpu_n256_pt1.8.0/strong/oc20/result_0.txt.
  const std::string sizes =
      mllog(1, "number_of_nodes", "256") + mllog(2, "accelerators_per_node", "4");
  const JobRecord record = record_of(sizes + mllog(1'000'001, "eval_error", "0.0625") +
                                     mllog(1'000'002, "eval_error", "0.0448") + kRun);
  EXPECT_THAT(record.facts,
              testing::IsSupersetOf({Pair("nodes", "256"), Pair("accelerators", "1024"),
                                     Pair("eval_error", "0.0448")}));
  const JobRecord named =
      record_of(":::SYSJSON {\"accelerator_model_name\":\"P100\"}\n" + sizes + kRun);
  EXPECT_EQ(fact_of(named, "accelerator"), "P100");
  EXPECT_EQ(fact_of(named, "accelerators"), "1024");
  EXPECT_EQ(fact_of(named, "eval_error"), "(none)");
  const JobRecord processors =
      record_of(mllog(1, "number_of_nodes", "8") + mllog(2, "accelerators_per_node", "0") + kRun);
  EXPECT_EQ(fact_of(processors, "accelerators"), "");
}

TEST(Mllog, TakesFromTheLogWhatThePathDoesNotSay) {
  const JobRecord record = record_of(
      ":::SYSJSON {\"number_of_nodes\":\"8\",\"accelerators_per_node\":\"8\","
      "\"accelerator_model_name\":\"H100\"}'\n" +
      mllog(1, "submission_org", "\"ACME\"") + mllog(2, "submission_platform", "\"dgx\"") +
      mllog(3, "submission_benchmark", "\"bert\"") + kRun);
  EXPECT_EQ(record.job, "log");
  EXPECT_THAT(
      record.facts,
      testing::IsSupersetOf({Pair("round", ""), Pair("submitter", "ACME"), Pair("system", "dgx"),
                             Pair("benchmark", "bert"), Pair("run", ""), Pair("accelerators", "64"),
                             Pair("accelerator", "H100"), Pair("minutes", "1.5")}));
}

TEST(Mllog, TakesTheFirstStartAndTheLastStop) {
  const JobRecord record =
      record_of(mllog(60'000, "run_start") + mllog(90'000, "run_start") +
                mllog(120'000, "run_stop", "null", "{\"status\": \"success\"}") +
                mllog(180'000, "run_stop", "null", "{\"status\": \"aborted\"}"));
  EXPECT_EQ(fact_of(record, "minutes"), "2");
  EXPECT_EQ(fact_of(record, "status"), "aborted");
}

TEST(Mllog, FindsTheMarkerBehindAndBeforeOtherOutput) {
  const JobRecord record = record_of(
      "+ echo ':::DLPAL image'\n 0: :::MLLOG {\"time_ms\":60000,\"key\":\"run_start\"} 12: x\n"
      "3::::MLLOG {\"key\": \"run_stop\", \"time_ms\": 120000.5, \"metadata\": \"\"}}}:::MLLOG "
      "{\n");
  EXPECT_EQ(fact_of(record, "minutes"), "1.0000083333333334");
  EXPECT_EQ(fact_of(record, "status"), "");
}

TEST(Mllog, ReadsSecondsAsWellAsMilliseconds) {
  // training_results_v0.7, Alibaba/results/v100-1280/result_1.txt has stamps of this form.
  const JobRecord record = record_of(
      ":::MLLOG {\"value\": null, \"key\": \"run_start\", \"time_s\": 1593422652.569}\n"
      ":::MLLOG {\"value\": null, \"key\": \"run_stop\", \"time_s\": 1593422742.57}\n");
  EXPECT_EQ(fact_of(record, "minutes"), "1.5000166666666668");
}

TEST(Mllog, TakesNamesOfASystemThatAreWrittenWithBlanks) {
  // training_results_v0.7, DellEMC/systems/2xC4140.json.
  Submission submission;
  submission.add(kResult, kRun);
  submission.add("v4.0/ACME/systems/dgx_n2.json",
                 R"({"number of nodes": "2", "accelerators_per_node": "4"})");
  const JobRecord record = submission.records(kResult).at(0);
  EXPECT_EQ(fact_of(record, "nodes"), "2");
  EXPECT_EQ(fact_of(record, "accelerators"), "8");
}

TEST(Mllog, CountsTheProcessorsOfASystemWithoutAccelerators) {
  // training_results_v0.7, Intel/systems/4-nodes-16s-cpx-pytorch.json.
  Submission submission;
  submission.add(kResult, kRun);
  submission.add("v4.0/ACME/systems/dgx_n2.json",
                 R"({"number_of_nodes": "4", "host_processors_per_node": "4",
                     "accelerators_per_node": "0", "accelerator_model_name": "N/A"})");
  CountedNotes notes;
  const JobRecord record = kMllog.read_records(submission.path(kResult), {}, notes).at(0);
  EXPECT_EQ(fact_of(record, "nodes"), "4");
  EXPECT_EQ(fact_of(record, "accelerators"), "");
  EXPECT_EQ(fact_of(record, "processors"), "16");
  EXPECT_EQ(notes.counts[TraceOddity::kNoAccelerator], 1);
}

TEST(Mllog, TellsTheResultsOfMlperfHpcApart) {
  Submission submission;
  submission.add("hpc_results_v3.0/LBNL/systems/p128.json",
                 R"({"number_of_nodes": "128", "accelerators_per_node": "4"})");
  const fs::path results = "hpc_results_v3.0/LBNL/results/p128";
  for (const char* file : {"strong/deepcam/result_0.txt", "weak/deepcam/result_0.txt",
                           "weak/deepcam/pruned_results/result_0.txt"}) {
    submission.add(results / file, kRun);
    const JobRecord record = submission.records(results / file).at(0);
    const std::string name = file;
    EXPECT_EQ(record.job, "v3.0/LBNL/results/p128/" + name.substr(0, name.size() - 4));
    EXPECT_EQ(fact_of(record, "scaling"), name.substr(0, name.find('/')));
    EXPECT_EQ(fact_of(record, "system"), "p128");
    EXPECT_EQ(fact_of(record, "benchmark"), "deepcam");
    EXPECT_EQ(fact_of(record, "accelerators"), "512");
  }
}

TEST(Mllog, TakesTheBenchmarkFromTheLogWhereThePathHasNone) {
  const fs::path result = "v0.7/Alibaba/results/v100-1280/result_1.txt";
  Submission submission;
  submission.add(result, mllog(1, "submission_benchmark", "\"resnet\"") + kRun);
  const JobRecord record = submission.records(result).at(0);
  EXPECT_EQ(record.job, "v0.7/Alibaba/results/v100-1280/result_1");
  EXPECT_EQ(fact_of(record, "system"), "v100-1280");
  EXPECT_EQ(fact_of(record, "benchmark"), "resnet");
}

TEST(Mllog, LeavesTheEnergyOfSomeOfTheNodesEmpty) {
  Submission submission;
  submission.add(kResult, kRun);
  submission.add("v4.0/ACME/systems/dgx_n2.json",
                 R"({"number_of_nodes": "2", "accelerators_per_node": "8"})");
  const std::string power =
      mllog(1'000'000, "power_measurement_start") + mllog(1'045'000, "power_reading", "100") +
      mllog(1'090'000, "power_reading", "100") + mllog(1'090'000, "power_measurement_stop");
  const fs::path logs = kResult.parent_path() / "power/result_3";
  submission.add(logs / "node_0.txt", power);
  CountedNotes notes;
  const JobRecord part = kMllog.read_records(submission.path(kResult), {}, notes).at(0);
  EXPECT_EQ(fact_of(part, "energy_j"), "");
  EXPECT_EQ(fact_of(part, "energy_trapezoid_j"), "");
  EXPECT_EQ(fact_of(part, "energy_nodes"), "1");
  EXPECT_EQ(fact_of(part, "energy_seen_j"), "9000");
  EXPECT_EQ(notes.counts[TraceOddity::kPartOfNodes], 1);
  submission.add(logs / "node_1.txt", power);
  const JobRecord whole = kMllog.read_records(submission.path(kResult), {}, notes).at(0);
  EXPECT_EQ(fact_of(whole, "energy_j"), "18000");
  EXPECT_EQ(fact_of(whole, "energy_nodes"), "2");
  EXPECT_EQ(fact_of(whole, "energy_seen_j"), "(none)");
  EXPECT_EQ(notes.counts[TraceOddity::kPartOfNodes], 1);
}

TEST(Mllog, SaysThatARunWithoutAStopIsIncomplete) {
  const JobRecord record = record_of(mllog(60'000, "run_start"));
  EXPECT_EQ(fact_of(record, "status"), "incomplete");
  EXPECT_EQ(fact_of(record, "minutes"), "");
}

TEST(Mllog, GivesNoMinutesToAStopBeforeTheStart) {
  EXPECT_EQ(fact_of(record_of(mllog(60'000, "run_start") + mllog(1, "run_stop")), "minutes"), "");
}

TEST(Mllog, ReadsTheDialectOfV05ToTheNanosecond) {
  Submission submission;
  const fs::path folder = "v0.5.0/acme/submission/results/dgx1";
  submission.add(
      folder / "resnet/result_0.txt",
      ":::MLPv0.5.0 resnet 1541720386.718659639 (/a b/log (1).py:49) run_start\n"
      ":::MLPv0.5.0 resnet 1541720386.719199657 (<string>:49) run_set_random_seed: 1\n"
      "I0122 mlperf_log.py:136] RAW_:::MLPv0.5.0 resnet 1541720400.5 (x:1) eval_accuracy: "
      "{\"epoch\": 2, \"value\": 0.7522}\n"
      ":::MLPv0.5.0 resnet 1541728484.695488691 (x:49) run_stop\n");
  submission.add(folder / "entry.json",
                 "{\"notes\": \"\", \"nodes\": [{\"num_nodes\": 1, \"accelerator\": \"Tesla V100\","
                 " \"num_accelerators\": 8, \"notes\": \"\" },],}");
  const JobRecord record = submission.records(folder / "resnet/result_0.txt").at(0);
  EXPECT_EQ(record.job, "v0.5/acme/submission/results/dgx1/resnet/result_0");
  EXPECT_THAT(record.facts,
              testing::IsSupersetOf(
                  {Pair("round", "v0.5"), Pair("submitter", "acme"), Pair("system", "dgx1"),
                   Pair("benchmark", "resnet"), Pair("status", "success"),
                   Pair("accelerator", "Tesla V100"), Pair("accelerators", "8"), Pair("nodes", "1"),
                   Pair("eval_accuracy", "0.7522"), Pair("minutes", "134.9662804842")}));
}

TEST(Mllog, ReadsTheSuccessThatSomeLogsOfV05Tell) {
  const std::string start = ":::MLPv0.5.0 ncf 1579665000 (ncf.py:1) run_start\n";
  const std::string stop = ":::MLPv0.5.0 ncf 1579665060 (ncf.py:187) run_stop: ";
  EXPECT_EQ(fact_of(record_of(start + stop + "{\"success\": true}"), "status"), "success");
  EXPECT_EQ(fact_of(record_of(start + stop + "{\"success\": false}"), "status"), "aborted");
  EXPECT_EQ(fact_of(record_of(start), "status"), "incomplete");
}

TEST(Mllog, DoesNotCountTheAcceleratorsOfV05OnSeveralNodes) {
  Submission submission;
  submission.add("a/results/multi/gnmt/result_0.txt", kRun);
  submission.add("a/results/multi/entry.json",
                 "{\"nodes\": [{\"num_nodes\": 128, \"accelerator\": \"V100\","
                 " \"num_accelerators\": 8}]}");
  const JobRecord record = submission.records("a/results/multi/gnmt/result_0.txt").at(0);
  EXPECT_THAT(record.facts, testing::IsSupersetOf({Pair("accelerator", "V100"),
                                                   Pair("accelerators", ""), Pair("nodes", "")}));
}

TEST(Mllog, ReadsTheDialectOfV06AndItsQuotedDictionary) {
  const JobRecord record = record_of(
      ":::MLL 1558570764.081 submission_org: {\"value\": \"ACME\", \"metadata\": {}}\n"
      ":::MLL 1558570764.084 submission_entry: {\"value\": \"{'hardware': 'DGX-1', 'power': 'N/A',"
      " 'nodes': \\\"{'num_nodes': '24', 'cpu': '2x', 'accelerator': 'Tesla V100-SXM2-16GB',"
      " 'num_accelerators': '8', 'network_card': ''}\\\"}\", \"metadata\": {}}\n"
      ":::MLL 1558570838.588 run_start: {\"value\": null, \"metadata\": {\"lineno\": 610}}\n"
      ":::MLL 1558572186.109 run_stop: {\"value\": null, \"metadata\": {\"status\": "
      "\"success\"}}\n");
  EXPECT_THAT(
      record.facts,
      testing::IsSupersetOf({Pair("submitter", "ACME"), Pair("accelerator", "Tesla V100-SXM2-16GB"),
                             Pair("accelerators", "192"), Pair("nodes", "24"),
                             Pair("status", "success"), Pair("minutes", "22.458683333333333")}));
}

TEST(Mllog, ReadsTheSystemFilesOfV06ThatAreNoJson) {
  Submission submission;
  submission.add(kResult, kRun);
  submission.add(
      "v4.0/ACME/systems/dgx_n2.json",
      "org: {\"value\": \"ACME\"}\nentry: {\"value\": \"{'nodes': \\\"{'num_nodes': '2', "
      "'accelerator': '', 'num_accelerators': '16'}\\\"}\"}\n");
  const JobRecord record = submission.records(kResult).at(0);
  EXPECT_EQ(fact_of(record, "accelerators"), "32");
  EXPECT_EQ(fact_of(record, "accelerator"), "");
}

TEST(Mllog, DividesBlocksByTheirEpochsWhereEpochsAreNotLogged) {
  const auto start = [](std::int64_t time_ms, const std::string& metadata) {
    return mllog(time_ms, "block_start", "null", metadata);
  };
  const auto stop = [](std::int64_t time_ms, const std::string& metadata) {
    return mllog(time_ms, "block_stop", "null", metadata);
  };
  const std::string blocks = start(10'000, "{\"first_epoch_num\": 1, \"epoch_count\": 4}") +
                             stop(20'000, "{\"first_epoch_num\": 1}") +
                             start(21'000, "{\"first_epoch_num\": 5, \"epoch_count\": 1}") +
                             stop(23'500, "{\"first_epoch_num\": 5}") +
                             start(30'000, "{\"first_epoch_num\": 6, \"epoch_count\": 4}");
  const JobRecord record = record_of(kRun + blocks);
  EXPECT_EQ(fact_of(record, "epochs"), "5");
  EXPECT_EQ(fact_of(record, "epoch_seconds"), "2.5");
  const JobRecord uncounted =
      record_of(kRun + start(1, "{\"samples_count\": 0}") + stop(2, "{\"samples_count\": 9}"));
  EXPECT_EQ(fact_of(uncounted, "epochs"), "");
  EXPECT_EQ(fact_of(uncounted, "epoch_seconds"), "");
}

TEST(Mllog, CountsEpochsWithStartAndStopOfOneNumberOnce) {
  const std::string one = "{\"epoch_num\": 1}";
  const std::string two = "{\"epoch_num\": 2}";
  const JobRecord record =
      record_of(kRun + mllog(1000, "epoch_start", "null", one) +
                mllog(1001, "epoch_start", "null", one) + mllog(2001, "epoch_stop", "null", one) +
                mllog(2001, "epoch_start", "null", two) + mllog(2002, "epoch_stop", "null", one));
  EXPECT_EQ(fact_of(record, "epochs"), "1");
  EXPECT_EQ(fact_of(record, "epoch_seconds"), "1");
}

TEST(Mllog, LeavesAnAccuracyOfSeveralNumbersEmpty) {
  EXPECT_EQ(fact_of(record_of(kRun + mllog(5, "eval_accuracy", "[0.38, 0.34]")), "eval_accuracy"),
            "");
}

TEST(Mllog, ReadsLinesWithTheNaNOfPython) {
  const JobRecord record = record_of(
      mllog(60'000, "run_start") + mllog(61'000, "eval_accuracy", "0.5") +
      mllog(62'000, "eval_accuracy", "NaN") +
      mllog(120'000, "run_stop", "-Infinity", "{\"status\": \"aborted\", \"a\": \"NaN\"}"));
  EXPECT_EQ(fact_of(record, "minutes"), "1");
  EXPECT_EQ(fact_of(record, "status"), "aborted");
  EXPECT_EQ(fact_of(record, "eval_accuracy"), "");
}

TEST(Mllog, NamesRoundsByTheFolderAboveTheSubmitter) {
  const auto round_of = [](const fs::path& above) {
    Submission submission;
    const fs::path file = above / "ACME/results/s/b/result_0.txt";
    submission.add(file, kRun);
    return fact_of(submission.records(file).at(0), "round");
  };
  EXPECT_EQ(round_of("v4.1"), "v4.1");
  EXPECT_EQ(round_of("training_results_v2.0"), "v2.0");
  EXPECT_EQ(round_of("v3.0/logs"), "v3.0");
  EXPECT_EQ(round_of("v1.0.2"), "");
  EXPECT_EQ(round_of("v."), "");
  EXPECT_EQ(round_of("logs"), "");
}

TEST(Mllog, TakesOnlyTheStemOutsideOfTheLayout) {
  Submission submission;
  for (const char* file : {"result_7.txt", "results/s/b/other.txt", "a/b/c/d/result_7.txt"}) {
    submission.add(file, kRun);
  }
  EXPECT_EQ(submission.records("result_7.txt").at(0).job, "result_7");
  EXPECT_EQ(fact_of(submission.records("result_7.txt").at(0), "run"), "7");
  EXPECT_EQ(submission.records("results/s/b/other.txt").at(0).job, "other");
  EXPECT_EQ(submission.records("a/b/c/d/result_7.txt").at(0).job, "result_7");
}

// --- Power ---

/// A run of 90 s from 1,000 s on, and a node that measures 1,000 W and then 2,000 W.
class MllogPower : public testing::Test {
 protected:
  MllogPower() { submission.add(kResult, kRun); }
  void add(const std::string& name, const std::string& text) {
    submission.add(kResult.parent_path() / "power/result_3" / name, text);
  }
  std::string fact(const std::string& name) {
    return fact_of(submission.records(kResult).at(0), name);
  }
  static std::string reading(std::int64_t time_ms, const std::string& watts) {
    return mllog(time_ms, "power_reading", watts, "\"\"");
  }
  static std::string node() {
    return mllog(990'000, "power_measurement_start", "\"null\"", "\"\"") +
           reading(1'000'000, "1000") + reading(1'090'000, "2000") +
           mllog(1'090'000, "power_measurement_stop", "\"null\"", "\"\"");
  }
  Submission submission;
};

TEST_F(MllogPower, TakesEachReadingSinceTheOneBeforeItForTheTimeToTrain) {
  add("node_0.txt", node());
  // (1,000 W * 10 s + 2,000 W * 90 s) / 100 s * 90 s.
  EXPECT_EQ(fact("energy_j"), "171000");
  EXPECT_EQ(fact("energy_trapezoid_j"), "135000");
  EXPECT_EQ(fact("switch_energy_j"), "");
}

TEST_F(MllogPower, SumsNodesWithTheirConversion) {
  add("node_0.txt", node());
  add("node_1.txt", mllog(1, "conversion_eff", "0.5") + node());
  EXPECT_EQ(fact("energy_j"), "256500");
  EXPECT_EQ(fact("energy_trapezoid_j"), "270000");
}

TEST_F(MllogPower, SortsReadingsByTime) {
  add("node_0.txt", mllog(1'100'000, "power_measurement_stop") + reading(1'100'000, "300") +
                        reading(1'050'000, "200") + reading(990'000, "9999") +
                        mllog(1'000'000, "power_measurement_start"));
  // The reading at the stop time follows the stop in the log, so it does not count.
  EXPECT_EQ(fact("energy_j"), "9000");
}

TEST_F(MllogPower, CutsTheTrapezoidsAtTheRunByInterpolation) {
  add("node_0.txt", reading(980'000, "0") + reading(1'020'000, "400") + reading(1'020'000, "400") +
                        reading(1'120'000, "400"));
  // The power rises from 200 W to 400 W in 20 s, and stays at 400 W for 70 s.
  EXPECT_EQ(fact("energy_trapezoid_j"), "34000");
  EXPECT_EQ(fact("energy_j"), "");
}

TEST_F(MllogPower, HasNoEnergyWhereANodeHasNone) {
  const std::string instant = mllog(990'000, "power_measurement_start") + reading(999'000, "1") +
                              reading(1'090'000, "1") + mllog(990'000, "power_measurement_stop");
  add("node_0.txt", node());
  add("node_1.txt", instant);
  EXPECT_EQ(fact("energy_j"), "");
  EXPECT_EQ(fact("energy_trapezoid_j"), "135090");
  add("node_1.txt", reading(5'000, "1") + reading(6'000, "1"));  // The clock is off.
  EXPECT_EQ(fact("energy_trapezoid_j"), "");
}

TEST_F(MllogPower, EndsAMeasurementWithoutStopAtItsLastReading) {
  add("node_0.txt", mllog(1'000'000, "power_measurement_start") + reading(1'010'000, "100"));
  EXPECT_EQ(fact("energy_j"), "9000");
}

TEST_F(MllogPower, TakesSwitchesByEstimateOrReading) {
  add("sw_0.txt", mllog(1, "interconnect_power_est", "16100", "{\"switch_id\": \"sw_01\"}"));
  EXPECT_EQ(fact("switch_energy_j"), "1449000");
  add("sw_1.txt", node());
  EXPECT_EQ(fact("switch_energy_j"), "1620000");
}

TEST_F(MllogPower, DoesNotKnowTheEnergyOfANodeThatCannotBeRead) {
  add("node_0.txt", node());
  submission.add_folder(kResult.parent_path() / "power/result_3/node_1.txt");
  EXPECT_EQ(fact("energy_j"), "");
}

TEST_F(MllogPower, MakesNoRecordOfPowerLogs) {
  add("node_0.txt", node());
  add("sw_0.txt", "damaged");
  submission.add("elsewhere.txt", node());
  const fs::path power = kResult.parent_path() / "power/result_3";
  EXPECT_THAT(submission.records(power / "node_0.txt"), IsEmpty());
  EXPECT_THAT(submission.records(power / "sw_0.txt"), IsEmpty());
  EXPECT_THAT(submission.records("elsewhere.txt"), IsEmpty());
}

// --- Damaged and hostile files ---

TEST(Mllog, SkipsMalformedLines) {
  const JobRecord record = record_of(
      ":::MLLOG {\"key\": \"run_start\", \"time_ms\": \n:::MLLOG\n:::MLLOG {}\n:::\n::::::MLL\n"
      ":::MLLOG {\"key\": \"run_start\", \"time_ms\": \"soon\"}\n:::MLL 1 run_start:\n"
      ":::MLLOG {\"key\": \"run_start\", \"time_ms\": -5}\n:::MLPv0.5.0 a 1e30 (x) run_start\n"
      ":::MLLOG {\"key\": \"run_start\", \"time_ms\": 1e300}\n:::MLPv\n:::MLL x run_start: {}\n"
      ":::MLPv0.5.0 a 1 (\n:::MLPv0.5.0 a 1 x) run_start\n:::SYSJSON [\n:::MLLOG {\"key\"\n" +
      kRun);
  EXPECT_EQ(fact_of(record, "minutes"), "1.5");
}

TEST(Mllog, RefusesAFileThatSaysNothingOfARun) {
  for (const std::string& text :
       {std::string(), std::string("nothing\n"), std::string(":::MLLOG {\"key\": \"run_st\n"),
        std::string(":::MLLOG ") + '\0' + "\xFF{\"key\": \"run_start\"\n"}) {
    try {
      record_of(text);
      ADD_FAILURE() << "no error";
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("log.txt: this MLPerf log says nothing about a run"));
    }
  }
  const TemporaryFolder folder;
  EXPECT_THROW(records_of(kMllog, folder.path().string()), DataError);
  EXPECT_THROW(records_of(kMllog, (folder.path() / "none.txt").string()), DataError);
}

TEST(Mllog, ReadsALineThatNestsSixtyFourLevels) {
  // The line and its metadata are two of them.
  const auto minutes_at = [](std::size_t levels) {
    const std::string lists = std::string(levels - 2, '[') + std::string(levels - 2, ']');
    return fact_of(record_of(mllog(1'000'000, "run_start") + mllog(1'030'000, "eval_stop") +
                             mllog(1'090'000, "run_stop", "0.72",
                                   "{\"status\": \"success\", \"x\": " + lists + "}")),
                   "minutes");
  };
  EXPECT_EQ(minutes_at(64), "1.5");
  EXPECT_EQ(minutes_at(65), "");
}

TEST(Mllog, AClockMayBeginAtZero) {
  EXPECT_EQ(fact_of(record_of(mllog(0, "run_start") +
                              mllog(90'000, "run_stop", "0.72", "{\"status\": \"success\"}")),
                    "minutes"),
            "1.5");
}

TEST(Mllog, SurvivesDeepNesting) {
  std::string deep = ":::MLLOG {\"key\": \"eval_accuracy\", \"time_ms\": 1, \"value\": ";
  for (int i = 0; i < 200'000; ++i) deep += "[{\"a\":";
  const JobRecord record = record_of(deep + "\n" + kRun);
  EXPECT_EQ(fact_of(record, "eval_accuracy"), "");
  EXPECT_EQ(fact_of(record, "minutes"), "1.5");
}

TEST(Mllog, SurvivesSystemFilesThatAreFoldersOrDamaged) {
  Submission submission;
  submission.add(kResult, kRun);
  submission.add_folder("v4.0/ACME/systems/dgx_n2.json");
  submission.add_folder("v4.0/ACME/results/dgx_n2/bert/scaling.json");
  EXPECT_EQ(fact_of(submission.records(kResult).at(0), "accelerators"), "");
  for (const char* text :
       {"", "{", "{\"number_of_nodes\": \"2\"", "num_nodes",
        "'num_nodes':", "{'num_nodes': '1', 'accelerator': '\xFF', 'num_accelerators'",
        "{\"number_of_nodes\": [], \"accelerators_per_node\": {}}", "/*", "\"\\"}) {
    submission.add("v4.0/ACME/results/dgx_n2/entry.json", text);
    const JobRecord record = submission.records(kResult).at(0);
    EXPECT_EQ(fact_of(record, "accelerators"), "") << text;
    EXPECT_EQ(fact_of(record, "accelerator"), "") << text;
  }
}

TEST(Mllog, EveryPrefixIsReadOrRefusedAsAnError) {
  const std::string text =
      ":::SYSJSON {\"number_of_nodes\":\"8\"}\n"
      ":::MLPv0.5.0 resnet 1541720386.7 (log.py:49) run_start\n"
      ":::MLL 1558570764.08 submission_entry: {\"value\": \"{'nodes': \\\"{'num_nodes': '1', "
      "'accelerator': 'V100', 'num_accelerators': '8'}\\\"}\"}\n" +
      kRun;
  Submission submission;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    submission.add("log.txt", text.substr(0, length));
    try {
      EXPECT_EQ(submission.records("log.txt").size(), 1U);
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("log.txt: "));
    }
  }
}

TEST(Mllog, IsRecognisedByItsMarkers) {
  for (const char* head : {":::MLLOG {\"namespace\": \"\"", "Beginning trial\n 0: :::MLLOG {",
                           ":::MLL 1558570764.08 a", ":::MLPv0.5.0 resnet",
                           "+ echo ':::SYSJSON {\"submitter\"", ":::DLPAL /image 5740 8"}) {
    EXPECT_TRUE(kMllog.recognises(head)) << head;
  }
  for (const char* head : {"", ":::", "MLLOG {", ":::MLLOG", ":::MLL", ":::MLL x", ":::MLP",
                           "timestamp,index\n1,2\n", "# gpu   pwr\n"}) {
    EXPECT_FALSE(kMllog.recognises(head)) << head;
  }
}

// --- Published results ---

/// Measurements that are not part of the project may be here.
const fs::path kSharedData = source_folder() / "../shared/data";

using Row = std::map<std::string, std::string>;

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

/// Rows of a table without quotes by the given columns, in lower case.
std::map<std::string, Row> read_rows(const fs::path& path, const std::vector<std::string>& key) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = split(line, ',');
  std::map<std::string, Row> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = split(line, ',');
    Row row;
    for (std::size_t i = 0; i < names.size() && i < fields.size(); ++i) row[names[i]] = fields[i];
    std::string joined_key;
    for (const std::string& name : key) joined_key += lower(row[name]) + '|';
    rows[joined_key] = row;
  }
  return rows;
}

const std::vector<std::string> kRunKey = {"round", "benchmark", "submitter", "system", "run"};

/// The table distinguishes two tasks that have the same name in the tree.
std::string key_of(const JobRecord& record) {
  std::string key;
  for (const std::string& name : kRunKey) {
    std::string text = fact_of(record, name);
    if (name == "benchmark" && text == "ssd") text = "ssd_resnet34";
    key += lower(text) + '|';
  }
  return key;
}

std::vector<std::string> results_below(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("result_") && name.ends_with(".txt")) {
      files.push_back(entry.path().string());
    }
  }
  return files;
}

/// Expects our value to round to the decimals of a published number.
void expect_digits(const std::string& ours, double scale, const std::string& published,
                   const std::string& what) {
  ASSERT_FALSE(ours.empty()) << what;
  const std::size_t decimals = published.size() - published.find('.') - 1;
  EXPECT_NEAR(std::stod(ours) * scale, std::stod(published),
              0.5000001 * std::pow(10.0, -static_cast<double>(decimals)))
      << what;
}

TEST(MllogPublished, MinutesAndAcceleratorsOfEveryResult) {
  if (!fs::exists(kSharedData / "mlperf_logs")) GTEST_SKIP() << "no measurements here";
  const auto published = read_rows(kSharedData / "mlperf/runs.csv", kRunKey);
  int found = 0;
  for (const std::string& file : results_below(kSharedData / "mlperf_logs")) {
    const JobRecord record = records_of(kMllog, file).at(0);
    EXPECT_EQ(fact_of(record, "status"), "success") << file;
    const auto row = published.find(key_of(record));
    if (row == published.end()) {
      // This is the only result that the table lacks; its stamps are 8,097.976829052 s apart.
      EXPECT_EQ(record.job, "v0.5/nvidia/submission/results/dgx1_ngc18.11_mxnet/resnet/result_0");
      EXPECT_EQ(fact_of(record, "minutes"), "134.9662804842");
      EXPECT_EQ(fact_of(record, "accelerators"), "8");
      continue;
    }
    EXPECT_EQ(fact_of(record, "accelerators"), row->second.at("accelerators")) << file;
    EXPECT_EQ(fact_of(record, "accelerator"), row->second.at("accelerator")) << file;
    expect_digits(fact_of(record, "minutes"), 1, row->second.at("minutes"), file);
    ++found;
  }
  EXPECT_EQ(found, 45);
}

TEST(MllogPublished, EnergiesOfTheRunsWithPower) {
  if (!fs::exists(kSharedData / "mlperf_power/logs")) GTEST_SKIP() << "no measurements here";
  const auto published = read_rows(kSharedData / "mlperf_power/runs.csv", kRunKey);
  int results = 0;
  for (const std::string& file : results_below(kSharedData / "mlperf_power/logs")) {
    if (file.find("/power/") != std::string::npos) continue;
    const JobRecord record = records_of(kMllog, file).at(0);
    const auto found = published.find(key_of(record));
    ASSERT_NE(found, published.end()) << file;
    const Row& row = found->second;
    expect_digits(fact_of(record, "minutes"), 1, row.at("minutes"), file);
    expect_digits(fact_of(record, "energy_trapezoid_j"), 1e-3, row.at("node_energy_kj_trapezoid"),
                  file);
    if (row.at("node_energy_kj_official").empty()) {
      EXPECT_EQ(fact_of(record, "energy_j"), "") << file;
    } else {
      expect_digits(fact_of(record, "energy_j"), 1e-3, row.at("node_energy_kj_official"), file);
      expect_digits(fact_of(record, "switch_energy_j"), 1e-3, row.at("switch_energy_kj"), file);
    }
    EXPECT_EQ(fact_of(record, "accelerators"), row.at("accelerators")) << file;
    EXPECT_EQ(fact_of(record, "nodes"), row.at("nodes")) << file;
    ++results;
  }
  EXPECT_EQ(results, 3);
}

TEST(MllogPublished, EveryLogAndPowerLogIsRecognised) {
  if (!fs::exists(kSharedData / "mlperf_power/logs")) GTEST_SKIP() << "no measurements here";
  for (const char* folder : {"mlperf_logs", "mlperf_power/logs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSharedData / folder)) {
      if (entry.path().extension() != ".txt") continue;
      const std::string head = read_bytes(entry.path()).substr(0, 64 << 10);
      EXPECT_TRUE(kMllog.recognises(head)) << entry.path();
    }
  }
}

}  // namespace
}  // namespace scalelaw::test
