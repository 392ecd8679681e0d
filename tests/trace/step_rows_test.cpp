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
#include "trace/unit_bytes.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// The curves of runs: ingest --rows step.
class StepRows : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& text) const {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    write_bytes(path, text);
  }

  IngestResult read(const TraceOptions& trace = {}) const {
    const std::string inputs[] = {folder_.path().string()};
    return ingest(inputs, {.trace = trace, .rows = IngestRows::kStep, .threads = 1});
  }

  /// The cells of some columns, row by row: "10 4.5|20 -"; "-" is an empty cell.
  static std::string cells(const RunTable& table, const std::vector<std::string>& names) {
    std::string text;
    table.for_each_row([&](const std::vector<std::string>& row) {
      if (!text.empty()) text += "|";
      for (std::size_t i = 0; i < names.size(); ++i) {
        const std::size_t place = place_of(table.names, names[i]);
        const std::string cell = place == kNowhere ? "(none)" : row[place];
        text += (i > 0 ? " " : "") + (cell.empty() ? "-" : cell);
      }
    });
    return text;
  }

  std::string message(const TraceOptions& trace = {}) const {
    try {
      read(trace);
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  }

 private:
  TemporaryFolder folder_;
};

std::string megatron_step(int number, const std::string& seconds, const std::string& loss) {
  return " iteration " + std::to_string(number) +
         "/ 100 | consumed samples: " + std::to_string(4 * number) +
         " | elapsed time per iteration (ms): " + seconds +
         " | global batch size: 4 | lm loss: " + loss + " |\n";
}

const std::string kMegatronHead =
    "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4, "
    "pipeline-model-parallel size: 4 \n  seq_length .......... 1024\n";

TEST_F(StepRows, OfNanoGptHaveNoElapsedTimeWhereLinesTellOneStepOfSeveral) {
  const std::string head = "tokens per iteration will be: 100\n";
  add("a.out", head +
                   "step 0: train loss 4.2, val loss 4.25\n"
                   "iter 0: loss 4.3, time 4000.50ms, mfu 1%\n"
                   "iter 10: loss 3.5, time 200.25ms, mfu 1%\n");
  EXPECT_EQ(cells(read().table,
                  {"step", "tokens", "elapsed_s", "seconds_per_step", "loss", "validation_loss"}),
            "0 - (none) 4.0005 4.3 4.25|10 1000 (none) 0.20025 3.5 -");
  add("a.out", head +
                   "iter 0: loss 4.3, time 4000.50ms, mfu 1%\n"
                   "iter 1: loss 3.5, time 200.25ms, mfu 1%\n");
  EXPECT_EQ(cells(read().table, {"step", "elapsed_s"}), "0 4.0005|1 4.20075");
}

TEST_F(StepRows, OfMegatronHaveTokensTimeAndBothLosses) {
  add("n4.out",
      kMegatronHead + megatron_step(10, "2000.1", "9.5E+00") +
          megatron_step(20, "1000.2", "8.5E+00") +
          " validation loss at iteration 20 | lm loss value: 8.25E+00 | lm loss PPL: 3 |\n" +
          megatron_step(30, "1000.2", "nan"));
  const RunTable table = read().table;
  EXPECT_EQ(cells(table, {"job_id", "gpus", "step", "tokens", "elapsed_s", "seconds_per_step",
                          "loss", "validation_loss"}),
            "n4 16 10 40960 20.001 2.0001 9.5 -|"
            "n4 16 20 81920 30.003 1.0002 8.5 8.25|"
            "n4 16 30 122880 40.005 1.0002 - -");
  EXPECT_EQ(place_of(table.names, "status"), kNowhere);
}

TEST_F(StepRows, StepsThatARestartDoesAgainComeOnce) {
  add("n4.out", kMegatronHead + megatron_step(10, "1000", "9") + megatron_step(20, "1000", "8") +
                    kMegatronHead + megatron_step(20, "3000", "7") +
                    megatron_step(30, "1000", "6"));
  EXPECT_EQ(cells(read().table, {"step", "elapsed_s", "loss"}), "10 10 9|20 40 7|30 50 6");
}

TEST_F(StepRows, OfNemoNeedNoTimes) {
  // NVIDIA-NeMo/Speech, pull request 10128, and the bar of NeMo-Framework-Launcher, issue 55.
  add("lines/out.log",
      "Training epoch 0, iteration 0/9 | lr: 0.0006 | consumed_samples: 32 | global_batch_size: 32 "
      "| "
      "global_step: 0 | reduced_train_loss: 11.02\n"
      "Training epoch 0, iteration 1/9 | lr: 0.0006 | consumed_samples: 64 | global_batch_size: 32 "
      "| "
      "global_step: 1 | reduced_train_loss: 9.761\n");
  add("bar/out.log",
      "Epoch 0:   1%|          | 795/77225 [9:07:58<878:01:48, 41.36s/it, loss=3.1, v_num=, "
      "reduced_train_loss=3.090, global_step=794.0, consumed_samples=1.63e+6]\n");
  EXPECT_EQ(cells(read().table, {"job_id", "step", "samples", "loss"}),
            "bar 795 1630000 3.09|lines 1 32 11.02|lines 2 64 9.761");
}

TEST_F(StepRows, OfATrainerStateJoinEvaluations) {
  add("run/trainer_state.json", R"({"best_metric": null, "global_step": 20, "log_history": [
    {"epoch": 0.5, "loss": 2.5, "num_input_tokens_seen": 640, "step": 10},
    {"epoch": 0.5, "eval_loss": 2.25, "eval_runtime": 3.0, "step": 10},
    {"epoch": 1.0, "loss": 2.0, "step": 20},
    {"epoch": 1.0, "eval_loss": 1.75, "step": 20},
    {"epoch": 1.0, "total_flos": 1e15, "train_loss": 2.25, "step": 20}], "train_batch_size": 4})");
  add("run/all_results.json", R"({"epoch": 1.0, "eval_loss": 1.75, "train_runtime": 60.0})");
  EXPECT_EQ(cells(read().table, {"job_id", "micro_batch_size", "step", "epoch", "tokens", "loss",
                                 "validation_loss"}),
            "run 4 10 0.5 640 2.5 2.25|run 4 20 1 - 2 1.75");
}

TEST_F(StepRows, OfLinesWithoutStepsHaveEpochs) {
  add("run.log",
      "{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.5}\n"
      "{'eval_loss': 2.25, 'epoch': 0.5}\n"
      "{'loss': 2.0, 'learning_rate': 1e-05, 'epoch': 1.0}\n");
  EXPECT_EQ(cells(read().table, {"epoch", "loss", "validation_loss"}), "0.5 2.5 2.25|1 2 -");
}

TEST_F(StepRows, OfLightningJoinRowsOfOneStep) {
  add("lightning_logs/version_1/metrics.csv",
      "epoch,step,train_loss,val_loss\n0,49,2.5,\n0,49,,2.25\n1,99,2.0,\n");
  EXPECT_EQ(cells(read().table, {"job_id", "step", "epoch", "train_loss", "val_loss"}),
            "lightning_logs/version_1 49 0 2.5 2.25|lightning_logs/version_1 99 1 2 -");
}

TEST_F(StepRows, OfMlflowKeepAllValuesOfOneStep) {
  const std::string run = "mlruns/0/17b0/";
  add(run + "meta.yaml", "artifact_uri: x\nrun_id: 17b0\nstatus: 3\nstart_time: 1000\n");
  add(run + "params/loss", "mse");
  add(run + "metrics/loss", "2000 3.5 0\n3000 2.5 0\n");
  add(run + "metrics/acc", "2000 0.5 0\n5000 0.75 7\n");
  EXPECT_EQ(cells(read().table, {"loss", "step", "elapsed_s", "acc", "metric_loss"}),
            "mse 0 1 0.5 3.5|mse 0 2 - 2.5|mse 7 4 0.75 -");
}

TEST_F(StepRows, OfMlflowKeepStepsWhoseValuesAreNan) {
  const std::string run = "mlruns/0/17b0/";
  add(run + "meta.yaml", "artifact_uri: x\nrun_id: 17b0\nstatus: 3\nstart_time: 1000\n");
  add(run + "params/duration_s", "5");
  add(run + "metrics/loss", "2000 3.5 0\n3000 nan 1\n");
  EXPECT_EQ(cells(read().table, {"param_duration_s", "step", "elapsed_s", "loss"}),
            "5 0 1 3.5|5 1 2 -")
      << "the name is that of the table of runs";
}

TEST_F(StepRows, OfAChartOfWandbAreToldApartByRun) {
  add("wandb_export.csv",
      "\"Step\",\"a - loss\",\"a - loss__MIN\",\"a - loss__MAX\",\"b - loss\",\"b - "
      "loss__MIN\",\"b "
      "- loss__MAX\"\n\"0\",\"3\",\"3\",\"3\",\"4\",\"4\",\"4\"\n\"5\",\"2\",\"2\",\"2\",,,\n");
  EXPECT_EQ(cells(read().table, {"job_id", "step", "loss"}), "a 0 3|a 5 2|b 0 4");
}

TEST_F(StepRows, TakeWhatTheAccountOfSlurmSays) {
  add("slurm-38113.out", kMegatronHead + megatron_step(10, "1000", "9"));
  add("sacct.txt", "JobID|State|ElapsedRaw|AllocTRES\n38113|COMPLETED|60|gres/gpu=8,node=2\n");
  EXPECT_EQ(cells(read().table, {"job_id", "step", "loss", "nodes", "job_duration_s"}),
            "slurm-38113 10 9 2 60");
}

TEST_F(StepRows, CountRunsWithoutACurve) {
  add("n4.out", kMegatronHead + megatron_step(10, "1000", "9"));
  add("sacct.txt", "JobID|State|ElapsedRaw\n7|COMPLETED|60\n8|COMPLETED|60\n");
  EXPECT_THAT(read().warnings,
              testing::Contains("2 runs without logged steps were left out, the first: 7"));
}

TEST_F(StepRows, NeedARunThatLogsSteps) {
  add("sacct.txt", "JobID|State|ElapsedRaw\n7|COMPLETED|60\n");
  EXPECT_THAT(message(), HasSubstr("no input logs what a run did step by step (1 run)"));
}

TEST_F(StepRows, AreAllValuesSoThatNoneIsChosen) {
  EXPECT_THAT(message({.metrics = {"loss=min"}}),
              HasSubstr("--metric chooses one value per run, and --rows step gives all"));
}

TEST(UnitBytes, StepsComeBack) {
  UnitFigures unit;
  unit.records.push_back({"a", {{"gpus", "8"}}});
  EXPECT_EQ(bytes_of(unit)[0], 2);  // Stores without steps stay as they were.
  unit.records.push_back({"b", {}, "", {{"step", "loss"}, {10, 2.5, 20, Sample::kNone}}});
  const UnitFigures back = unit_figures_of(bytes_of(unit));
  EXPECT_EQ(back.records.at(0).steps.rows(), 0U);
  EXPECT_THAT(back.records.at(1).steps.names, ElementsAre("step", "loss"));
  EXPECT_THAT(back.records.at(1).steps.cells,
              ElementsAre(10, 2.5, 20, testing::NanSensitiveDoubleEq(Sample::kNone)));
  unit.records.back().steps.cells.pop_back();
  EXPECT_THROW(unit_figures_of(bytes_of(unit)), DataError);
  unit.records.back().steps = {{}, {1}};
  unit.records.front().steps = {{"step"}, {1}};
  EXPECT_THROW(unit_figures_of(bytes_of(unit)), DataError);
}

TEST_F(StepRows, CountsLossesThatAreNotFiniteInEveryFormat) {
  add("lightning/metrics.csv", "epoch,step,train_loss\n0,0,2.5\n0,1,nan\n0,2,inf\n0,3,2.0\n");
  add("hub/trainer_state.json",
      R"({"log_history": [{"epoch": 0.5, "loss": NaN, "step": 1},
          {"epoch": 1.0, "loss": 2.0, "step": 2}, {"epoch": 1.0, "eval_loss": NaN, "step": 2}]})");
  add("mlruns/0/a1/meta.yaml", "artifact_uri: x\nrun_id: a1\nexperiment_id: '0'\nstatus: 3\n");
  add("mlruns/0/a1/metrics/loss", "1000 2.5 0\n2000 nan 1\n3000 2.0 2\n");
  add("mlruns/0/a1/metrics/ratio", "1000 inf 0\n");
  add("chart.csv",
      "\"Step\",\"r - loss\",\"r - loss__MIN\",\"r - loss__MAX\"\n1,NaN,NaN,NaN\n2,1.5,1.5,1.5\n");
  add("tb/run-b-tag-val_loss.csv", "Wall time,Step,Value\n1000.5,0,nan\n1001.5,1,1.25\n");
  add("w/titan.log",
      "step:  1  loss:  nan  grad_norm:  1.0  memory:  1.15GiB(4.37%)  tps: 679  mfu: 3.98%\n"
      "step: 10  loss:  9.5  grad_norm:  1.0  memory:  1.15GiB(4.37%)  tps: 680  mfu: 3.98%\n");
  const IngestResult result = read();
  EXPECT_THAT(result.warnings,
              testing::Contains(testing::StartsWith("8 logged losses are NaN or infinite")));
  EXPECT_EQ(cells(result.table, {"job_id", "step", "val_loss"}),
            "a1 0 -|a1 1 -|a1 2 -|b 0 -|b 1 1.25|hub 1 -|hub 2 -|lightning 0 -|lightning 1 -|"
            "lightning 2 -|lightning 3 -|r 1 -|r 2 -|titan 1 -|titan 10 -");
}

TEST_F(StepRows, CountsValuesWithoutAStep) {
  add("run/metrics.csv", "epoch,step,train_loss\n0,0,2.5\n0,,2.25\n0,2,2.0\n");
  const IngestResult result = read();
  EXPECT_EQ(cells(result.table, {"step", "train_loss"}), "0 2.5|2 2");
  EXPECT_THAT(result.warnings,
              testing::Contains(testing::StartsWith("1 value was logged without a step")));
}

}  // namespace
}  // namespace scalelaw::test
