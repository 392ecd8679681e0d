#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <bit>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "support/command.hpp"
#include "support/places.hpp"
#include "trace/event_file.hpp"
#include "trace/formats.hpp"
#include "trace/metrics.hpp"
#include "trace/records.hpp"
#include "trace/yaml_scalars.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// A folder in which tests write the files of runs.
class Runs {
 public:
  std::string add(const std::string& name, const std::string& text) const {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    write_bytes(path, text);
    return path.string();
  }
  std::string path() const { return folder_.path().string(); }

 private:
  TemporaryFolder folder_;
};

std::string message_of(const std::vector<std::string>& metrics) {
  try {
    MetricChoices{metrics};
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

// --- Metrics ---

TEST(MetricChoices, RefusesWhatIsNoChoice) {
  for (const char* word : {"loss", "=min", "loss=", "loss=best", ""}) {
    EXPECT_THAT(message_of({word}), HasSubstr("expected NAME=last, NAME=min")) << word;
  }
  EXPECT_THAT(message_of({"loss=min", "loss=max"}), HasSubstr("comes twice"));
  EXPECT_EQ(message_of({"a=b=min", "loss=mean", "acc=last", "x=max"}), "");
  EXPECT_EQ(MetricChoices(std::vector<std::string>{"a=b=min"}).of("a=b"), MetricChoice::kMin);
  EXPECT_EQ(MetricChoices({}).of("a"), MetricChoice::kLast);
}

TEST(MetricSeries, ChoosesAmongItsValues) {
  MetricSeries series;
  EXPECT_FALSE(series.value(MetricChoice::kLast));
  for (const double value : {3.0, 1.0, 2.0}) series.add(value);
  EXPECT_EQ(series.value(MetricChoice::kLast), 2);
  EXPECT_EQ(series.value(MetricChoice::kMin), 1);
  EXPECT_EQ(series.value(MetricChoice::kMax), 3);
  EXPECT_EQ(series.value(MetricChoice::kMean), 2);
  series.add(kInfinity);
  EXPECT_EQ(series.value(MetricChoice::kMax), 3);
  EXPECT_EQ(series.value(MetricChoice::kLast), kInfinity);
}

// --- YAML ---

TEST(YamlScalars, ReadsWhatPyYamlWrites) {
  EXPECT_THAT(yaml_scalars("a: 1\n"
                           "b:\n- 0.9\n- 0.95\n"
                           "c:\n  d: 'it''s: x'\n  e:\n    - 1\n    - 2\n"
                           "f: null\n"
                           "g: {}\n"
                           "h: \"two\\nlines\"  # a comment\n"
                           "\"4\": 3.11\n"
                           "i: a long text that\n  goes on\n"
                           "j: !!python/object:x.Y\n  k: true\n"
                           "l:\n- m: 1\n  n: 2\n- m: 3\n"
                           "o: |\n  one\n  two\n"
                           "p: http://x:1/y\n",
                           "x.yaml"),
              ElementsAre(Pair("a", "1"), Pair("b", "[0.9, 0.95]"), Pair("c.d", "it's: x"),
                          Pair("c.e", "[1, 2]"), Pair("f", ""), Pair("h", "two\nlines"),
                          Pair("4", "3.11"), Pair("i", "a long text that goes on"),
                          Pair("j.k", "true"), Pair("l.0.m", "1"), Pair("l.0.n", "2"),
                          Pair("l.1.m", "3"), Pair("o", "one\ntwo"), Pair("p", "http://x:1/y")));
}

TEST(YamlScalars, FollowsAliases) {
  EXPECT_THAT(yaml_scalars("a: &one 5\nb: *one\n"
                           "d: &base\n  lr: 0.1\n  net:\n    depth: 3\n"
                           "e:\n  <<: *base\n  lr: 0.2\n"
                           "f: *base\n"
                           "g: &list\n- 1\n- 2\nh: *list\n"
                           "i: >-\n  folded\n  text\n",
                           "x.yaml"),
              ElementsAre(Pair("a", "5"), Pair("b", "5"), Pair("d.lr", "0.1"),
                          Pair("d.net.depth", "3"), Pair("e.lr", "0.2"), Pair("e.net.depth", "3"),
                          Pair("f.lr", "0.1"), Pair("f.net.depth", "3"), Pair("g", "[1, 2]"),
                          Pair("h", "[1, 2]"), Pair("i", "folded text")));
}

TEST(YamlScalars, AliasesOfAliasesEnd) {
  std::string text = "a0: &a0\n  x: 1\n  y: 2\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + "\n  x: " + before +
            "\n  y: " + before + "\n";
  }
  EXPECT_LE(yaml_scalars(text, "x.yaml").size(), 10'000U);
}

TEST(YamlScalars, SaysWhereATextIsNoYaml) {
  std::string deep;
  for (int i = 0; i < 500; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  std::string dashes;
  for (int i = 0; i < 500; ++i) dashes += "- ";
  for (const std::string& text :
       {deep, dashes + "x\n", std::string("a: \"open"), std::string("b\n- c\nd: e"),
        std::string("- a\nb: c\n"), std::string("c: *nobody\n")}) {
    EXPECT_THROW(yaml_scalars(text, "x.yaml"), ParseError) << text.substr(0, 20);
  }
  try {
    yaml_scalars("a: 1\nb: *nobody\n", "x.yaml");
    FAIL() << "an alias of nothing was taken";
  } catch (const ParseError& error) {
    EXPECT_STREQ(error.what(), "x.yaml:2: column 4: expected YAML: found undefined alias");
  }
}

TEST(YamlScalars, ReadsNestedBracketsAndTextsWithoutScalars) {
  EXPECT_THAT(yaml_scalars("lr: {desc: null, value: 0.1}\nsizes: [1, 2]\n", "x.yaml"),
              ElementsAre(Pair("lr.desc", ""), Pair("lr.value", "0.1"), Pair("sizes", "[1, 2]")));
  for (const char* text : {"", "---\n", "# nothing\n", "- {}\n- []\n"}) {
    EXPECT_TRUE(yaml_scalars(text, "x.yaml").empty()) << text;
  }
}

// --- MLflow ---

/// meta.yaml of the run 17b0716a of 14ayush/MlFlow-Pipeline.
const std::string kMeta =
    "artifact_uri: file:///E:/x/artifacts\nend_time: 1748195284931\nentry_point_name: ''\n"
    "experiment_id: '0'\nlifecycle_stage: active\nrun_id: 17b0716ab63d4be0877c4af6939b5605\n"
    "run_name: shivering-turtle-434\nstart_time: 1748195284081\nstatus: 3\ntags: []\n"
    "user_id: aayus\n";

TEST(Mlflow, ReadsARunOfATrackingFolder) {
  const Runs runs;
  runs.add("0/meta.yaml", "artifact_location: x\nexperiment_id: '0'\nname: scaling\n");
  const std::string meta = runs.add("0/17b/meta.yaml", kMeta);
  runs.add("0/17b/params/gpus", "8");
  runs.add("0/17b/params/loss", "mse\n");
  runs.add("0/17b/tags/cluster", "juwels");
  runs.add("0/17b/tags/mlflow.user", "me");
  runs.add("0/17b/metrics/loss", "1700000000000 3.5 0\n1700000001000 nan 2\n1700000002000 2.5 1\n");
  runs.add("0/17b/metrics/val/acc", "1700000000000 0.75\n");
  ASSERT_TRUE(kMlflow.recognises(kMeta));
  const auto records = records_of(kMlflow, meta, {.metrics = {"loss=min"}});
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].job, "17b0716ab63d4be0877c4af6939b5605");
  EXPECT_THAT(records[0].facts,
              ElementsAre(Pair("experiment", "scaling"), Pair("run_name", "shivering-turtle-434"),
                          Pair("status", "finished"), Pair("duration_s", "0.85"), Pair("gpus", "8"),
                          Pair("loss", "mse"), Pair("cluster", "juwels"),
                          Pair("metric_loss", "2.5"), Pair("val/acc", "0.75")));
  // The last value is the one of the greatest step, which is no number here.
  EXPECT_EQ(fact_of(records_of(kMlflow, meta).at(0), "metric_loss"), "");
}

TEST(Mlflow, LeavesOutRunsThatFailedAndExperiments) {
  const Runs runs;
  std::string failed = kMeta;
  failed.replace(failed.find("status: 3"), 9, "status: 4");
  std::string deleted = kMeta;
  deleted.replace(deleted.find("active"), 6, "deleted");
  CountedNotes notes;
  for (const std::string& text : {failed, deleted}) {
    EXPECT_TRUE(kMlflow.read_records(runs.add("r/meta.yaml", text), {}, notes).empty());
  }
  EXPECT_EQ(notes.counts[TraceOddity::kFailedRun], 2);
  const std::string experiment = "artifact_location: x\nexperiment_id: '0'\nname: scaling\n";
  EXPECT_TRUE(kMlflow.recognises(experiment));
  EXPECT_TRUE(records_of(kMlflow, runs.add("e/meta.yaml", experiment)).empty());
}

TEST(Mlflow, CountsLinesOfMetricsThatAreNone) {
  const Runs runs;
  const std::string meta = runs.add("r/meta.yaml", kMeta);
  runs.add("r/metrics/loss", "1700000000000 3.5 0\nnot a value\n1700000000000 2.5 1\n17");
  CountedNotes notes;
  EXPECT_EQ(fact_of(kMlflow.read_records(meta, {}, notes).at(0), "loss"), "2.5");
  EXPECT_EQ(notes.counts[TraceOddity::kForeignLine], 1);
  EXPECT_EQ(notes.counts[TraceOddity::kCutLine], 1);
}

void make_database(const std::string& path, const char* sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
}

/// The tables of mlflow/store/tracking/dbmodels/models.py, as far as they are read.
constexpr const char* kTables =
    "CREATE TABLE experiments(experiment_id INTEGER, name VARCHAR(256));"
    "CREATE TABLE runs(run_uuid VARCHAR(32), name VARCHAR(250), status VARCHAR(9), start_time "
    "BIGINT, end_time BIGINT, lifecycle_stage VARCHAR(20), experiment_id INTEGER);"
    "CREATE TABLE params(key VARCHAR(250), value VARCHAR(8000), run_uuid VARCHAR(32));"
    "CREATE TABLE tags(key VARCHAR(250), value VARCHAR(8000), run_uuid VARCHAR(32));"
    "CREATE TABLE metrics(key VARCHAR(250), value FLOAT, timestamp BIGINT, run_uuid VARCHAR(32), "
    "step BIGINT, is_nan BOOLEAN);"
    "INSERT INTO experiments VALUES(1, 'scaling');"
    "INSERT INTO runs VALUES('r1', '', 'FINISHED', 1000, 3500, 'active', 1),"
    "('r2', 'two', 'RUNNING', 2000, NULL, 'active', 1), ('r3', '', 'KILLED', 1, 2, 'active', 1);"
    "INSERT INTO params VALUES('gpus', '4', 'r1'), ('gpus', '8', 'r2');"
    "INSERT INTO tags VALUES('mlflow.runName', 'one', 'r1');"
    "INSERT INTO metrics VALUES('loss', 3.5, 1, 'r1', 0, 0), ('loss', 1.5, 3, 'r1', 1, 0), "
    "('loss', 2.5, 2, 'r1', 2, 0), ('acc', 0, 1, 'r2', 0, 1), "
    "('inf', 1.7976931348623157e308, 1, 'r1', 0, 0);";

TEST(Mlflow, ReadsTheRunsOfADatabase) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "mlflow.db").string();
  make_database(path, kTables);
  const IngestResult result = ingest(std::vector{folder.path().string()}, {});
  EXPECT_THAT(result.table.names, ElementsAre("job_id", "experiment", "run_name", "status",
                                              "duration_s", "gpus", "inf", "loss", "acc"));
  ASSERT_EQ(result.table.rows.size(), 2U);
  EXPECT_THAT(result.table.rows[0],
              ElementsAre("r1", "scaling", "one", "finished", "2.5", "4", "", "2.5", ""));
  EXPECT_THAT(result.table.rows[1],
              ElementsAre("r2", "scaling", "two", "running", "", "8", "", "", ""));
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("1 run failed or was cancelled and was left out")));
  const auto least = ingest(std::vector{path}, {.trace = {.metrics = {"loss=min", "los=max"}}});
  EXPECT_EQ(least.table.rows[0][7], "1.5");
  EXPECT_THAT(least.warnings,
              testing::Contains(HasSubstr("no run logged \"los\"; did you mean loss?")));
}

TEST(Mlflow, AnotherDatabaseIsNone) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "mlflow.db").string();
  make_database(path, "CREATE TABLE runs(a); CREATE VIEW metrics AS SELECT * FROM runs;");
  EXPECT_THROW(ingest(std::vector{path}, {}), DataError);
  write_bytes(path, std::string("SQLite format 3\0cut", 19));
  EXPECT_THROW(ingest(std::vector{path}, {}), DataError);
}

// --- Weights & Biases ---

TEST(Wandb, ReadsTheFolderOfARun) {
  const Runs runs;
  const std::string folder = "wandb/run-20241012_160630-jqe8zy9r/files/";
  runs.add(
      folder + "config.yaml",
      "_wandb:\n    value:\n        m: []\nbatch_size:\n    value: 12\nbetas:\n    desc: null\n"
      "    value:\n    - 0.9\n    - 0.95\nmodel:\n    value:\n        dim: 768\n");
  runs.add(folder + "wandb-metadata.json",
           R"({"gpu": "[H100, H100]", "gpu_count": 2, "gpu_nvidia": [{"name": "H100"}]})");
  runs.add(folder + "requirements.txt", "torch==2.4\n");
  // Of druidowm/nanoGPT, with a metric that is no number and a table.
  const std::string summary =
      R"({"_timestamp":1.7287752648833144e+09,"train/loss":3.643195867538452,"_wandb":{"runtime":925},)"
      R"("iter":2400,"lr":"NaN","t":{"_type":"table-file"},"acc":{"max":0.5},"_step":12})";
  runs.add(folder + "wandb-summary.json", summary);
  EXPECT_TRUE(kWandb.recognises(summary));
  const IngestResult result = ingest(std::vector{runs.path()}, {});
  EXPECT_THAT(result.table.names,
              ElementsAre("job_id", "duration_s", "accelerator", "host_gpus", "batch_size", "betas",
                          "model.dim", "acc.max", "iter", "lr", "train/loss"));
  EXPECT_THAT(result.table.rows,
              ElementsAre(ElementsAre("jqe8zy9r", "925", "H100", "2", "12", "[0.9, 0.95]", "768",
                                      "0.5", "2400", "", "3.643195867538452")));
  EXPECT_EQ(result.counts.other_files, 2U);  // The list of packages, and the metadata.
  const IngestResult least = ingest(std::vector{runs.path()}, {.trace = {.metrics = {"iter=min"}}});
  EXPECT_THAT(least.warnings, ElementsAre(HasSubstr("only the one value of its summary")));
}

TEST(Wandb, TakesTheLongestOfTheDurationsThatASummaryTells) {
  const Runs runs;
  // wandb-summary.json of shrutipangare/ChatbotSeq-to-Seq: whole seconds, and the time of the last
  // log.
  const std::string path = runs.add(
      "run-1/wandb-summary.json",
      R"({"_wandb":{"runtime":165},"loss":4.5,"_runtime":165.552326364,"_timestamp":1,"_step":40})");
  EXPECT_EQ(fact_of(records_of(kWandb, path).at(0), "duration_s"), "165.552326364");
  const std::string later = runs.add("run-2/wandb-summary.json",
                                     R"({"_wandb":{"runtime":180},"_runtime":165.5,"_step":40})");
  EXPECT_EQ(fact_of(records_of(kWandb, later).at(0), "duration_s"), "180");
}

TEST(Wandb, ReadsTheExportOfAChart) {
  const Runs runs;
  const std::string text =
      "\"Step\",\"a - train/loss\",\"a - train/loss__MIN\",\"a - train/loss__MAX\",\"b - c - "
      "train/loss\",\"b - c - train/loss__MIN\",\"b - c - train/loss__MAX\"\n"
      "\"0\",\"5\",\"4.5\",\"6\",\"\",\"\",\"\"\n\"1\",\"3\",\"3\",\"3\",\"2\",\"2\",\"2\"\n";
  const std::string path = runs.add("wandb_export.csv", text);
  EXPECT_TRUE(kWandb.recognises(text));
  const auto last = records_of(kWandb, path);
  ASSERT_EQ(last.size(), 2U);
  EXPECT_EQ(last[0].job, "a");
  EXPECT_EQ(last[1].job, "b - c");
  EXPECT_EQ(fact_of(last[0], "train/loss"), "3");
  EXPECT_EQ(fact_of(records_of(kWandb, path, {.metrics = {"train/loss=max"}})[0], "train/loss"),
            "6");
}

TEST(Wandb, ReadsTheExportOfTheTableOfRuns) {
  const Runs runs;
  const std::string text =
      "\"Name\",\"State\",\"Created\",\"Runtime\",\"lr\",\"loss\"\n"
      "\"a\",\"finished\",\"2024-01-01T00:00:00.000Z\",\"100\",\"0.1\",\"2.5\"\n"
      "\"a\",\"crashed\",\"2024-01-01T00:00:00.000Z\",\"10\",\"0.1\",\"9\"\n"
      "\"a\",\"finished\",\"2024-01-01T00:00:00.000Z\",\"110\",\"0.2\",\"2.25\"\n";
  EXPECT_TRUE(kWandb.recognises(text));
  CountedNotes notes;
  const auto records = kWandb.read_records(runs.add("runs.csv", text), {}, notes);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].job, "a-2");
  EXPECT_EQ(fact_of(records[1], "duration_s"), "110");
  EXPECT_EQ(fact_of(records[1], "status"), "finished");
  EXPECT_EQ(notes.counts[TraceOddity::kFailedRun], 1);
}

// --- PyTorch Lightning ---

TEST(Lightning, ReadsMetricsAndSettings) {
  const Runs runs;
  // The first lines of lightning_logs/version_2/metrics.csv of Driemann/ml-aos.
  const std::string text =
      "train_rmse,train_loss,epoch,step,val_rmse,val_loss\n"
      "0.05266355723142624,0.005968024488538504,0,49,,\n"
      ",,0,108,0.022298071533441544,0.0022457363083958626\n"
      "0.03071015141904354,0.00229888828471303,1,149,,\n0.03,0.0";
  const std::string path = runs.add("lightning_logs/version_2/metrics.csv", text);
  runs.add("lightning_logs/version_2/hparams.yaml", "lr: 0.001\ntrain_loss: mse\n");
  EXPECT_TRUE(kLightning.recognises(text));
  CountedNotes notes;
  const auto records = kLightning.read_records(path, {}, notes);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].job, "lightning_logs/version_2");
  EXPECT_THAT(records[0].facts,
              ElementsAre(Pair("steps", "150"), Pair("epochs", "2"), Pair("lr", "0.001"),
                          Pair("train_loss", "mse"), Pair("train_rmse", "0.03071015141904354"),
                          Pair("metric_train_loss", "0.00229888828471303"),
                          Pair("val_rmse", "0.022298071533441544"),
                          Pair("val_loss", "0.0022457363083958626")));
  EXPECT_EQ(notes.counts[TraceOddity::kCutLine], 1);
}

TEST(Lightning, ReadsMetricsOfFabricWithoutEpochs) {
  const Runs runs;
  const std::string text = "step,train_loss\n0,2.5\n10,2.25\n20,2.0\n";
  EXPECT_TRUE(kLightning.recognises(text));
  const auto records =
      records_of(kLightning, runs.add("lightning_logs/version_1/metrics.csv", text));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(fact_of(records[0], "steps"), "21");
  EXPECT_EQ(fact_of(records[0], "train_loss"), "2");
  for (const char* other : {"step,seconds\n0,2.5\n", "step,loss\n1,2.5\n0,2.5\n", "step,loss\n",
                            "step,loss\n0.5,1\n", "step,timestamp,loss\n0,1,2\n"}) {
    EXPECT_FALSE(kLightning.recognises(other)) << other;
  }
}

// --- TensorBoard ---

std::string fixed(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  return out;
}

/// A field of bytes, shorter than 128.
std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

std::string record(const std::string& data) {
  const std::string length = fixed(data.size(), 8);
  return length + fixed(masked_crc32c(length), 4) + data + fixed(masked_crc32c(data), 4);
}

std::string event(double wall, int step, const std::string& summary) {
  return record('\x09' + fixed(std::bit_cast<std::uint64_t>(wall), 8) + '\x10' +
                static_cast<char>(step) + field(5, summary));
}

std::string simple(const std::string& tag, float value) {
  return field(1, field(1, tag) + '\x15' + fixed(std::bit_cast<std::uint32_t>(value), 4));
}

std::string tensor(const std::string& tag, const std::string& bytes) {
  return field(1, field(1, tag) + field(8, bytes));
}

const std::string kVersion =
    record('\x09' + fixed(std::bit_cast<std::uint64_t>(1e9), 8) + field(3, "brain.Event:2"));

TEST(Tensorboard, ChecksumsAreThoseOfTensorFlow) {
  // The first record of events.validation.v2 of 10tanmay100/DEEPCNNCLASSIFIER.
  EXPECT_EQ(masked_crc32c(std::string("\x18\0\0\0\0\0\0\0", 8)), 0x224B7FA3U);
  EXPECT_EQ(masked_crc32c("123456789"), std::rotr(0xE3069283U, 15) + 0xA282EAD8U);
}

TEST(Tensorboard, ReadsScalarsOfAllKinds) {
  const Runs runs;
  const std::string text =
      kVersion + event(1e9 + 1, 0, simple("loss", 2.5F)) +
      event(1e9 + 2, 1,
            simple("loss", 1.5F) +
                tensor("d", std::string("\x08\x02") +
                                field(4, fixed(std::bit_cast<std::uint64_t>(0.1), 8)))) +
      event(1e9 + 3, 2,
            tensor("i", std::string("\x08\x09\x50\x05")) +
                tensor("text", std::string("\x08\x07") + field(8, "x"))) +
      event(1e9 + 4.5, 3,
            tensor("h", std::string("\x08\x13\x68\x80\x78")) +
                tensor("pair", std::string("\x08\x01") + field(4, fixed(1, 8))));
  EXPECT_TRUE(kTensorboard.recognises(text));
  const auto records = records_of(kTensorboard, runs.add("exp1/events.out.tfevents.1.h", text));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].job, "exp1");
  EXPECT_THAT(records[0].facts,
              ElementsAre(Pair("duration_s", "4.5"), Pair("last_step", "3"), Pair("d", "0.1"),
                          Pair("h", "1"), Pair("i", "5"), Pair("loss", "1.5")));
}

TEST(Tensorboard, ARunOfOneEventTakesNoTime) {
  const Runs runs;
  const std::string text = event(1e9, 7, simple("loss", 2.5F));
  const auto records = records_of(kTensorboard, runs.add("r/events.out.tfevents.1.h", text));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_THAT(records[0].facts,
              ElementsAre(Pair("duration_s", "0"), Pair("last_step", "7"), Pair("loss", "2.5")));
}

TEST(Tensorboard, AFolderIsOneRunWithItsPartsAndRestarts) {
  const Runs runs;
  const std::string first =
      runs.add("r/events.out.tfevents.1.h", kVersion + event(1e9 + 1, 1, simple("a", 9)) +
                                                event(1e9 + 2, 2, simple("a", 8)) +
                                                event(1e9 + 3, 3, simple("a", 7)));
  const std::string second =
      runs.add("r/events.out.tfevents.2.h",
               kVersion + event(1e9 + 11, 2, simple("a", 3)) + event(1e9 + 12, 3, simple("a", 2)));
  const std::string part = runs.add("r/validation/events.out.tfevents.1.h",
                                    kVersion + event(1e9 + 4, 3, simple("a", 5)));
  EXPECT_EQ(ingest(std::vector{runs.path()}, {}).table.row_count(), 1U);
  const IngestResult named = ingest(std::vector{second}, {});
  ASSERT_EQ(named.table.row_count(), 1U) << "those that are given are read";
  EXPECT_EQ(named.table.rows[0].at(place_of(named.table.names, "a")), "2");
  EXPECT_EQ(kTensorboard.run_of_part(first), kTensorboard.run_of_part(part));
  const std::string paths[] = {first, second, part};
  CountedNotes notes;
  const auto records =
      kTensorboard.read_parts(std::span<const std::string>(paths), {.metrics = {"a=mean"}}, notes);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].job, "r");
  EXPECT_THAT(records[0].facts,
              ElementsAre(Pair("duration_s", "12"), Pair("last_step", "3"),
                          Pair("a", exact_text(14.0 / 3)), Pair("validation/a", "5")));
  EXPECT_THAT(notes.counts, ElementsAre(Pair(TraceOddity::kRepeatedLine, 2)))
      << "steps 2 and 3 of the first start";
}

TEST(Tensorboard, TheLastStepMayBeDoneAgain) {
  const auto mean_of = [](int first, int second) {
    const Runs runs;
    runs.add("r/events.out.tfevents.1.h", kVersion + event(1e9 + 1, first, simple("a", 9)) +
                                              event(1e9 + 2, second, simple("a", 8)));
    runs.add("r/events.out.tfevents.2.h", kVersion + event(1e9 + 11, second, simple("a", 1)));
    const IngestResult result =
        ingest(std::vector{runs.path()}, {.trace = {.metrics = {"a=mean"}}});
    return result.table.rows.at(0).at(place_of(result.table.names, "a"));
  };
  EXPECT_EQ(mean_of(1, 2), "5") << "9 and 1";
  EXPECT_EQ(mean_of(0, 0), "6") << "9, 8 and 1 of a program that does not say its steps";
}

TEST(Tensorboard, FilesThatAreWrittenAtOnceAreNoRestart) {
  const Runs runs;
  runs.add("r/events.out.tfevents.1.a",
           kVersion + event(1e9 + 1, 1, simple("a", 9)) + event(1e9 + 3, 2, simple("a", 8)));
  runs.add("r/events.out.tfevents.1.b",
           kVersion + event(1e9 + 2, 1, simple("a", 5)) + event(1e9 + 4, 3, simple("a", 4)));
  const std::string inputs[] = {runs.path()};
  const IngestResult result = ingest(inputs, {.trace = {.metrics = {"a=mean"}}});
  ASSERT_EQ(result.table.row_count(), 1U);
  EXPECT_EQ(result.table.rows[0].at(place_of(result.table.names, "a")), "7") << "9, 8 and 4";
  EXPECT_THAT(result.warnings,
              ElementsAre(testing::AllOf(testing::StartsWith("1 line repeats a step"),
                                         HasSubstr("tfevents.1.b: \"step 1 of a, in a second")),
                          testing::StartsWith("1 event file logs steps of another one")));
}

TEST(Tensorboard, ALossThatIsLostIsNamedWithItsFile) {
  const Runs runs;
  runs.add("r/events.out.tfevents.1.h", kVersion + event(1e9 + 1, 1, simple("loss", 9)));
  runs.add("r/events.out.tfevents.2.h",
           kVersion + event(1e9 + 11, 2, simple("loss", std::numeric_limits<float>::quiet_NaN())));
  const std::string inputs[] = {runs.path()};
  EXPECT_THAT(ingest(inputs, {}).warnings,
              ElementsAre(testing::EndsWith("events.out.tfevents.2.h: \"loss\"")));
}

TEST(Tensorboard, AFolderHasTablesBesideEventFiles) {
  const std::string events = kVersion + event(1e9 + 1, 1, simple("a", 9));
  const std::string table = "Wall time,Step,Value\n1.5,4,3.5\n";
  const Runs one;
  one.add("run-bert/events.out.tfevents.1.h", events);
  one.add("run-bert-tag-acc.csv", table);
  EXPECT_EQ(ingest(std::vector{one.path()}, {}).table.row_count(), 2U);
  const Runs other;
  other.add("q/a.tfevents.loss.csv", table);
  other.add("q/events.out.tfevents.1.h", events);
  const IngestResult result = ingest(std::vector{other.path()}, {});
  EXPECT_EQ(result.table.row_count(), 2U);
  EXPECT_TRUE(result.warnings.empty());
  CountedNotes notes;
  const std::string mixed[] = {other.path() + "/q/a.tfevents.loss.csv",
                               other.path() + "/q/events.out.tfevents.1.h"};
  EXPECT_EQ(fact_of(kTensorboard.read_parts(std::span<const std::string>(mixed), {}, notes).at(0),
                    "value"),
            "3.5")
      << "a file that was replaced meanwhile";
}

TEST(Tensorboard, ARunIsOneHoweverItsPathIsWritten) {
  const Runs runs;
  const std::string text = kVersion + event(1e9 + 1, 1, simple("a", 9));
  runs.add("run1/train/events.out.tfevents.1.h", text);
  runs.add("run1/eval/events.out.tfevents.1.h", text);
  runs.add("run1/train/run-b-tag-x.csv", "Wall time,Step,Value\n1.5,4,3.5\n");
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(runs.path() + "/run1/train");
  const IngestResult result = ingest(
      std::vector<std::string>{"events.out.tfevents.1.h", "../eval/events.out.tfevents.1.h"}, {});
  const std::string key = kTensorboard.run_of_part("run-b-tag-x.csv");
  const std::string same = kTensorboard.run_of_part("../train/run-b-tag-x.csv");
  std::filesystem::current_path(here);
  ASSERT_EQ(result.table.rows.size(), 1U);
  EXPECT_EQ(result.table.rows[0].at(0), "run1");
  EXPECT_EQ(result.table.rows[0].at(place_of(result.table.names, "train/a")), "9");
  EXPECT_EQ(key, same);
}

TEST(Tensorboard, StopsAtDamageAndAtTheEndOfACutFile) {
  const Runs runs;
  const std::string one = kVersion + event(1e9 + 1, 1, simple("a", 9));
  const std::string two = event(1e9 + 2, 2, simple("a", 8));
  for (std::size_t length = 0; length <= two.size(); ++length) {
    CountedNotes notes;
    const std::string path = runs.add("r/events.x", one + two.substr(0, length));
    const auto records = kTensorboard.read_records(path, {}, notes);
    EXPECT_EQ(fact_of(records.at(0), "a"), length == two.size() ? "8" : "9");
    EXPECT_EQ(notes.counts[TraceOddity::kCutLine], length > 0 && length < two.size() ? 1 : 0);
  }
  for (std::size_t place = 0; place < two.size(); ++place) {
    std::string damaged = two;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    CountedNotes notes;
    const auto records =
        kTensorboard.read_records(runs.add("r/events.x", one + damaged), {}, notes);
    EXPECT_EQ(fact_of(records.at(0), "a"), "9");
    EXPECT_EQ(notes.counts[TraceOddity::kDamagedRecord], 1) << place;
  }
}

TEST(Tensorboard, AHostileLengthTakesNoMemory) {
  const Runs runs;
  for (const std::uint64_t length : {std::uint64_t{1} << 39, ~std::uint64_t{0}}) {
    const std::string head = fixed(length, 8);
    CountedNotes notes;
    kTensorboard.read_records(
        runs.add("r/events.x", kVersion + head + fixed(masked_crc32c(head), 4) + "abc"), {}, notes);
    EXPECT_EQ(notes.counts[TraceOddity::kCutLine] + notes.counts[TraceOddity::kDamagedRecord], 1);
  }
}

TEST(RunFolders, WarnOfALogBesideTheFilesOfATracker) {
  const std::string log =
      " iteration 1/ 10 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.5 |\n";
  const Runs runs;
  runs.add("logs/a.log", log);
  runs.add("logs/b.log", log);
  const std::string inputs[] = {runs.path()};
  EXPECT_THAT(ingest(inputs, {}).warnings, testing::IsEmpty()) << "two logs are two runs";
  const std::string files = "wandb/run-20240501_100000-abc123/files/";
  runs.add(files + "wandb-summary.json", R"({"_runtime":10,"_step":1,"_timestamp":1,"loss":1.5})");
  runs.add(files + "output.log", log);
  EXPECT_THAT(
      ingest(inputs, {}).warnings,
      ElementsAre(testing::AllOf(
          HasSubstr("1 folder has rows from several kinds of files, the first: "),
          HasSubstr("abc123/files (rows run-20240501_100000-abc123 of log, abc123 of wandb)"))));
  runs.add("x/train.log", log);
  runs.add("x/emissions.csv",
           "timestamp,project_name,run_id,duration,emissions,energy_consumed,country_name\n"
           "2024-05-01T10:00:00,p,5b0f,100,0.5,1.5,France\n");
  runs.add("x/tb/run-t-tag-loss.csv", "Wall time,Step,Value\n1.5,4,3.5\n");
  const std::string folder[] = {runs.path() + "/x"};
  EXPECT_THAT(
      ingest(folder, {}).warnings,
      testing::Contains(HasSubstr("x (rows 5b0f of codecarbon, x of log, t of tensorboard)")));
}

TEST(RunFolders, KnowsTheFoldersThatTrackersMake) {
  const std::string lightning = "epoch,step,train_loss\n0,0,2.5\n";
  const std::string scalar = "Wall time,Step,Value\n1.5,4,3.5\n";
  const std::string state =
      R"({"log_history": [{"epoch": 1.0, "loss": 2.0, "step": 2}], "global_step": 2})";
  const auto warning_of = [](const Runs& runs) {
    const std::string folder[] = {runs.path()};
    for (const std::string& warning : ingest(folder, {}).warnings) {
      if (warning.find("several kinds of files") != std::string::npos) return warning;
    }
    return std::string();
  };
  // TrainingArguments.logging_dir of transformers: runs/ and default_logdir() below output_dir.
  const Runs hub;
  hub.add("bert/trainer_state.json", state);
  hub.add("bert/runs/Jun01_10-00-00_node1/run-.-tag-loss.csv", scalar);
  EXPECT_THAT(warning_of(hub), HasSubstr("/bert (rows bert of hf-trainer, "));
  // Trainer of Lightning with a CSVLogger, beside the folder of W&B.
  const Runs both;
  both.add("x/lightning_logs/version_0/metrics.csv", lightning);
  both.add("x/wandb/run-20240501_100000-abc123/files/wandb-summary.json",
           R"({"loss": 2.5, "_runtime": 12, "_step": 3, "_timestamp": 1714557612})");
  EXPECT_THAT(warning_of(both), HasSubstr("/x (rows "));
  // Runs of their own.
  const Runs apart;
  apart.add("runs/a/metrics.csv", lightning);
  apart.add("runs/b/run-b-tag-loss.csv", scalar);
  EXPECT_EQ(warning_of(apart), "");
}

TEST(RunMetrics, NotesLossesThatAreNotFinite) {
  RunMetrics metrics;
  metrics.of("train/loss").add(kInfinity);
  metrics.of("train/loss").add(1);
  metrics.of("ratio").add(kInfinity);
  RunFacts facts;
  CountedNotes notes;
  metrics.add_to(facts, MetricChoices({}), notes);
  EXPECT_EQ(notes.counts[TraceOddity::kLostLoss], 1);
}

TEST(RunFacts, ANameThatComesAgainGetsItsKindAndFromTheSixthTimeOnANumber) {
  RunFacts facts;
  EXPECT_EQ(facts.add("loss", "1", "metric"), "loss");
  EXPECT_EQ(facts.add("loss", "2", "metric"), "metric_loss");
  EXPECT_EQ(facts.add("loss", "3", "metric"), "metric_metric_loss");
  for (int i = 0; i < 2; ++i) facts.add("loss", "4", "metric");
  EXPECT_EQ(facts.add("loss", "5", "metric"), "metric_loss_1");
  EXPECT_EQ(facts.add("loss", "6", "metric"), "metric_loss_2");
}

TEST(YamlScalars, LevelsWithoutAnEndAreRefused) {
  EXPECT_THROW(yaml_scalars("a: " + std::string(10'000, '['), "x.yaml"), ParseError);
}

TEST(Tensorboard, ReadsTheTablesThatItsPageOffers) {
  const Runs runs;
  const std::string loss = runs.add(
      "run-bert-tag-train_loss.csv",
      "Wall "
      "time,Step,Value\r\n1700000000.5,0,2.5\r\n1700000010.5,10,2.25\r\n1700000030.5,30,2.0\r\n");
  const std::string accuracy = runs.add(
      "run-bert-tag-val_acc.csv", "Wall time,Step,Value\n1700000040.5,30,0.75\nx,1,2\n1700000041");
  const std::string other = runs.add("loss of gpt.csv", "Wall time,Step,Value\n1.5,4,3.5\n");
  EXPECT_TRUE(kTensorboard.recognises("Wall time,Step,Value\r\n1,2,3\r\n"));
  CountedNotes notes;
  const std::string both[] = {loss, accuracy};
  const auto records = kTensorboard.read_parts(std::span<const std::string>(both),
                                               {.metrics = {"train_loss=max"}}, notes);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].job, "bert");
  EXPECT_THAT(records[0].facts, ElementsAre(Pair("duration_s", "30"), Pair("last_step", "30"),
                                            Pair("train_loss", "2.5"), Pair("val_acc", "0.75")));
  EXPECT_THAT(notes.counts,
              ElementsAre(Pair(TraceOddity::kForeignLine, 1), Pair(TraceOddity::kCutLine, 1)));
  EXPECT_EQ(records_of(kTensorboard, other).at(0).job, "loss of gpt");
  EXPECT_EQ(fact_of(records_of(kTensorboard, other).at(0), "value"), "3.5");
}

TEST(Tensorboard, ReadsTheTablesOfScalarsThatAreGiven) {
  const Runs runs;
  const auto add = [&](const std::string& name, const std::string& value) {
    return runs.add(name, "Wall time,Step,Value\n1.5,4," + value + "\n");
  };
  add("a/run-bert-tag-acc.csv", "0.5");
  const std::string loss = add("a/run-bert-tag-loss.csv", "2.5");
  const std::string rate = add("a/run-bert-tag-rate.csv", "0.25");
  add("a/run-gpt-tag-loss.csv", "1.5");
  const auto header_and_rows = [](const std::vector<std::string>& inputs) {
    const IngestResult result = ingest(inputs, {});
    EXPECT_TRUE(result.bad_files.empty());
    std::string text;
    for (const std::string& name : result.table.names) text += name + ' ';
    return text + std::to_string(result.table.row_count());
  };
  EXPECT_THAT(header_and_rows({rate, loss}), HasSubstr("last_step loss rate 1"));
  EXPECT_THAT(header_and_rows({loss}), HasSubstr("last_step loss 1"));
  EXPECT_THAT(header_and_rows({runs.path() + "/a"}), HasSubstr("last_step acc loss rate 2"));
}

TEST(Tensorboard, NotesOfScalarsNameTheirFilesAndLines) {
  const Runs runs;
  runs.add("run-a-tag-acc.csv", "Wall time,Step,Value\n1.5,1,0.5\n");
  runs.add("run-a-tag-train_loss.csv",
           "Wall time,Step,Value\n1.5,1,NaN\n2.5,2,2.5\n3.5,3.7,2.5\n4.5,,3\n");
  const std::string inputs[] = {runs.path()};
  const IngestResult result = ingest(inputs, {});
  EXPECT_THAT(result.warnings,
              ElementsAre(testing::EndsWith("run-a-tag-train_loss.csv:4: \"3.5,3.7,2.5\""),
                          testing::EndsWith("run-a-tag-train_loss.csv:2: \"train_loss\"")));
  EXPECT_EQ(result.table.row_count(), 1U);
}

TEST(Tensorboard, DownloadsOfAnotherExperimentAreARunOfTheirOwn) {
  const Runs runs;
  const std::string begin = "Wall time,Step,Value\n";
  runs.add("run-train-tag-loss.csv", begin + "100,1,5\n110,2,4\n120,3,3\n");
  runs.add("run-train-tag-loss (1).csv", begin + "900,1,9\n910,2,8\n");
  runs.add("run-train-tag-acc (1).csv", begin + "901,1,0.1\n911,2,0.2\n");
  const std::string inputs[] = {runs.path()};
  const IngestResult result = ingest(inputs, {});
  const std::size_t loss = place_of(result.table.names, "loss");
  const std::size_t acc = place_of(result.table.names, "acc");
  ASSERT_EQ(result.table.rows.size(), 2U);
  EXPECT_EQ(result.table.rows[0].at(0), "train");
  EXPECT_EQ(result.table.rows[0].at(loss), "3");
  EXPECT_EQ(result.table.rows[0].at(acc), "");
  EXPECT_EQ(result.table.rows[1].at(0), "train-2");
  EXPECT_EQ(result.table.rows[1].at(loss), "8");
  EXPECT_EQ(result.table.rows[1].at(acc), "0.2");
  EXPECT_TRUE(result.warnings.empty());
}

TEST(Tensorboard, TakesTheLongerOfTwoDownloads) {
  const Runs runs;
  const std::string paths[] = {
      runs.add("run-a-tag-loss (1).csv", "Wall time,Step,Value\n1.5,1,4\n2.5,2,3\n"),
      runs.add("run-a-tag-loss.csv", "Wall time,Step,Value\n1.5,1,4\n")};
  CountedNotes notes;
  const auto records = kTensorboard.read_parts(std::span<const std::string>(paths), {}, notes);
  EXPECT_THAT(records.at(0).facts,
              ElementsAre(Pair("duration_s", "1"), Pair("last_step", "2"), Pair("loss", "3")));
  EXPECT_EQ(notes.counts[TraceOddity::kRepeatedLine], 1);
  EXPECT_THROW(records_of(kTensorboard, runs.add("run-e-tag-loss.csv", "Wall time,Step,Value\n")),
               DataError);
}

TEST(Mlflow, ARunThatSeveralFoldersTellIsOneRow) {
  const Runs runs;
  const auto add = [&](const std::string& copy, const std::string& id, const std::string& status,
                       const std::string& losses) {
    const std::string run = copy + "/mlruns/0/" + id + "/";
    runs.add(run + "meta.yaml",
             "artifact_uri: x\nend_time: 2000\nexperiment_id: '0'\n"
             "lifecycle_stage: active\nrun_id: " +
                 id + "\nstart_time: 1000\nstatus: " + status + "\n");
    runs.add(run + "metrics/loss", losses);
  };
  const std::string two = "1000 2.5 0\n1500 2.0 1\n";
  add("a", "aa", "4", two);  // RunStatus.FAILED
  add("b", "aa", "3", two);  // FINISHED
  add("a", "bb", "1", two);  // RUNNING
  add("b", "bb", "3", two);
  add("a", "ee", "3", two + "1900 1.5 2\n");
  add("b", "ee", "3", two);
  const std::string inputs[] = {runs.path()};
  const IngestResult result = ingest(inputs, {});
  const std::size_t loss = place_of(result.table.names, "loss");
  const std::size_t status = place_of(result.table.names, "status");
  ASSERT_EQ(result.table.rows.size(), 3U);
  for (const auto& row : result.table.rows) EXPECT_EQ(row.at(status), "finished");
  EXPECT_EQ(result.table.rows[2].at(loss), "1.5");
  EXPECT_THAT(result.warnings,
              ElementsAre(testing::StartsWith("3 rows tell again of runs, each of which counts")))
      << "a running and two other copies, one of them failed";
  const IngestResult steps = ingest(inputs, {.rows = IngestRows::kStep});
  EXPECT_EQ(steps.table.row_count(), 7U);
}

TEST(Wandb, ARunInTwoExportsCountsOnce) {
  const Runs runs;
  const std::string text =
      "\"Name\",\"ID\",\"State\",\"Created\",\"Runtime\",\"loss\",\"loss_scale\"\n"
      "\"a\",\"1\",\"finished\",\"x\",10,NaN,inf\n\"b\",\"2\",\"finished\",\"x\",10,1.5,1\n"
      "\"c\",\"3\",\"crashed\",\"x\",10,2,1\n\"c\",\"3\",\"crashed\",\"x\",10,2,1\n";
  runs.add("c.csv", text);
  runs.add("d.csv", text);
  const std::string inputs[] = {runs.path()};
  const IngestResult result = ingest(inputs, {});
  ASSERT_EQ(result.table.rows.size(), 2U);
  EXPECT_EQ(result.table.rows[0].at(0), "1");
  EXPECT_EQ(result.table.rows[0].at(place_of(result.table.names, "loss")), "");
  EXPECT_THAT(result.warnings,
              testing::AllOf(testing::Contains(testing::StartsWith("1 run failed")),
                             testing::Contains(testing::StartsWith("5 rows tell again"))));
}

TEST(Wandb, ExportsWithoutIdsTellOneRunByItsNameAndTime) {
  const Runs runs;
  const std::string header = "\"Name\",\"State\",\"Created\",\"Runtime\",\"loss\"\n";
  const std::string first = "\"2024-10-12T16:06:31.000Z\"";
  const std::string second = "\"2024-10-13T16:06:31.000Z\"";
  runs.add("c.csv", header + "a,finished," + first + ",100,2.5\nb,running," + first + ",10,4\n" +
                        "c,crashed," + first + ",10,2\n");
  runs.add("d.csv", header + "b,finished," + first + ",90,1.5\na,finished," + second +
                        ",200,2\nc,crashed," + first + ",10,2\n");
  const std::string inputs[] = {runs.path()};
  const IngestResult result = ingest(inputs, {});
  EXPECT_THAT(column_of(result, "duration_s"), testing::UnorderedElementsAre("100", "90", "200"));
  EXPECT_THAT(result.warnings,
              testing::AllOf(testing::Contains(testing::AllOf(testing::StartsWith("1 run failed"),
                                                              HasSubstr("\"c crashed\""))),
                             testing::Contains(testing::StartsWith("2 rows tell again of runs"))));
}

TEST(Wandb, RunsOfOneNameAndTimeAreOneOnlyWhereAllCellsAre) {
  const Runs runs;
  const std::string time = ",\"2024-10-12T16:06:31.000Z\",";
  const std::string text = "\"Name\",\"State\",\"Created\",\"Runtime\",\"loss\"\na,finished" +
                           time + "100,2.5\na,finished" + time + "110,2.25\na,failed" + time +
                           "1,9\n";
  runs.add("c.csv", text);
  runs.add("d.csv", text);
  const std::string inputs[] = {runs.path()};
  const IngestResult result = ingest(inputs, {});
  EXPECT_THAT(column_of(result, "duration_s"), ElementsAre("100", "110"));
  EXPECT_THAT(result.warnings,
              testing::AllOf(testing::Contains(testing::AllOf(testing::StartsWith("1 run failed"),
                                                              HasSubstr("\"a failed\""))),
                             testing::Contains(testing::StartsWith("3 rows tell again of runs"))));
}

TEST(Wandb, RowsThatDoNotFitTheHeaderOfRunsAreRefused) {
  const Runs runs;
  runs.add("c.csv", "\"Name\",\"State\",\"Created\",\"Runtime\", b\ns 0\ns 3\n");
  const std::string inputs[] = {runs.path()};
  EXPECT_THAT([&] { ingest(inputs, {}); },
              testing::ThrowsMessage<DataError>(testing::AllOf(
                  HasSubstr("c.csv:"), HasSubstr("expected rows of a table of runs"))));
}

TEST(Wandb, KnowsARunByItsFolder) {
  const Runs runs;
  const std::string summary =
      R"({"loss": 2.5, "_runtime": 12, "_step": 3, "_timestamp": 1714557612})";
  const auto add = [&](const std::string& folder) {
    runs.add(folder + "/files/wandb-summary.json", summary);
    runs.add(folder + "/files/config.yaml", "lr:\n    value: 0.25\n");
  };
  const std::string inputs[] = {runs.path()};
  add("a/wandb/run-20240501_100000-abc123");
  add("b/wandb/offline-run-20240501_100000-abc123");
  EXPECT_EQ(ingest(inputs, {}).table.row_count(), 1U) << "a copy";
  add("b/wandb/run-20240502_100000-abc123");
  EXPECT_EQ(ingest(inputs, {}).table.row_count(), 1U) << "the run was resumed";
  runs.add("export.csv",
           "\"Name\",\"ID\",\"State\",\"Created\",\"Runtime\",\"loss\"\n"
           "\"a\",\"abc123\",\"finished\",\"2024-05-01T10:00:00.000Z\",22,1.5\n");
  const IngestResult exported = ingest(inputs, {});
  ASSERT_EQ(exported.table.rows.size(), 1U) << "the export tells of it, too";
  const auto cell = [&](const char* name) {
    return exported.table.rows[0].at(place_of(exported.table.names, name));
  };
  EXPECT_EQ(cell("duration_s"), "22");
  EXPECT_EQ(cell("loss"), "1.5");
  EXPECT_EQ(cell("lr"), "0.25") << "which the folders alone have";
  EXPECT_THAT(exported.warnings,
              ElementsAre(testing::AllOf(testing::StartsWith("3 rows tell again of runs"),
                                         HasSubstr("the row that counts"))));
  add("b/run-1");
  add("c/run-1");
  EXPECT_EQ(ingest(inputs, {}).table.row_count(), 3U) << "such names tell of no run";
}

TEST(Wandb, ChartsOfAFolderTellOfTheSameRuns) {
  const Runs runs;
  const auto add = [&](const std::string& file, const std::string& metric,
                       const std::string& rows) {
    const std::string name = "r1 - " + metric;
    runs.add(file,
             "\"Step\",\"" + name + "\",\"" + name + "__MIN\",\"" + name + "__MAX\"\n" + rows);
  };
  add("loss.csv", "loss", "1,5,4,6\n2,4,3,7\n");
  add("acc.csv", "acc", "1,0.5,0.5,0.5\n2,0.25,0.25,0.25\n");
  const std::string inputs[] = {runs.path()};
  const IngestResult one = ingest(inputs, {});
  ASSERT_EQ(one.table.rows.size(), 1U);
  EXPECT_EQ(one.table.rows[0], (std::vector<std::string>{"r1", "0.25", "4"}));
  EXPECT_TRUE(one.warnings.empty());
  EXPECT_EQ(ingest(inputs, {.rows = IngestRows::kStep}).table.row_count(), 2U);
  add("loss-later.csv", "loss", "1,5,4,6\n2,4,3,7\n3,2,2,2\n");
  const IngestResult longer = ingest(inputs, {});
  ASSERT_EQ(longer.table.rows.size(), 1U);
  EXPECT_EQ(longer.table.rows[0].at(2), "2");
  EXPECT_THAT(longer.warnings, ElementsAre(testing::StartsWith("2 lines repeat a step")));
  add("other.csv", "loss", "1,9,9,9\n");
  const IngestResult two = ingest(inputs, {});
  ASSERT_EQ(two.table.rows.size(), 2U) << "another run of the name";
  EXPECT_EQ(two.table.rows[1].at(0), "r1-2");
}

TEST(Wandb, NotesColumnsOfAChartThatAreNotRead) {
  const Runs runs;
  CountedNotes notes;
  kWandb.read_records(runs.add("chart.csv",
                               "\"Step\",\"r - loss\",\"r - loss__MIN\",\"r - loss__MAX\","
                               "\"r - lr\",\"r - _step\"\n1,2,1,3,0.1,1\n"),
                      {}, notes);
  EXPECT_EQ(notes.counts[TraceOddity::kOtherSeries], 1);
}

TEST(Tensorboard, ReadsAScalarAsJson) {
  const Runs runs;
  const std::string text = "[[1700000000.5, 0, 2.5], [1700000010.5, 10, \"NaN\"], [1, \"x\", 2]]";
  EXPECT_EQ(recognised_format(text), find_trace_format("tensorboard"));
  EXPECT_EQ(recognised_format("[[1, 2, 3]]"), recognised_format("[[1, 2, 3, 4]]"));
  CountedNotes notes;
  const auto records = kTensorboard.read_records(runs.add("run-j-tag-loss.json", text), {}, notes);
  EXPECT_EQ(records.at(0).job, "j");
  EXPECT_EQ(fact_of(records.at(0), "last_step"), "10");
  EXPECT_THAT(notes.counts,
              ElementsAre(Pair(TraceOddity::kForeignLine, 1), Pair(TraceOddity::kLostLoss, 1)));
}

}  // namespace
}  // namespace scalelaw::test
