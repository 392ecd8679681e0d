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

namespace scalelaw::test {
namespace {

/// A trace of one GPU.
constexpr const char* kTwoSamples =
    "timestamp,gpu_index,utilization_gpu_pct,power_draw_w\n"
    "1618080814,0,90,100\n1618080815,0,90,100\n";

/// Writes a file to a folder, and tells its path.
std::string written(const TemporaryFolder& folder, const std::string& name,
                    const std::string& text) {
  write_bytes(folder.path() / name, text);
  return (folder.path() / name).string();
}

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

struct SacctRead {
  std::vector<JobRecord> records;
  std::map<TraceOddity, int> counts;
};

SacctRead read_accounts(const std::string& text, const TraceOptions& options = {}) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "accounts.txt").string();
  write_bytes(path, text);
  CountedNotes notes;
  SacctRead result;
  result.records = kSacct.read_records(path, options, notes);
  result.counts = notes.counts;
  return result;
}

std::string with_replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// The rows of eth-cscs/alps-energy's README (job 38113 on 4 nodes of 4 GPUs), with a type of GPU.
const std::string kSacctHeader = "JobID|JobName|State|ElapsedRaw|AllocTRES|ConsumedEnergyRaw\n";
const std::string kSacctJob =
    "38113|eff.slm|COMPLETED|2102|billing=1152,cpu=1152,energy=20543125,gres/gpu:gh200=16,"
    "gres/gpu=16,mem=1840000M,node=4|20543125\n"
    "38113.batch|batch|COMPLETED|2102|cpu=288,mem=460000M,node=1|5094129\n"
    "38113.extern|extern|COMPLETED|2102|billing=1152,cpu=1152,mem=1840000M,node=4|20543125\n";

/// Two jobs of rug-cit-hpc/hb-jobinfo (test/data/sacct.txt), cut to fewer columns.
const std::string kSacctCells =
    "7965768☃P7W☃user2☃v100gpu16☃CANCELLED by 10314909☃2024-04-04T19:29:45☃2024-04-04T21:45:17☃"
    "2024-04-05T13:13:39☃1-23:59:00☃15:28:22☃5-03:46:56☃billing=1,cpu=1,gres/gpu=1,mem=10G,node=1☃"
    "billing=8,cpu=8,gres/gpu:v100=1,gres/gpu=1,mem=10G,node=1☃\n"
    "7946767☃5Z6☃user48☃v100gpu13☃COMPLETED☃2024-04-04T10:08:19☃2024-04-05T00:18:37☃"
    "2024-04-05T11:42:00☃1-00:00:00☃11:23:23☃3-19:07:04☃billing=1,cpu=1,gres/gpu=1,mem=8G,node=1☃"
    "billing=8,cpu=8,gres/gpu:v100=2,gres/gpu=2,mem=8G,node=1☃\n"
    "7946767.batch☃batch☃☃v100gpu13☃COMPLETED☃2024-04-05T00:18:37☃2024-04-05T00:18:37☃"
    "2024-04-05T11:42:00☃☃11:23:23☃3-19:07:04☃☃cpu=8,gres/gpu:v100=2,gres/gpu=2,mem=8G,node=1☃\n";

TEST(Sacct, FoldsStepsIntoTheirJob) {
  const SacctRead one = read_accounts(kSacctHeader + kSacctJob);
  ASSERT_EQ(one.records.size(), 1U);
  const JobRecord& job = one.records[0];
  EXPECT_EQ(job.job, "38113");
  EXPECT_EQ(fact_of(job, "job_name"), "eff.slm");
  EXPECT_EQ(fact_of(job, "gpus"), "16");
  EXPECT_EQ(fact_of(job, "gpu_type"), "gh200");
  EXPECT_EQ(fact_of(job, "nodes"), "4");
  EXPECT_EQ(fact_of(job, "cpus"), "1152");
  EXPECT_EQ(fact_of(job, "duration_s"), "2102");
  EXPECT_EQ(fact_of(job, "energy_j"), "20543125");
  EXPECT_TRUE(one.counts.empty());
}

TEST(Sacct, ReadsTheGpusOfOldVersions) {
  const SacctRead jobs = read_accounts(
      "JobID|Elapsed|AllocGRES|State\n1|00:10:00|gpu:4|COMPLETED\n"
      "2|00:10:00|gpu:tesla:2|COMPLETED\n3|00:10:00|gpu:a100:2(S:0-1),gpu:v100:1,nic:1|COMPLETED\n"
      "4|00:10:00||COMPLETED\n5|00:10:00|gpu:0|COMPLETED\n");
  ASSERT_EQ(jobs.records.size(), 5U);
  EXPECT_EQ(fact_of(jobs.records[0], "gpus"), "4");
  EXPECT_EQ(fact_of(jobs.records[1], "gpus"), "2");
  EXPECT_EQ(fact_of(jobs.records[1], "gpu_type"), "tesla");
  EXPECT_EQ(fact_of(jobs.records[2], "gpus"), "3");
  EXPECT_EQ(fact_of(jobs.records[2], "gpu_type"), "") << "of several types";
  EXPECT_EQ(fact_of(jobs.records[3], "gpus"), "");
  EXPECT_EQ(fact_of(jobs.records[4], "gpus"), "");
}

TEST(Sacct, ReadsAnyDelimiter) {
  const std::string expected =
      fact_of(read_accounts(kSacctHeader + kSacctJob).records.at(0), "gpus");
  for (const char* delimiter : {"☃", ";", "::", "@#", "\t", ",", "||"}) {
    const SacctRead one = read_accounts(with_replaced(kSacctHeader + kSacctJob, "|", delimiter));
    ASSERT_EQ(one.records.size(), 1U) << delimiter;
    EXPECT_EQ(fact_of(one.records[0], "gpus"), expected) << delimiter;
    EXPECT_EQ(fact_of(one.records[0], "energy_j"), "20543125") << delimiter;
  }
}

TEST(Sacct, ReadsTheTrailingDelimiterOfParsable) {
  const SacctRead one = read_accounts(with_replaced(kSacctHeader + kSacctJob, "\n", "|\n"));
  EXPECT_EQ(fact_of(one.records.at(0), "duration_s"), "2102");
  EXPECT_TRUE(one.counts.empty());
}

TEST(Sacct, FindsTheColumnsOfATextWithoutHeader) {
  const SacctRead two = read_accounts(kSacctCells);
  ASSERT_EQ(two.records.size(), 1U);
  EXPECT_EQ(two.records[0].job, "7946767");
  EXPECT_EQ(fact_of(two.records[0], "gpus"), "2") << "those allocated, not those requested";
  EXPECT_EQ(fact_of(two.records[0], "duration_s"), "41003");
  EXPECT_EQ(fact_of(two.records[0], "start_time"), "2024-04-05T00:18:37");
  EXPECT_EQ(two.counts.at(TraceOddity::kFailedRun), 1);
}

TEST(Sacct, FindsColumnsInWhichAFewCellsAreOfAnotherKind) {
  std::string text;
  for (int job = 1; job <= 9; ++job) {
    text += std::to_string(job) + "|t|COMPLETED|00:10:00|gres/gpu=4,node=1\n";
  }
  const SacctRead read =
      read_accounts(text + "10|t|OF_A_LATER_VERSION|00:10:00|gres/gpu=4,node=1\n" +
                    "11|t|LAUNCH_FAILED|00:10:00|gres/gpu=4,node=1\n");
  ASSERT_GE(read.records.size(), 9U);
  EXPECT_EQ(fact_of(read.records[0], "gpus"), "4") << "a list of resources without processors";
  EXPECT_GE(read.counts.at(TraceOddity::kFailedRun), 1);
}

TEST(Sacct, TakesTheNamesOfColumnsFromTheCall) {
  TraceOptions options;
  options.columns = {"JobIDRaw", "State", "ElapsedRaw", "AllocTRES"};
  const SacctRead one = read_accounts("12|COMPLETED|100|cpu=8,gres/gpu=4,mem=8G,node=1\n", options);
  EXPECT_EQ(fact_of(one.records.at(0), "gpus"), "4");
  EXPECT_EQ(fact_of(one.records.at(0), "duration_s"), "100");
  options.columns = {"JobID", "JobName", "State", "ElapsedRaw"};
  const std::string cut = "38113|a|COMPL|2102\n38114||COMPLETED|60\n";
  EXPECT_EQ(fact_of(read_accounts(cut, options).records.at(0), "duration_s"), "60")
      << "the cells alone do not tell the columns";
  const SacctRead doubled =
      read_accounts("38113||a||COMPL||2102\n38114||b||COMPLETED||60\n", options);
  EXPECT_EQ(fact_of(doubled.records.at(0), "duration_s"), "60") << "as many fields as names";
  const TemporaryFolder folder;
  write_bytes(folder.path() / "a.txt", cut);
  const std::vector<std::string> inputs{(folder.path() / "a.txt").string()};
  EXPECT_EQ(ingest(inputs, {.trace = options}).table.row_count(), 1U)
      << "the names tell the format";
}

TEST(Sacct, SaysWhichOfSeveralJobsATableMeans) {
  const TemporaryFolder folder;
  const std::vector<std::string> accounts{written(folder, "a.txt",
                                                  "JobID|Cluster|State|ElapsedRaw|Submit\n"
                                                  "100|alpha|COMPLETED|3600|2024-05-31T10:00:00\n"
                                                  "100|beta|COMPLETED|1800|2024-05-31T10:00:00\n")};
  const IngestResult result =
      ingest(accounts, {.jobs = {written(folder, "set.csv", "job_id,model\n100,bert\n")}});
  EXPECT_THAT(result.warnings,
              ElementsAre(testing::EndsWith("what they say is not known of 100-2")));
}

TEST(Sacct, CountsJobsThatFailedOrAreNotFinished) {
  const SacctRead none = read_accounts(
      "JobID|State|Elapsed\n1|FAILED|00:00:04\n2|CANCELLED by 1000|00:10:00\n3|TIMEOUT|3-00:00:25\n"
      "4|RUNNING|01:00:00\n5|PENDING|00:00:00\n6_[1-10%2]|PENDING|00:00:00\n7|COMPLETED|00:11:04\n"
      "7.batch|COMPLETED|00:11:04\n7.0|FAILED|00:11:04\n");
  ASSERT_EQ(none.records.size(), 1U);
  EXPECT_EQ(fact_of(none.records[0], "duration_s"), "664");
  EXPECT_EQ(none.counts, (std::map<TraceOddity, int>{{TraceOddity::kFailedRun, 3},
                                                     {TraceOddity::kUnfinishedRun, 3}}));
}

TEST(Sacct, TakesAnEnergyOfZeroForUnmeasured) {
  const auto energy = [](const std::string& rows) {
    return fact_of(
        read_accounts("JobID|State|ElapsedRaw|NNodes|ConsumedEnergyRaw|ConsumedEnergy\n" + rows)
            .records.at(0),
        "energy_j");
  };
  EXPECT_EQ(energy("1|COMPLETED|10|1|0|0\n"), "");
  EXPECT_EQ(energy("1|COMPLETED|10|1||\n"), "");
  EXPECT_EQ(energy("1|COMPLETED|10|1|18446744073709551614|16384P\n"), "");
  EXPECT_EQ(energy("1|COMPLETED|10|1|4294967294|4.29G\n"), "4290000000");
  EXPECT_EQ(energy("1|COMPLETED|10|1||20.54M\n"), "20540000");
  EXPECT_EQ(energy("1|COMPLETED|10|1|0|0\n1.batch|COMPLETED|10|1|700|700\n"), "700");
  EXPECT_EQ(energy("1|COMPLETED|10|2|0|0\n1.batch|COMPLETED|10|1|700|700\n"), "");
  EXPECT_EQ(energy("1|COMPLETED|10|2|0|0\n1.extern|COMPLETED|10|2|900|900\n"), "900");
  EXPECT_EQ(energy("1|COMPLETED|10|2|0|0\n1.0|COMPLETED|10|2|800|800\n"), "800");
  EXPECT_EQ(energy("1|COMPLETED|10|2|0|0\n1.0|COMPLETED|5|2|8|8\n1.1|COMPLETED|5|2|8|8\n"), "");
}

TEST(Sacct, LeavesEmptyWhatIsNotStated) {
  const JobRecord job =
      read_accounts("JobID|State|ElapsedRaw|AllocTRES\n1|COMPLETED|0|cpu=8,mem=8G,node=1\n")
          .records.at(0);
  EXPECT_EQ(fact_of(job, "gpus"), "") << "no GPU is not zero GPUs: Slurm may not count them";
  EXPECT_EQ(fact_of(job, "duration_s"), "") << "below the resolution of a second";
  EXPECT_EQ(fact_of(job, "energy_j"), "");
}

TEST(Sacct, KeepsRequeuedJobsApartAndRepeatedRowsOnce) {
  const SacctRead jobs = read_accounts(
      "JobID|State|ElapsedRaw\n1|NODE_FAIL|50\n1|COMPLETED|100\n1|COMPLETED|100\n2|COMPLETED|7\n"
      "2|COMPLETED|8\n");
  std::vector<std::string> ids;
  for (const JobRecord& job : jobs.records) ids.push_back(job.job);
  EXPECT_THAT(ids, ElementsAre("1", "2", "2")) << "ingest() numbers them";
  EXPECT_EQ(jobs.counts.at(TraceOddity::kRepeatedRun), 1);
}

TEST(Sacct, NotesLinesThatAreNoJobs) {
  const SacctRead jobs = read_accounts(
      "JobID|State|ElapsedRaw\n1|COMPLETED|100\n\nJobID|State|ElapsedRaw\n"
      "sacct: error: slurm_persist_conn_open\n9.0|COMPLETED|5\n2|COMPL");
  EXPECT_EQ(jobs.records.size(), 1U);
  EXPECT_EQ(jobs.counts, (std::map<TraceOddity, int>{{TraceOddity::kForeignLine, 2},
                                                     {TraceOddity::kRepeatedHeader, 1},
                                                     {TraceOddity::kCutLine, 1}}));
}

/// A job as mila-iqia/clockwork has it (slurm_state_test/files/sacct_1, Slurm 21.08), shortened.
std::string old_json_job(const std::string& state) {
  return R"({"account": "rrg", "allocation_nodes": 1, "array": {"job_id": 63752790, "task": null,
    "task_id": 7}, "association": {"account": "rrg", "cluster": "cedar"}, "time": {"elapsed": 20615,
    "end": 1680244103, "start": 1680193504, "submission": 1680193479}, "job_id": 63768795,
    "name": "submitit", "nodes": "cdr247", "partition": "gpubase", "qos": "normal", "user": "nobody",
    "state": {"current": ")" +
         state + R"(", "reason": "Prolog"}, "steps": [], "tres": {"allocated": [
    {"type": "cpu", "name": null, "id": 1, "count": 4},
    {"type": "node", "name": null, "id": 4, "count": 1},
    {"type": "gres", "name": "gpu", "id": 1001, "count": 2}]}})";
}

/// A job as data_parser/v0.0.40 writes it (SARC's slurm_23_11_5.json), with steps.
const std::string kNewJsonJob =
    R"({"account": "mila", "allocation_nodes": 2, "array": {"job_id": 0, "task_id": {"set": false,
    "infinite": false, "number": 0}}, "association": {"account": "mila"}, "time": {"elapsed": 600,
    "end": 0, "start": 1613725209, "submission": 1613725209, "limit": {"set": true, "infinite": false,
    "number": 7200}}, "job_id": 4, "name": "sh", "nodes": "mila[02-03]", "partition": "main",
    "qos": "normal", "user": "u", "state": {"current": ["COMPLETED"], "reason": "None"}, "steps": [
    {"step": {"id": "4.batch", "name": "batch"}, "statistics": {"energy": {"consumed": {"set": true,
    "infinite": false, "number": 11}}}}, {"step": {"id": {"job_id": 4, "step_id": "extern"}},
    "statistics": {"energy": {"consumed": {"set": true, "infinite": false, "number": 777}}}}],
    "tres": {"allocated": [{"type": "cpu", "name": "", "id": 1, "count": 8},
    {"type": "energy", "name": "", "id": 3, "count": -2},
    {"type": "gres", "name": "gpu", "id": 1001, "count": 4},
    {"type": "gres", "name": "gpu:a100", "id": 1002, "count": 4}]}})";

TEST(Sacct, ReadsJsonOfOldAndNewVersions) {
  const std::string text = "{\n\"meta\": {}, \"jobs\": [" + old_json_job("COMPLETED") + ",\n" +
                           kNewJsonJob + ", " + old_json_job("NODE_FAIL") + "], \"errors\": []}";
  EXPECT_TRUE(kSacct.recognises(text));
  const SacctRead jobs = read_accounts(text);
  ASSERT_EQ(jobs.records.size(), 2U);
  EXPECT_EQ(jobs.counts.at(TraceOddity::kFailedRun), 1);
  const JobRecord& old = jobs.records[0];
  EXPECT_EQ(old.job, "63752790_7");
  EXPECT_EQ(fact_of(old, "gpus"), "2");
  EXPECT_EQ(fact_of(old, "cpus"), "4");
  EXPECT_EQ(fact_of(old, "duration_s"), "20615");
  EXPECT_EQ(fact_of(old, "end_time"), "1680244103");
  EXPECT_EQ(fact_of(old, "node_list"), "cdr247");
  const JobRecord& now = jobs.records[1];
  EXPECT_EQ(now.job, "4");
  EXPECT_EQ(fact_of(now, "status"), "COMPLETED");
  EXPECT_EQ(fact_of(now, "gpus"), "4");
  EXPECT_EQ(fact_of(now, "gpu_type"), "a100");
  EXPECT_EQ(fact_of(now, "nodes"), "2");
  EXPECT_EQ(fact_of(now, "energy_j"), "777");
  EXPECT_EQ(fact_of(now, "end_time"), "");
}

TEST(Sacct, RefusesJsonThatIsCutOrOfTheQueue) {
  const std::string text = "{\"jobs\": [" + kNewJsonJob + "]}";
  EXPECT_THROW(read_accounts(text.substr(0, text.size() - 2)), ParseError);
  EXPECT_EQ(
      kSacct.missing(R"({"jobs": [{"job_id": 4, "job_state": "RUNNING", "tres_alloc_str": ""}]})"),
      "squeue or scontrol wrote it, which know no account: sacct --json does");
}

TEST(Sacct, IsRecognisedByItsNamesOrItsCells) {
  EXPECT_TRUE(kSacct.recognises(kSacctHeader));
  EXPECT_TRUE(kSacct.recognises("\xEF\xBB\xBFJobIDRaw|State\r\n"));
  EXPECT_TRUE(kSacct.recognises(kSacctCells));
  for (const char* head :
       {"", "job_id,model\n1,bert\n", "JobID           JobName  Partition\n------------ ----\n",
        "JobID,loss\n1,2\n", "id_job,state,time_start\n1,3,5\n", "1|2|3\n4|5|6\n",
        "2024/01/02 03:04:05.678, 0, 12 %\n", "17000|COMPLETED\n"}) {
    EXPECT_FALSE(kSacct.recognises(head)) << head;
  }
  EXPECT_THAT(kSacct.missing("JobID           JobName  Partition\n------------ ---------- ----\n"),
              HasSubstr("--parsable2"));
}

TEST(Sacct, DividesFieldsOfBlanksAtCommas) {
  EXPECT_TRUE(kSacct.recognises("JobID,State,[ ,  ,Elapsed"));
  const SacctRead blanks =
      read_accounts("JobID,State,NodeList,Elapsed\n1,COMPLETED,n[1,  ,3],00:01:00\n");
  EXPECT_EQ(fact_of(blanks.records.at(0), "duration_s"), "60");
}

TEST(Sacct, EveryPrefixIsReadOrRefusedAsAnError) {
  for (const std::string& text : {kSacctHeader + kSacctJob, kSacctCells}) {
    for (std::size_t length = 0; length <= text.size(); ++length) {
      try {
        EXPECT_LE(read_accounts(text.substr(0, length)).records.size(), 1U);
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("accounts.txt:"));
      }
    }
  }
}

TEST(Sacct, IsATableOfJobs) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "38113-nid1.csv", kTwoSamples);
  write_bytes(folder.path() / "slurm.txt",
              kSacctHeader + kSacctJob + "9|x|COMPLETED|1|cpu=1,mem=1G|0\n");
  IngestOptions options;
  options.jobs = {(folder.path() / "slurm.txt").string()};
  const IngestResult result =
      ingest(std::vector{(folder.path() / "38113-nid1.csv").string()}, options);
  const auto cell = [&](const std::string& name) -> std::string {
    for (std::size_t i = 0; i < result.table.names.size(); ++i) {
      if (result.table.names[i] == name) return result.table.rows.at(0)[i];
    }
    return "(none)";
  };
  EXPECT_EQ(cell("gpus"), "16");
  EXPECT_EQ(cell("job_duration_s"), "2102");
  EXPECT_EQ(cell("job_energy_j"), "20543125");
  EXPECT_EQ(cell("energy_j"), "") << "one GPU of 16 is traced";
  EXPECT_EQ(cell("energy_seen_j"), "100");
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("1 job without a trace: 9")));
}

TEST(Sacct, BesideTracesOfItsJobsAddsItsColumnsToTheirRows) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "38113-nid1.csv", kTwoSamples);
  write_bytes(folder.path() / "slurm.txt",
              kSacctHeader + kSacctJob + "9|x|COMPLETED|10|cpu=1,mem=1G,node=1|0\n");
  const IngestResult result = ingest(std::vector{folder.path().string()}, {});
  ASSERT_EQ(result.table.rows.size(), 2U);
  const auto cell = [&](std::size_t row, const std::string& name) -> std::string {
    for (std::size_t i = 0; i < result.table.names.size(); ++i) {
      if (result.table.names[i] == name) return result.table.rows[row][i];
    }
    return "(none)";
  };
  EXPECT_EQ(cell(0, "job_id"), "38113");
  EXPECT_EQ(cell(0, "gpus"), "16");
  EXPECT_EQ(cell(0, "gpus_seen"), "1");
  EXPECT_EQ(cell(0, "job_energy_j"), "20543125");
  EXPECT_EQ(cell(1, "job_id"), "9");
  EXPECT_EQ(cell(1, "duration_s"), "10");
}

TEST(Sacct, NotesColumnsThatCellsAloneDoNotTell) {
  const SacctRead read = read_accounts(
      "1|train|COMPLETED|00:01:40|billing=8,gres/gpu=8,node=2|5000\n"
      "2|eval|COMPLETED|00:03:20|billing=8,gres/gpu=4,node=1|7000\n");
  EXPECT_EQ(read.counts.at(TraceOddity::kOtherSeries), 2);
  const SacctRead named = read_accounts(
      "1|train|COMPLETED|00:01:40|billing=8,gres/gpu=8,node=2|5000\n",
      {.columns = {"JobID", "JobName", "State", "Elapsed", "AllocTRES", "ConsumedEnergyRaw"}});
  EXPECT_FALSE(named.counts.contains(TraceOddity::kOtherSeries));
  EXPECT_EQ(fact_of(named.records.at(0), "energy_j"), "5000");
}

TEST(Sacct, JoinsALogByItsNameHoweverItIsGiven) {
  const TemporaryFolder folder;
  const std::string accounts = written(folder, "acct.txt", kSacctHeader + kSacctJob);
  const std::vector<std::string> log{
      written(folder, "slurm-38113.out",
              " iteration 1/ 10 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.5 |\n")};
  const std::vector<std::string> both{log.front(), accounts};
  for (const IngestResult& result : {ingest(both, {}), ingest(log, {.jobs = {accounts}})}) {
    const std::vector<std::string>& names = result.table.names;
    ASSERT_EQ(result.table.rows.size(), 1U);
    const auto cell = [&](const char* name) {
      const auto place = std::find(names.begin(), names.end(), name);
      return place == names.end()
                 ? "(none)"
                 : result.table.rows[0][static_cast<std::size_t>(place - names.begin())];
    };
    EXPECT_EQ(cell("job_id"), "slurm-38113");
    EXPECT_EQ(cell("gpus"), "16");
    EXPECT_EQ(cell("job_energy_j"), "20543125");
    EXPECT_EQ(cell("job_duration_s"), "2102");
    EXPECT_EQ(cell("job_status"), "COMPLETED");
    EXPECT_EQ(cell("duration_s"), "") << "that of the job is not that of the training";
    EXPECT_EQ(cell("status"), "");
    for (const std::string& warning : result.warnings) {
      EXPECT_EQ(warning.find("in no table"), std::string::npos) << warning;
    }
  }
}

TEST(Sacct, OneJobInTwoAccountsIsOneRow) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "may.txt", kSacctHeader + "1|a|COMPLETED|100|gres/gpu=8|5000\n");
  write_bytes(folder.path() / "june.txt", kSacctHeader + "1|a|COMPLETED|100|gres/gpu=8|7000\n");
  const std::string inputs[] = {folder.path().string()};
  const IngestResult result = ingest(inputs, {});
  EXPECT_EQ(result.table.rows.size(), 1U);
  EXPECT_THAT(result.warnings, testing::Contains(testing::AllOf(
                                   testing::HasSubstr("may.txt: \"1\", of which "),
                                   testing::EndsWith("june.txt has the row that counts"))));
}

TEST(Sacct, CountsAJobThatSeveralAccountsTellOnce) {
  const TemporaryFolder folder;
  const std::string head = "JobID|State|Submit|ElapsedRaw|AllocTRES\n";
  const auto row = [](const std::string& id, const std::string& state) {
    return id + "|" + state + "|2024-05-31T10:00:00|60|cpu=8,gres/gpu=4,node=1\n";
  };
  const std::string failed =
      row("1", "FAILED") + row("2", "TIMEOUT") + row("3", "NODE_FAIL") + row("4", "CANCELLED");
  write_bytes(folder.path() / "may.txt", head + row("9", "COMPLETED") + failed +
                                             row("5", "RUNNING") + row("6", "RUNNING") +
                                             row("7", "PENDING"));
  write_bytes(folder.path() / "june.txt", head + failed + row("9", "COMPLETED") +
                                              row("5", "COMPLETED") + row("6", "FAILED") +
                                              row("7", "RUNNING"));
  const std::vector<std::string> inputs{folder.path().string()};
  const IngestResult result = ingest(inputs, {});
  EXPECT_EQ(result.counts.jobs, 2U);
  EXPECT_THAT(result.warnings,
              ElementsAre(testing::StartsWith("5 runs failed or were cancelled and were left out"),
                          testing::StartsWith("1 run is not finished and was left out"),
                          testing::StartsWith("8 rows tell again of runs, each of which counts")));
  write_bytes(folder.path() / "june.txt", with_replaced(head + failed, "2024-05-31", "2026-05-31"));
  EXPECT_THAT(ingest(inputs, {}).warnings, testing::Contains(testing::StartsWith("8 runs failed")))
      << "ids come again after years";
}

TEST(Sacct, CountsJobsWithoutATraceOnceOverAllTables) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "38113-nid1.csv", kTwoSamples);
  const std::string header = "JobID|State|ElapsedRaw|AllocTRES\n";
  write_bytes(folder.path() / "may.txt",
              header + "38113|RUNNING|100|cpu=8,gres/gpu=4,node=1\n9|FAILED|1|cpu=1,node=1\n");
  write_bytes(folder.path() / "june.txt",
              header +
                  "38113|COMPLETED|2102|cpu=8,gres/gpu=4,node=1\n9|FAILED|1|cpu=1,node=1\n"
                  "10|FAILED|1|cpu=1,node=1\n");
  IngestOptions options;
  options.jobs = {(folder.path() / "june.txt").string(), (folder.path() / "may.txt").string()};
  const IngestResult result =
      ingest(std::vector{(folder.path() / "38113-nid1.csv").string()}, options);
  EXPECT_THAT(result.warnings,
              testing::Contains(testing::EndsWith("2 jobs without a trace: 10, 9")));
  EXPECT_THAT(result.warnings, testing::Not(testing::Contains(HasSubstr("contradict"))));
  const std::size_t place = place_of(result.table.names, "job_duration_s");
  EXPECT_EQ(result.table.rows.at(0).at(place), "2102") << "the completed row counts";
}

TEST(Sacct, SeveralAccountsOfAJobFillOneAnother) {
  const TemporaryFolder folder;
  const std::string trace = written(folder, "5-nid1.csv", kTwoSamples);
  const std::string header = "JobID|State|ElapsedRaw|AllocTRES|ConsumedEnergyRaw\n";
  const std::string may = written(folder, "may.txt", header + "5|COMPLETED|100|gres/gpu=1|\n");
  const std::string june =
      written(folder, "june.txt", header + "5|COMPLETED|100|gres/gpu=1|123456\n");
  const std::string other = written(folder, "other.txt", header + "5|COMPLETED|900|gres/gpu=8|\n");
  const auto read = [&](const std::vector<std::string>& jobs) {
    IngestOptions options;
    options.jobs = jobs;
    return ingest(std::vector{trace}, options);
  };
  for (const auto& jobs : {std::vector{may, june}, std::vector{june, may}}) {
    const IngestResult result = read(jobs);
    const std::size_t place = place_of(result.table.names, "job_energy_j");
    ASSERT_LT(place, result.table.names.size());
    EXPECT_EQ(result.table.rows.at(0).at(place), "123456");
    EXPECT_THAT(result.warnings, testing::Not(testing::Contains(HasSubstr("contradict"))));
  }
  EXPECT_THAT(read({may, other}).warnings,
              testing::Contains(HasSubstr("tables of jobs contradict each other 2 times")));
}

/// Reads several accounts in one folder.
IngestResult ingest_accounts(const std::vector<std::string>& texts) {
  const TemporaryFolder folder;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    write_bytes(folder.path() / (std::string(1, static_cast<char>('a' + i)) + ".txt"), texts[i]);
  }
  return ingest(std::vector{folder.path().string()}, {});
}

TEST(Sacct, ARequeuedJobInTwoAccountsIsTwoRows) {
  const std::string header = "JobID|State|Submit|Start|End|ElapsedRaw|AllocTRES\n";
  const std::string may =
      "8|COMPLETED|2024-05-01T10:00:00|2024-05-01T12:00:00|2024-05-01T13:00:00|3600|gres/gpu=4\n";
  const std::string june =
      "8|COMPLETED|2024-06-01T10:00:00|2024-06-01T14:00:00|2024-06-01T15:30:00|5400|gres/gpu=4\n";
  const IngestResult result = ingest_accounts({header + june, header + may + june});
  EXPECT_THAT(column_of(result, "job_id"), ElementsAre("8", "8-2"));
  EXPECT_THAT(column_of(result, "duration_s"), ElementsAre("3600", "5400"));
  EXPECT_THAT(result.warnings, ElementsAre(testing::StartsWith("1 row tells again")));
  const std::string bare = "JobID|State|Start|End|ElapsedRaw\n";
  const std::string first = "8|COMPLETED|2024-05-01T12:00:00|2024-05-01T13:00:00|3600\n";
  const std::string second = "8|COMPLETED|2024-06-01T14:00:00|2024-06-01T15:30:00|5400\n";
  EXPECT_THAT(column_of(ingest_accounts({bare + second, bare + first + second}), "duration_s"),
              ElementsAre("3600", "5400"));
}

TEST(Sacct, OneJobInAccountsWithOtherColumnsIsOneRow) {
  const IngestResult result =
      ingest_accounts({"JobID|State\n5|COMPLETED\n", "JobID|State|ElapsedRaw\n5|COMPLETED|60\n",
                       "JobID|State|Submit\n5|COMPLETED|2024-05-01T10:00:00\n"});
  EXPECT_THAT(column_of(result, "job_id"), ElementsAre("5"));
  EXPECT_THAT(column_of(result, "duration_s"), ElementsAre("60"));
  EXPECT_THAT(column_of(result, "submit_time"), ElementsAre("2024-05-01T10:00:00"));
}

TEST(Sacct, FailedStartsOfAJobCountEach) {
  const IngestResult result =
      ingest_accounts({"JobID|State|Start|End|ElapsedRaw\n"
                       "5|NODE_FAIL|2024-05-01T10:00:00|2024-05-01T11:00:00|3600\n"
                       "5|FAILED|2024-05-01T12:00:00|2024-05-01T13:00:00|3600\n"
                       "7|NODE_FAIL|2024-05-01T12:00:00|2024-05-01T13:00:00|3600\n"
                       "7|COMPLETED|2024-05-01T14:00:00|2024-05-01T15:00:00|3600\n"});
  EXPECT_THAT(result.warnings, ElementsAre(testing::StartsWith("3 runs failed")));
}

TEST(Sacct, ClustersHaveTheirOwnIds) {
  const auto account = [](const std::string& cluster, const std::string& rest) {
    return "JobID|Cluster|State|ElapsedRaw|AllocTRES\n1|" + cluster + "|FAILED|" + rest + "\n2|" +
           cluster + "|COMPLETED|" + rest + "\n";
  };
  for (const bool is_named : {true, false}) {
    const IngestResult result = ingest_accounts({account(is_named ? "A" : "", "60|gres/gpu=4"),
                                                 account(is_named ? "B" : "", "90|gres/gpu=8")});
    EXPECT_THAT(column_of(result, "job_id"), ElementsAre("2", "2-2"));
    EXPECT_THAT(column_of(result, "gpus"), ElementsAre("4", "8"));
    EXPECT_THAT(result.warnings, ElementsAre(testing::StartsWith("2 runs failed")));
    if (is_named) {
      EXPECT_THAT(column_of(result, "cluster"), ElementsAre("A", "B"));
    }
  }
}

TEST(Sacct, AJobThatRunsIsCountedBesideALogOfItsName) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "5.out",
              " iteration 1/ 10 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.5 |\n");
  write_bytes(folder.path() / "acct.txt", kSacctHeader + "5|a|RUNNING|60|gres/gpu=4|0\n");
  EXPECT_THAT(ingest(std::vector{folder.path().string()}, {}).warnings,
              testing::Contains(testing::StartsWith("1 run is not finished")));
}

TEST(Sacct, TablesOfJobsTellJobsOfOneIdApart) {
  const TemporaryFolder folder;
  const std::string trace = written(folder, "8-nid1.csv", kTwoSamples);
  const std::string header = "JobID|State|Submit|End|ElapsedRaw|ConsumedEnergyRaw\n";
  IngestOptions options;
  options.jobs = {
      written(folder, "may.txt",
              header + "8|COMPLETED|2024-05-01T10:00:00|2024-05-01T13:00:00|3600|7000\n"),
      written(folder, "june.txt",
              header + "8|COMPLETED|2024-06-01T10:00:00|2024-06-01T15:30:00|5400|\n")};
  const IngestResult result = ingest(std::vector{trace}, options);
  EXPECT_THAT(column_of(result, "job_duration_s"), ElementsAre("5400"));
  EXPECT_THAT(column_of(result, "job_energy_j"), ElementsAre(""))
      << "that of May is of another job";
  EXPECT_THAT(result.warnings,
              testing::Contains(HasSubstr("tables of jobs contradict each other 3 times")));
}

TEST(Sacct, ManyJobsOfOneIdTakeNoQuadraticTime) {
  std::string text = "JobID|State|Submit|ElapsedRaw\n";
  for (int i = 0; i < 20'000; ++i) {
    text += "7|COMPLETED|" + std::to_string(1'700'000'000 + i) + "|60\n7|FAILED|" +
            std::to_string(1'800'000'000 + i) + "|60\n";
  }
  const IngestResult result = ingest_accounts({text});
  EXPECT_EQ(result.table.rows.size(), 20'000U);
  EXPECT_THAT(result.warnings, ElementsAre(testing::StartsWith("20000 runs failed")));
}

TEST(Sacct, InputsAndTablesOfJobsHaveOneRule) {
  const TemporaryFolder folder;
  const std::string log =
      written(folder, "slurm-100.out",
              " iteration 1/ 10 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.5 |\n");
  const std::string columns = "JobID|State|ElapsedRaw|Submit|AllocTRES|ConsumedEnergyRaw\n";
  const std::string one = written(
      folder, "1.txt", columns + "100|COMPLETED|3600|2024-05-31T10:00:00|gres/gpu=8|1000000\n");
  const std::string two =
      written(folder, "2.txt", columns + "100|COMPLETED|3660|2024-05-31T10:00:00|gres/gpu=16|\n");
  IngestOptions options;
  options.jobs = {one, two};
  for (const IngestResult& result :
       {ingest(std::vector{log, one, two}, {}), ingest(std::vector{log}, options)}) {
    EXPECT_THAT(column_of(result, "gpus"), ElementsAre("16"));
    EXPECT_THAT(column_of(result, "job_duration_s"), ElementsAre("3660"));
    EXPECT_THAT(column_of(result, "job_energy_j"), ElementsAre(""));
    EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("contradict each other 2 times")));
  }
}

TEST(Sacct, TablesOfJobsGiveALogTheJobWithItsGpus) {
  const TemporaryFolder folder;
  const std::string log =
      written(folder, "slurm-100.out",
              "using world size: 8, data-parallel size: 8\n"
              " iteration 1/ 10 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.5 |\n");
  IngestOptions options;
  options.jobs = {written(folder, "1.txt",
                          "JobID|State|ElapsedRaw|Start|AllocTRES|ConsumedEnergyRaw\n"
                          "100|COMPLETED|3600|2021-05-31T10:00:00|gres/gpu=16|1000000\n"
                          "100|FAILED|48|2025-01-01T10:00:00|gres/gpu=8|\n")};
  const IngestResult result = ingest(std::vector{log}, options);
  EXPECT_THAT(column_of(result, "job_status"), ElementsAre("FAILED"));
  EXPECT_THAT(column_of(result, "job_energy_j"), ElementsAre(""));
}

TEST(Sacct, AnIdGivenAgainLendsALogNoAccountThatNothingTellsApart) {
  const TemporaryFolder folder;
  const std::string log =
      written(folder, "slurm-100.out",
              "using world size: 8, data-parallel size: 8\n"
              " iteration 1/ 10 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.5 |\n");
  const auto both_ways = [&](const std::string& rows) {
    const std::string accounts = written(
        folder, "1.txt", "JobID|State|ElapsedRaw|Start|AllocTRES|ConsumedEnergyRaw\n" + rows);
    IngestOptions options;
    options.jobs = {accounts};
    return std::vector{ingest(std::vector{log, accounts}, {}), ingest(std::vector{log}, options)};
  };
  const std::string completed = "100|COMPLETED|3600|2021-05-31T10:00:00|cpu=8|1000000\n";
  const std::string with_gpus = "100|COMPLETED|3600|2021-05-31T10:00:00|gres/gpu=16|1000000\n";
  const std::string later = "100|FAILED|48|2025-01-01T10:00:00|cpu=8|70\n";
  for (const IngestResult& result : both_ways(completed + later)) {
    EXPECT_EQ(column_of(result, "job_energy_j").back(), "");
    EXPECT_THAT(
        result.warnings,
        testing::Contains(testing::StartsWith("1 log has no account, the first: slurm-100.")));
  }
  // That of which nothing tells the GPUs is meant, and makes no row.
  const std::vector<IngestResult> one = both_ways(with_gpus + later);
  EXPECT_EQ(column_of(one[0], "job_energy_j").back(), "");
  EXPECT_THAT(column_of(one[1], "job_energy_j"), ElementsAre("70"));
  // A job that was requeued has the account of its last start.
  for (const IngestResult& result :
       both_ways("100|NODE_FAIL|48|2021-05-31T09:00:00|cpu=8|70\n" + completed)) {
    EXPECT_THAT(column_of(result, "job_energy_j"), ElementsAre("1000000"));
  }
}

TEST(Sacct, FindsSecondsInATextWithoutHeaderByTheTimesBesideThem) {
  const SacctRead read = read_accounts(
      "5|a|COMPLETED|2|600|2024-05-01T08:00:00|2024-05-01T10:00:00|2024-05-01T10:10:00|gres/gpu=8\n"
      "6|a|COMPLETED|2|50|2024-05-01T08:00:00|2024-05-01T10:00:00|2024-05-01T10:00:50|gres/gpu=8\n"
      "7|a|PENDING|2|0|2024-05-01T08:00:00|Unknown|Unknown|\n");
  ASSERT_EQ(read.records.size(), 2U);
  EXPECT_EQ(fact_of(read.records[0], "duration_s"), "600");
  EXPECT_EQ(fact_of(read.records[1], "duration_s"), "50");
  EXPECT_EQ(fact_of(read.records[1], "start_time"), "2024-05-01T10:00:00");
}

TEST(Sacct, ThreeColumnsWithoutHeaderSuffice) {
  const SacctRead read = read_accounts("38113|COMPLETED|00:10:00\n38114|COMPLETED|01:05:00\n");
  ASSERT_EQ(read.records.size(), 2U);
  EXPECT_EQ(read.records[0].job, "38113");
  EXPECT_EQ(fact_of(read.records[0], "duration_s"), "600");
  EXPECT_EQ(fact_of(read.records[1], "duration_s"), "3900");
}

TEST(Sacct, SaysWhatRowsWithoutAHeaderLack) {
  EXPECT_EQ(recognised_format("38113|a|COMPLETED|2102\n38113.batch|batch|COMPLETED|2102\n"),
            nullptr);
  EXPECT_THAT(kSacct.missing("38113|a|COMPLETED|2102\n38113.batch|batch|COMPLETED|2102\n"),
              HasSubstr("it has no header"));
}

}  // namespace
}  // namespace scalelaw::test
