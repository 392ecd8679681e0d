#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

namespace fs = std::filesystem;
using testing::HasSubstr;

// As hsc748NLP/NSLLM has it.
const std::string kState = R"({
  "best_metric": null, "epoch": 0.9996414279772236, "global_step": 2178,
  "log_history": [
    {"epoch": 0.0022948609457695674, "grad_norm": 6.88, "loss": 2.3475, "step": 5},
    {"epoch": 0.5, "eval_loss": 2.0625, "eval_runtime": 12.5, "step": 1000},
    {"epoch": 0.9996414279772236, "loss": NaN, "step": 2175},
    {"epoch": 0.9996414279772236, "step": 2178, "total_flos": 6.222496637658207e+20,
     "train_loss": 1.9950996404180186, "train_runtime": 857595.0988,
     "train_samples_per_second": 3.902, "train_steps_per_second": 0.003}
  ],
  "max_steps": 2178, "num_input_tokens_seen": 0, "num_train_epochs": 1,
  "stateful_callbacks": {"TrainerControl": {"args": {"loss": 7}}},
  "train_batch_size": 4, "trial_name": null
})";
const std::string kResults = R"({"epoch": 2.0, "eval_loss": 1.5, "train_loss": 2.5,
  "train_runtime": 600.0, "train_samples_per_second": 10.5, "train_steps_per_second": 0.5})";

class Output : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& text) {
    fs::create_directories((folder_.path() / name).parent_path());
    write_bytes(folder_.path() / name, text);
  }
  std::vector<JobRecord> records(const std::string& name) {
    return records_of(kTransformers, (folder_.path() / name).string());
  }
  TemporaryFolder folder_;
};

using Transformers = Output;

TEST_F(Transformers, ReadsTheStateOfATrainer) {
  add("bert-8gpu/trainer_state.json", kState);
  const JobRecord record = records("bert-8gpu/trainer_state.json").at(0);
  EXPECT_EQ(record.job, "bert-8gpu");
  EXPECT_EQ(fact_of(record, "framework"), "Transformers");
  EXPECT_EQ(fact_of(record, "gpus"), "");
  EXPECT_EQ(fact_of(record, "micro_batch_size"), "4");
  EXPECT_EQ(fact_of(record, "steps"), "2178");
  EXPECT_EQ(fact_of(record, "epochs"), "0.9996414279772236");
  EXPECT_EQ(fact_of(record, "tokens"), "");  // 0 means that they are not counted.
  EXPECT_EQ(fact_of(record, "duration_s"), "857595.0988");
  EXPECT_NEAR(std::stod(fact_of(record, "seconds_per_step")), 393.7534888888889, 1e-9);
  EXPECT_NEAR(std::stod(fact_of(record, "epoch_seconds")), 857902.7187131945, 1e-6);
  EXPECT_EQ(fact_of(record, "samples_per_second"), "3.902");
  EXPECT_EQ(fact_of(record, "total_flops"), "6.222496637658207e+20");
  EXPECT_EQ(fact_of(record, "loss"), "") << "the last one is NaN";
  EXPECT_EQ(fact_of(record, "train_loss"), "1.9950996404180186");
  EXPECT_EQ(fact_of(record, "validation_loss"), "2.0625");
  EXPECT_EQ(fact_of(record, "status"), "finished");
}

TEST_F(Transformers, MakesOneRunOfTheFilesOfAFolder) {
  add("run/trainer_state.json", kState);
  add("run/all_results.json", kResults);
  add("run/train_results.json", kResults);
  add("run/checkpoint-500/trainer_state.json", kState);
  EXPECT_EQ(records("run/trainer_state.json").size(), 1U);
  EXPECT_EQ(fact_of(records("run/trainer_state.json").at(0), "duration_s"), "600");
  EXPECT_EQ(fact_of(records("run/trainer_state.json").at(0), "steps"), "2178");
  EXPECT_TRUE(records("run/all_results.json").empty());
  EXPECT_TRUE(records("run/train_results.json").empty());
  EXPECT_TRUE(records("run/checkpoint-500/trainer_state.json").empty());
}

TEST_F(Transformers, ReadsResultsWithoutAState) {
  add("gpt2-4gpu/train_results.json", kResults);
  const JobRecord record = records("gpt2-4gpu/train_results.json").at(0);
  EXPECT_EQ(record.job, "gpt2-4gpu");
  EXPECT_EQ(fact_of(record, "epoch_seconds"), "300");
  EXPECT_EQ(fact_of(record, "steps"), "");
  EXPECT_EQ(fact_of(record, "seconds_per_step"), "");
  add("only/eval_results.json", R"({"epoch": 1.0, "eval_loss": 1.5, "eval_runtime": 2.5})");
  EXPECT_TRUE(records("only/eval_results.json").empty());
}

TEST_F(Transformers, TakesTheLastCheckpointOfARunWithoutFilesOfItsOwn) {
  add("run/checkpoint-500/trainer_state.json", kState);
  add("run/checkpoint-1000/trainer_state.json", kState);
  EXPECT_TRUE(records("run/checkpoint-500/trainer_state.json").empty());
  EXPECT_EQ(records("run/checkpoint-1000/trainer_state.json").at(0).job, "run");
}

TEST_F(Transformers, NamesARunByTheOwnNameOfItsFiles) {
  add("trainer_state_nsllm.json", kState);
  add("all_results_nsllm.json", kResults);
  EXPECT_EQ(records("trainer_state_nsllm.json").at(0).job, "nsllm");
  EXPECT_EQ(fact_of(records("trainer_state_nsllm.json").at(0), "duration_s"), "600");
  EXPECT_TRUE(records("all_results_nsllm.json").empty());
}

TEST_F(Transformers, TakesTheScaleFromAFolderByAPattern) {
  add("bert-8gpu/all_results.json", kResults);
  add("bert-16gpu/all_results.json", kResults);
  const std::string inputs[] = {folder_.path().string()};
  const RunTable table =
      ingest(inputs, {.trace = {.name_pattern = "{model}-{gpus}gpu"}, .threads = 1}).table;
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][0], "bert-16gpu");
  EXPECT_THAT(table.names, testing::IsSupersetOf({"gpus", "model"}));
}

// What Trainer prints of its sizes.
std::string sizes(int of_device, int total, int accumulation) {
  return "***** Running training *****\n  Instantaneous batch size per device = " +
         std::to_string(of_device) +
         "\n  Total train batch size (w. parallel, distributed & accumulation) = " +
         std::to_string(total) +
         "\n  Gradient Accumulation steps = " + std::to_string(accumulation) +
         "\n{'train_runtime': 20.0, 'train_samples_per_second': 50.0, 'epoch': 1.0}\n";
}

std::string cell(const RunTable& table, std::string_view name, std::size_t row = 0) {
  const std::size_t place = place_of(table.names, name);
  return place == kNowhere ? "(none)" : table.rows.at(row).at(place);
}

TEST_F(Transformers, DerivesTheGpusFromItsBatchesWhereNothingStatesThem) {
  add("a/bert-g4.log", sizes(8, 128, 2));
  const std::string inputs[] = {(folder_.path() / "a").string()};
  const IngestResult derived = ingest(inputs, {.threads = 1});
  EXPECT_EQ(cell(derived.table, "gpus"), "8");
  ASSERT_EQ(derived.notes.size(), 1U);
  EXPECT_THAT(derived.notes[0], HasSubstr("The GPUs of 1 run are computed"));
  const IngestResult named =
      ingest(inputs, {.trace = {.name_pattern = "{model}-g{gpus}"}, .threads = 1});
  EXPECT_EQ(cell(named.table, "gpus"), "4");
  EXPECT_TRUE(named.notes.empty());
  add("jobs.csv", "job_id,num_gpus\nbert-g4,16\n");
  const IngestResult stated =
      ingest(inputs, {.jobs = {(folder_.path() / "jobs.csv").string()}, .threads = 1});
  EXPECT_EQ(cell(stated.table, "gpus"), "");
  EXPECT_EQ(cell(stated.table, "num_gpus"), "16");
  EXPECT_TRUE(stated.notes.empty());
}

TEST_F(Transformers, DerivesNoGpusFromBatchesThatDoNotDivide) {
  add("a/train.log", sizes(8, 100, 2));
  const std::string inputs[] = {(folder_.path() / "a").string()};
  const IngestResult result = ingest(inputs, {.threads = 1});
  EXPECT_EQ(cell(result.table, "gpus"), "");
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_THAT(result.notes[0], HasSubstr("gpus is empty for 1 run, the first: a."));
  EXPECT_THAT(result.notes[0], HasSubstr("--name-pattern '{model}-{gpus}gpu'"));
}

TEST_F(Transformers, DividesByABatchThatWasHalvedToFit) {
  std::string halved = sizes(8, 32, 1);
  halved.insert(halved.find("  Total train"),
                "  Training with DataParallel so batch size has been adjusted to: 4\n");
  add("a/x.log", halved);
  const std::string inputs[] = {(folder_.path() / "a").string()};
  EXPECT_EQ(cell(ingest(inputs, {.threads = 1}).table, "gpus"), "8");
}

TEST_F(Transformers, RefusesAFileThatIsCutAndJsonThatIsTooDeep) {
  const auto message = [&](const std::string& text) -> std::string {
    add("run/trainer_state.json", text);
    try {
      records("run/trainer_state.json");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(kState.substr(0, 300)),
              HasSubstr("trainer_state.json: JSON without its end: the file is cut"));
  EXPECT_NE(message("{\"log_history\": " + std::string(100000, '[')), "");
  for (std::size_t length = 0; length < kState.size(); ++length) {
    EXPECT_NE(message(kState.substr(0, length)), "") << length;
  }
}

TEST_F(Transformers, IsRecognisedByItsKeys) {
  EXPECT_TRUE(kTransformers.recognises(kState));
  EXPECT_TRUE(kTransformers.recognises(kResults));
  EXPECT_FALSE(kTransformers.recognises(R"({"_runtime": 5, "train_runtime": 5})"));
  EXPECT_FALSE(kTransformers.recognises(R"([{"train_runtime": 5}])"));
  EXPECT_FALSE(kTransformers.recognises("train_runtime"));
}

}  // namespace
}  // namespace scalelaw::test
