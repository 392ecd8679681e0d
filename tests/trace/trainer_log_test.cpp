#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "support/command.hpp"
#include "support/places.hpp"
#include "trace/formats.hpp"
#include "trace/records.hpp"
#include "trace/trainer_log.hpp"
#include "trace/trainer_run.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// The records of a log, and what was noted.
struct ReadLog {
  std::vector<JobRecord> records;
  std::map<TraceOddity, int> notes;

  std::string fact(std::string_view name, std::size_t record = 0) const {
    return fact_of(records.at(record), name);
  }
  int count(TraceOddity oddity) const {
    const auto found = notes.find(oddity);
    return found == notes.end() ? 0 : found->second;
  }
};

ReadLog read_log(const std::string& text, const std::string& name = "n4.out",
                 const std::vector<std::string>& metrics = {}) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "tp4" / name;
  fs::create_directory(path.parent_path());
  write_bytes(path, text);
  CountedNotes notes;
  return {kMegatron.read_records(path.string(), {.metrics = metrics}, notes), notes.counts};
}

// Lines of bigscience-workshop/bigscience, experiments/gpt2-meg/meg_gpt2_base_n4_dp1_tp4_pp4.
const std::string kHead =
    "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4, "
    "pipeline-model-parallel size: 4 \n"
    "  global_batch_size ............................... 4\n"
    "  hidden_size ..................................... 6144\n"
    "  micro_batch_size ................................ 1\n"
    "  seq_length ...................................... 1024\n"
    "  world_size ...................................... 16\n";

std::string step(int number, double ms, const std::string& loss = "9.5E+00", int of = 1000,
                 int batch = 4) {
  return " iteration " + std::to_string(number) + "/ " + std::to_string(of) +
         " | consumed samples: " + std::to_string(4 * number) +
         " | elapsed time per iteration (ms): " + std::to_string(ms) +
         " | learning rate: 1.5E-04 | global batch size: " + std::to_string(batch) +
         " | lm loss: " + loss + " | number of nan iterations:   0 |\n";
}

std::string steps(int from, int to, double ms) {
  std::string text;
  for (int i = from; i <= to; ++i) text += step(i, ms);
  return text;
}

TEST(TrainerLog, ReadsSizesPaceAndLossOfMegatron) {
  const ReadLog log = read_log(
      kHead +
      " iteration       10/    1000 | consumed samples:           40 | elapsed time per iteration "
      "(ms): 2152.2 | learning rate: 0.000E+00 | global batch size:     4 | loss scale: 8388608.0 "
      "| number of skipped iterations:  10 | number of nan iterations:   0 |\n"
      "time (ms) | forward-compute: 306.62 | forward-recv: 527.58\n"
      " iteration       20/    1000 | consumed samples:           80 | elapsed time per iteration "
      "(ms): 1354.9 | learning rate: 3.750E-05 | global batch size:     4 | lm loss: 1.203115E+01 "
      "| loss scale: 32768.0 | number of skipped iterations:   8 | number of nan iterations:   0 "
      "|\n"
      " iteration       30/    1000 | consumed samples:          120 | elapsed time per iteration "
      "(ms): 1376.1 | learning rate: 1.500E-04 | global batch size:     4 | lm loss: 2.247505E+01 "
      "| loss scale: 16384.0 | grad norm: 16.999 | number of skipped iterations:   1 |\n"
      " iteration       40/    1000 | consumed samples:          160 | elapsed time per iteration "
      "(ms): 1379.8 | learning rate: 1.499E-04 | global batch size:     4 | lm loss: 1.255556E+01 "
      "| loss scale: 16384.0 | grad norm: 51.641 |\n");
  EXPECT_EQ(log.records.at(0).job, "n4");
  EXPECT_EQ(log.fact("framework"), "Megatron-LM");
  EXPECT_EQ(log.fact("gpus"), "16");
  EXPECT_EQ(log.fact("tensor_parallel"), "4");
  EXPECT_EQ(log.fact("pipeline_parallel"), "4");
  EXPECT_EQ(log.fact("data_parallel"), "1");
  EXPECT_EQ(log.fact("micro_batch_size"), "1");
  EXPECT_EQ(log.fact("global_batch_size"), "4");
  EXPECT_EQ(log.fact("sequence_length"), "1024");
  EXPECT_EQ(log.fact("steps"), "40");
  EXPECT_EQ(log.fact("tokens"), "163840");
  EXPECT_EQ(log.fact("seconds_per_step"), "1.3761");
  EXPECT_EQ(log.fact("loss"), "12.55556");
  EXPECT_EQ(log.fact("parameters"), "");
  EXPECT_EQ(log.fact("duration_s"), "");
  EXPECT_NEAR(std::stod(log.fact("samples_per_second")), 2.906765496693554, 1e-12);
  EXPECT_NEAR(std::stod(log.fact("tokens_per_second")), 2976.5278686141995, 1e-9);
  EXPECT_NEAR(std::stod(log.fact("tokens_per_second_per_gpu")), 186.03299178838747, 1e-10);
  EXPECT_EQ(log.count(TraceOddity::kOtherStep), 1);  // The first one.
}

TEST(TrainerLog, ReadsThroughputEnergyAndPowerOfMegatronOf2026) {
  // Lines of NVIDIA/cloudai, tests of its Megatron report.
  const ReadLog log = read_log(
      "using world size: 8, data-parallel size: 8, context-parallel size: 1, hierarchical "
      "context-parallel sizes: Nonetensor-model-parallel size: 2, encoder-tensor-model-parallel "
      "size: 0, pipeline-model-parallel size: 4, encoder-pipeline-model-parallel size: 0\n"
      " [2026-02-06 20:55:02.918469] iteration      292/95367431 | consumed samples:         9344 "
      "| "
      "elapsed time per iteration (ms): 3075.7 | throughput per GPU (TFLOP/s/GPU): 478.0 | "
      "energy per GPU (J/iter/GPU): 1992.5 | power per GPU (W/GPU): 647.8 | lm loss: 2.4E-02 |\n"
      " [2026-02-06 20:55:05.956222] iteration      293/95367431 | consumed samples:         9376 "
      "| "
      "elapsed time per iteration (ms): 3037.2 | throughput per GPU (TFLOP/s/GPU): 484.0 | "
      "energy per GPU (J/iter/GPU): 1982.6 | power per GPU (W/GPU): 652.8 | lm loss: 2.3E-02 |\n");
  EXPECT_EQ(log.fact("tensor_parallel"), "2");
  EXPECT_EQ(log.fact("pipeline_parallel"), "4");
  EXPECT_EQ(log.fact("tflops_per_gpu"), "481");
  EXPECT_NEAR(std::stod(log.fact("energy_j")), 8 * (1992.5 + 1982.6), 1e-9);
  EXPECT_NEAR(std::stod(log.fact("power_mean_w")), 650.2805542377595, 1e-9);
}

TEST(TrainerLog, ReadsTheWordsOfOtherYearsAndForks) {
  const ReadLog old = read_log(
      "using world size: 64 and model-parallel size: 4 \n"
      "  batch_size ...................... 16\n"
      " iteration        1/    1000 | elapsed time per iteration (ms): 150471.3 | learning rate "
      "1.875E-05 | lm loss 1.279022E+01 | loss scale 1024.0 |\n");
  EXPECT_EQ(old.fact("gpus"), "64");
  EXPECT_EQ(old.fact("tensor_parallel"), "4");
  EXPECT_EQ(old.fact("micro_batch_size"), "16");
  EXPECT_EQ(old.fact("seconds_per_step"), "150.4713");
  EXPECT_EQ(old.fact("loss"), "12.79022");
  // Argonne's Megatron-DeepSpeed of 2024.
  const ReadLog fork = read_log(
      "[2024-04-21 02:45:24][INFO][training:1251] -  iteration=       2/  317892 | "
      "consumed_samples=         512 | consumed_tokens=     2097152 | "
      "elapsed_time_per_iteration_ms=16030.6 | learning_rate=0.000000 | global_batch_size=  256 | "
      "lm loss=11.208171 | actual_seqlen= 4096 | samples_per_second=15.969 | "
      "tokens_per_gpu_per_second_tgs=8176.383 | TFLOPs=160.07 |\n");
  EXPECT_EQ(fork.fact("steps"), "2");
  EXPECT_EQ(fork.fact("seconds_per_step"), "16.0306");
  EXPECT_EQ(fork.fact("tokens"), "2097152");
  EXPECT_EQ(fork.fact("tokens_per_second_per_gpu"), "8176.383");
  EXPECT_EQ(fork.fact("tflops_per_gpu"), "160.07");
  EXPECT_EQ(fork.fact("loss"), "11.208171");
}

TEST(TrainerLog, PassesOverPrefixesColoursAndWraps) {
  const ReadLog plain = read_log(kHead + steps(1, 4, 500));
  std::string prefixed;
  for (const char* prefix :
       {"0: ", "[rank15]:", "\x1b[32m[default7]:\x1b[0m ", "2025-08-01 07:19:37 | INFO | "}) {
    prefixed += prefix +
                step(static_cast<int>(1 + std::count(prefixed.begin(), prefixed.end(), '\n')), 500);
  }
  const ReadLog log = read_log("3: " + kHead + prefixed);
  EXPECT_EQ(log.records.at(0).facts, plain.records.at(0).facts);
  const ReadLog wrapped = read_log(
      " iteration 10/ 50000 | consumed samples: 640 | elapsed time per iteration (ms): 13105.5\n"
      " | learning rate: 1.2E-05 | global batch size:    64 | lm loss: 1.10E+01 |\n");
  EXPECT_EQ(wrapped.fact("seconds_per_step"), "13.1055");
  EXPECT_EQ(wrapped.fact("global_batch_size"), "64");
  EXPECT_EQ(wrapped.fact("loss"), "11");
}

TEST(TrainerLog, ReadsLinesThatATerminalWrappedAnywhere) {
  const std::string whole = step(10, 13105.5) + step(11, 13105.5);
  const ReadLog plain = read_log(whole);
  for (std::size_t width = 60; width < whole.find('\n'); ++width) {
    std::string wrapped;
    for (std::size_t begin = 0; begin < whole.size();) {
      const std::size_t end = std::min(begin + width, whole.find('\n', begin));
      wrapped += whole.substr(begin, end - begin) + '\n';
      begin = end + (whole[end] == '\n' ? 1 : 0);
    }
    EXPECT_EQ(read_log(wrapped).records.at(0).facts, plain.records.at(0).facts) << width;
  }
}

TEST(TrainerLog, DoesNotTakeAnotherLineForTheRestOfOne) {
  const ReadLog log = read_log(
      "Training epoch 0, iteration 0/9 | global_step: 0 | train_step_timing in s: 2.5 | "
      "consumed_samples: 1280\n"
      "[Rank 3] (after 1 iterations) memory (MB) | train_step_timing in s: 7 | allocated: 9 |\n");
  EXPECT_EQ(log.fact("seconds_per_step"), "2.5");
  EXPECT_EQ(log.count(TraceOddity::kBadCell), 0);
}

TEST(TrainerLog, ReadsAnyNumberOfStepsInOneLine) {
  std::string text;
  for (int i = 1; i <= 200'000; ++i) text += " iteration " + std::to_string(i) + "/9 |";
  EXPECT_EQ(read_log(text + " lm loss: 2 |\n").fact("steps"), "200000");
}

TEST(TrainerLog, KeepsALineThatOtherRanksWriteBehind) {
  const std::string one = step(1, 500);
  const ReadLog log =
      read_log(one.substr(0, one.size() - 1) +
               "[Rank 6] (after 1 iterations) memory (MB) | allocated: 1.5 |" + step(2, 700));
  EXPECT_EQ(log.fact("steps"), "2");
  EXPECT_EQ(log.fact("seconds_per_step"), "0.6");
}

TEST(TrainerLog, CountsAStepThatSeveralRanksLogOnce) {
  std::string text = kHead;
  for (int i = 1; i <= 20; ++i) text += "0: " + step(i, 500) + "1: " + step(i, 900);
  const ReadLog log = read_log(text);
  EXPECT_EQ(log.fact("seconds_per_step"), "0.5");
  EXPECT_EQ(log.count(TraceOddity::kRepeatedLine), 20);
}

TEST(TrainerLog, SetsApartWarmUpSlowStepsAndOtherBatches) {
  std::string text = kHead + step(1, 5000) + step(2, 800) + step(3, 800) + steps(4, 40, 500) +
                     step(41, 3000) + steps(42, 60, 500);
  const ReadLog log = read_log(text);
  EXPECT_EQ(log.fact("seconds_per_step"), "0.5");
  EXPECT_EQ(log.fact("seconds_per_step_cv"), "0");
  EXPECT_EQ(log.count(TraceOddity::kOtherStep), 4);
  const ReadLog ramp = read_log(step(1, 100, "9", 9000, 1) + step(2, 100, "9", 9000, 1) +
                                step(3, 100, "9", 9000, 1) + step(4, 400, "9", 9000, 4));
  EXPECT_EQ(ramp.fact("seconds_per_step"), "0.4");
  EXPECT_EQ(ramp.fact("samples_per_second"), "10");
  EXPECT_EQ(ramp.count(TraceOddity::kOtherStep), 3);
}

TEST(TrainerLog, KeepsStepsThatDifferByLessThanATenthOrAreFaster) {
  const ReadLog log = read_log(steps(1, 20, 500) + step(21, 549) + step(22, 100));
  EXPECT_EQ(log.count(TraceOddity::kOtherStep), 0);
}

TEST(TrainerLog, GoesOnWithARunThatIsStartedAgain) {
  const ReadLog log = read_log(kHead + steps(1, 30, 500) + kHead + step(21, 4000) +
                               step(22, 500, "8E+00") + step(23, 500, "7E+00"));
  ASSERT_EQ(log.records.size(), 1U);
  EXPECT_EQ(log.fact("steps"), "23");
  EXPECT_EQ(log.fact("loss"), "7");
  EXPECT_EQ(log.count(TraceOddity::kRepeatedLine), 10);  // Steps 21 to 30 of the first start.
  EXPECT_EQ(log.count(TraceOddity::kOtherStep), 1);
  // Without its head: the numbers go back.
  const ReadLog bare = read_log(steps(1, 30, 500) + steps(21, 25, 500));
  EXPECT_EQ(bare.fact("steps"), "25");
  EXPECT_EQ(bare.count(TraceOddity::kRepeatedLine), 10);
}

TEST(TrainerLog, TakesTheLossThatTheUserChooses) {
  const std::string text = step(1, 500, "4") + step(2, 500, "1") + step(3, 500, "8") + kHead +
                           step(3, 500, "3") + step(4, 500, "2.5");
  const auto loss = [&](const std::string& how) {
    return read_log(text, "n4.out", {"other=max", "loss=" + how}).fact("loss");
  };
  EXPECT_EQ(loss("last"), "2.5");
  EXPECT_EQ(loss("min"), "1");
  EXPECT_EQ(loss("max"), "4");  // The third step was done again.
  EXPECT_EQ(loss("mean"), "2.625");
  const std::string hub = "{'eval_loss': 1.5, 'epoch': 0.5}\n{'eval_loss': 2.5, 'epoch': 1.0}\n";
  EXPECT_EQ(read_log(hub, "a.log", {"validation_loss=min"}).fact("validation_loss"), "1.5");
}

TEST(TrainerLog, MakesARunOfItsOwnOfOtherSettingsAndAfterTheEnd) {
  std::string other = kHead;
  other.replace(other.find("size: 16"), 8, "size: 32");
  const ReadLog log = read_log(kHead + steps(1, 5, 500) + other + steps(1, 5, 300));
  ASSERT_EQ(log.records.size(), 2U);
  EXPECT_EQ(log.records[1].job, "n4-2");
  EXPECT_EQ(log.fact("gpus", 1), "32");
  EXPECT_EQ(log.fact("seconds_per_step", 1), "0.3");
  const std::string whole = kHead + step(1, 500, "9", 2) + step(2, 500, "9", 2);
  const ReadLog twice = read_log(whole + whole);
  ASSERT_EQ(twice.records.size(), 2U);
  EXPECT_EQ(twice.fact("status"), "finished");
  EXPECT_EQ(twice.count(TraceOddity::kRepeatedLine), 0);
}

TEST(TrainerLog, AddsTheParametersOfAllShards) {
  const std::string shards =
      " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 100\n"
      " > number of parameters on (tensor, pipeline) model parallel rank (1, 0): 101\n";
  const std::string sizes =
      "using world size: 2, data-parallel size: 1, tensor-model-parallel size: 2, "
      "pipeline-model-parallel size: 1\n";
  EXPECT_EQ(read_log(sizes + shards + shards + step(1, 1)).fact("parameters"), "201");
  const std::string one = shards.substr(0, shards.find('\n') + 1);
  EXPECT_EQ(read_log(sizes + one + step(1, 1)).fact("parameters"), "");
  EXPECT_EQ(
      read_log("Total number of parameters in billions: 3.50\n" + step(1, 1)).fact("parameters"),
      "3500000000");
}

TEST(TrainerLog, ReadsDurationAndValidationLoss) {
  const ReadLog log = read_log(
      "[before the start of training step] datetime: 2025-08-01 07:19:18 \n" + steps(1, 3, 500) +
      "-----\n validation loss at iteration 3 | lm loss value: 2.5E+00 | lm loss PPL: 12.2E+00 |\n"
      "[after training is done] datetime: 2025-08-01 07:29:18 \n"
      " validation loss at iteration 3 on test set | lm loss value: 9.5E+00 | lm loss PPL: 1 |\n");
  EXPECT_EQ(log.fact("duration_s"), "600");
  EXPECT_EQ(log.fact("validation_loss"), "2.5");
  EXPECT_EQ(log.fact("status"), "finished");
}

TEST(TrainerLog, ReadsStepsOfNemo) {
  const ReadLog log = read_log(
      "[rank: 0] Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/16\n"
      "[NeMo I] Rank 0 has tensor model parallel group: [0, 1, 2, 3]\n"
      "[NeMo I] Rank 0 has pipeline model parallel group: [0]\n"
      "[NeMo I] Rank 0 has data parallel group : [0, 4, 8, 12]\n"
      "    seq_length: 8192\n    micro_batch_size: 1\n"
      "0: Training epoch 0, iteration 74/99 | lr: 1.124e-05 | global_batch_size: 128 | "
      "global_step: 74 | reduced_train_loss: 11.87 | train_step_timing in s: 8.768 | "
      "TFLOPS_per_GPU: 865.7 | consumed_samples: 9600 | val_loss: 2.861\n");
  EXPECT_EQ(log.fact("framework"), "NeMo");
  EXPECT_EQ(log.fact("gpus"), "16");
  EXPECT_EQ(log.fact("tensor_parallel"), "4");
  EXPECT_EQ(log.fact("pipeline_parallel"), "1");
  EXPECT_EQ(log.fact("data_parallel"), "4");
  EXPECT_EQ(log.fact("micro_batch_size"), "1");
  EXPECT_EQ(log.fact("steps"), "75");
  EXPECT_EQ(log.fact("seconds_per_step"), "8.768");
  EXPECT_EQ(log.fact("tflops_per_gpu"), "865.7");
  EXPECT_EQ(log.fact("tokens"), "78643200");
  EXPECT_EQ(log.fact("validation_loss"), "2.861");
}

TEST(TrainerLog, KnowsTheEndOfATrainingOfLightning) {
  const std::string step =
      "Training epoch 0, iteration 9/9 | lr: 1e-05 | global_step: 9 | reduced_train_loss: 11.87 | "
      "train_step_timing in s: 8.768\n";
  EXPECT_EQ(read_log(step).fact("status"), "");
  EXPECT_EQ(read_log(step + "`Trainer.fit` stopped: `max_steps=10` reached.\n").fact("status"),
            "finished");
}

TEST(TrainerLog, ReadsNemosProgressBarEachStepOnce) {
  const std::string bar =
      "\rEpoch 0: :  47%|####     | 7/15 [06:19<07:13, v_num=0, reduced_train_loss=11.50, "
      "global_step=5.000, consumed_samples=12288.0, train_step_timing in s=49.50]";
  std::string next = bar;
  next.replace(next.find("5.000"), 5, "6.000");
  next.replace(next.find("49.50"), 5, "49.70");
  const ReadLog log = read_log(bar + bar + next + "\n");
  EXPECT_EQ(log.fact("steps"), "7");
  EXPECT_EQ(log.fact("seconds_per_step"), "49.6");
  EXPECT_EQ(log.fact("loss"), "11.5");
  EXPECT_EQ(log.count(TraceOddity::kRepeatedLine), 0);
  std::string rounded = bar;
  rounded.replace(rounded.find("5.000"), 5, "2e+3");
  EXPECT_EQ(read_log(bar + rounded + "\n").fact("steps"), "7");
}

TEST(TrainerLog, ReadsDeepspeedsEngine) {
  const ReadLog log = read_log(
      "steps: 1 loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805\n"
      "steps: 2 loss: 12.8004 iter time (s): 145.206 samples/sec: 7.052\n");
  EXPECT_EQ(log.fact("framework"), "DeepSpeed");
  EXPECT_EQ(log.fact("steps"), "2");
  EXPECT_NEAR(std::stod(log.fact("seconds_per_step")), 147.8385, 1e-12);
  EXPECT_NEAR(std::stod(log.fact("samples_per_second")), 6.9285, 1e-12);
  EXPECT_EQ(log.fact("loss"), "12.8004");
  // Of the same run, Megatron's own lines count.
  const ReadLog both = read_log(
      "steps: 1 loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805\n"
      " iteration        1/    1000 | elapsed time per iteration (ms): 150471.3 | lm loss: 1E+01 "
      "|\n");
  EXPECT_EQ(both.fact("framework"), "Megatron-DeepSpeed");
  EXPECT_EQ(both.fact("seconds_per_step"), "150.4713");
  EXPECT_EQ(both.fact("samples_per_second"), "6.805");
}

TEST(TrainerLog, TakesDeepspeedsPaceFromItsTimeStamps) {
  // Lines of eth-cscs/alps-... (pytorch_deepspeed_bert), 2022; the batch is not among them.
  const ReadLog log = read_log(
      "[2022-08-29 06:58:56,121] [INFO] [logging.py:68:log_dist] [Rank 0] step=20, skipped=17, "
      "lr=[5e-05], mom=[(0.9, 0.999)]\n"
      "[2022-08-29 06:58:56,176] [INFO] [timer.py:198:stop] 0/20, "
      "RunningAvgSamplesPerSec=232.7340551694273, CurrSamplesPerSec=227.48090316379353, "
      "MemAllocated=0.36GB\n"
      "[2022-08-29 06:59:18,633] [INFO] [logging.py:68:log_dist] [Rank 0] step=30, skipped=17, "
      "lr=[5e-05], mom=[(0.9, 0.999)]\n");
  EXPECT_EQ(log.fact("framework"), "DeepSpeed");
  EXPECT_EQ(log.fact("steps"), "30");
  EXPECT_EQ(log.fact("seconds_per_step"), "2.2512");
  EXPECT_EQ(log.fact("samples_per_second"), "232.7340551694273");
  EXPECT_EQ(log.fact("loss"), "");
}

TEST(TrainerLog, ReadsWhatTheTrainerOfHuggingFacePrints) {
  const ReadLog log = read_log(
      "***** Running training *****\n"
      "  Num examples = 1,000\n  Num Epochs = 1\n"
      "  Instantaneous batch size per device = 4\n"
      "  Total train batch size (w. parallel, distributed & accumulation) = 512\n"
      "  Total optimization steps = 2\n  Number of trainable parameters = 1,310,720\n"
      "{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.5}\n"
      "{'eval_loss': '2.25', 'eval_runtime': '3.5', 'epoch': '1.0'}\n"
      "{'train_runtime': 273.0148, 'train_samples_per_second': 3.663, 'train_steps_per_second': "
      "0.007, 'train_loss': 2.75, 'epoch': 1.0}\n"
      "{'train_runtime': 273.0144, 'train_samples_per_second': 3.663, 'train_steps_per_second': "
      "0.007, 'train_loss': 2.75, 'epoch': 1.0}\n");
  EXPECT_EQ(log.fact("framework"), "Transformers");
  EXPECT_EQ(log.fact("global_batch_size"), "512");
  EXPECT_EQ(log.fact("micro_batch_size"), "4");
  EXPECT_EQ(log.fact("trainable_parameters"), "1310720");
  EXPECT_EQ(log.fact("steps"), "2");
  EXPECT_EQ(log.fact("duration_s"), "273.0148");
  EXPECT_EQ(log.fact("epoch_seconds"), "273.0148");
  EXPECT_EQ(log.fact("seconds_per_step"), "136.5074");
  EXPECT_EQ(log.fact("samples_per_second"), "3.663");
  EXPECT_EQ(log.fact("loss"), "2.5");
  EXPECT_EQ(log.fact("train_loss"), "2.75");
  EXPECT_EQ(log.fact("validation_loss"), "2.25");
  EXPECT_EQ(log.count(TraceOddity::kRepeatedLine), 1);
}

TEST(TrainerLog, KeepsRunsOfHuggingFaceApartInOneLog) {
  const std::string run =
      "{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.5}\n"
      "{'train_runtime': 10.0, 'train_samples_per_second': 3.663, 'epoch': 1.0}\n";
  const ReadLog log = read_log(run + run);
  EXPECT_EQ(log.records.size(), 2U);
  EXPECT_EQ(log.fact("steps"), "");
  EXPECT_EQ(log.fact("seconds_per_step"), "");
  const ReadLog diverged = read_log(run + "{'loss': nan, 'epoch': 0.5}\n{'train_runtime': xxxx}\n");
  ASSERT_EQ(diverged.records.size(), 2U);
  EXPECT_EQ(diverged.fact("loss", 1), "");
  EXPECT_EQ(diverged.count(TraceOddity::kBadCell), 1);
  const ReadLog resumed = read_log("  Continuing training from global step 500\n" + run);
  EXPECT_EQ(resumed.fact("duration_s"), "10");
  EXPECT_EQ(resumed.fact("epoch_seconds"), "(none)");
}

TEST(TrainerLog, CountsCutLinesAndBadCells) {
  const std::string two = step(1, 500) + step(2, 700);
  for (std::size_t length = two.find("(ms)", two.find('\n'));
       length < two.find(" | learning", two.find('\n')); ++length) {
    const ReadLog log = read_log(two.substr(0, length));
    EXPECT_EQ(log.fact("seconds_per_step"), "0.5") << length;
    EXPECT_EQ(log.count(TraceOddity::kCutLine), 1) << length;
  }
  EXPECT_EQ(read_log(two.substr(0, two.size() - 1)).fact("seconds_per_step"), "0.6");
  std::string bad = two;
  bad.replace(bad.find("9.5E+00"), 7, "9.5EX00");
  EXPECT_EQ(read_log(bad).count(TraceOddity::kBadCell), 1);
  EXPECT_EQ(read_log(step(1, 500, "nan")).count(TraceOddity::kBadCell), 0);
}

TEST(TrainerLog, RefusesALogWithoutAStep) {
  try {
    read_log(kHead);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("n4.out: the log of a trainer that made no step"));
  }
}

TEST(TrainerLog, EveryPrefixIsReadOrRefusedAsAnError) {
  const std::string text =
      kHead + steps(1, 2, 500) +
      "0: Training epoch 0, iteration 74/99 | global_step: 74 | train_step_timing in s: 8.7\r"
      "steps: 2 loss: 12.8004 iter time (s): 145.206 samples/sec: 7.052\n"
      "[2022-08-29 06:58:56,121] [INFO] [Rank 0] step=20, skipped=17\n"
      "x, RunningAvgSamplesPerSec=232.7, CurrSamplesPerSec=2\n"
      "{'train_runtime': 10.0, 'train_samples_per_second': 3.663, 'epoch': [1.0, {'a': 2}]}";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    try {
      EXPECT_LE(read_log(text.substr(0, length)).records.size(), 3U);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("n4.out:"));
    }
  }
}

// As karpathy/nanoGPT's train.py prints it.
const std::string kNano =
    "tokens per iteration will be: 16,384\n"
    "number of parameters: 10.65M\n"
    "num decayed parameter tensors: 25, with 10,641,792 parameters\n"
    "step 0: train loss 4.1979, val loss 4.2041\n"
    "iter 0: loss 4.2163, time 40632.86ms, mfu -100.00%\n"
    "iter 10: loss 3.4410, time 1970.20ms, mfu 0.19%\n"
    "iter 20: loss 3.0326, time 2001.26ms, mfu 0.19%\n"
    "iter 30: loss 2.7473, time 2092.32ms, mfu 0.19%\n"
    "step 40: train loss 2.3848, val loss 2.3995\n"
    "saving checkpoint to out\n"
    "iter 40: loss 2.6612, time 56530.17ms, mfu 0.19%\n";

TEST(TrainerLog, ReadsNanoGpt) {
  const ReadLog log = read_log(kNano);
  ASSERT_EQ(log.records.size(), 1U);
  EXPECT_EQ(log.fact("framework"), "nanoGPT");
  EXPECT_EQ(log.fact("gpus"), "");
  EXPECT_EQ(log.fact("parameters"), "10650000");
  EXPECT_EQ(log.fact("steps"), "40");
  EXPECT_EQ(log.fact("tokens"), "655360");
  EXPECT_EQ(log.fact("seconds_per_step"), "2.00126");
  EXPECT_NEAR(std::stod(log.fact("tokens_per_second")), 8186.842289357705, 1e-9);
  EXPECT_EQ(log.fact("loss"), "2.6612");
  EXPECT_EQ(log.fact("validation_loss"), "2.3995");
  EXPECT_EQ(log.count(TraceOddity::kOtherStep), 2) << "the first one, and that of an evaluation";
  EXPECT_EQ(
      read_log("total number of tokens per iteration: 100\n" + kNano.substr(kNano.find("iter 0")))
          .fact("tokens"),
      "4000");
}

TEST(TrainerLog, CountsALineOfNanoGptThatIsCut) {
  const ReadLog whole = read_log(kNano + "iter 50: loss 2.6118, time 2073.70ms, mf");
  EXPECT_EQ(whole.fact("steps"), "50");
  const ReadLog cut = read_log(kNano + "iter 50: loss 2.6118, time 20");
  EXPECT_EQ(cut.fact("steps"), "40");
  EXPECT_EQ(cut.count(TraceOddity::kCutLine), 1);
}

TEST(TrainerLog, CountsACutEvaluationOfNanoGpt) {
  const ReadLog log = read_log(kNano + "step 50: train loss 2.6, val loss 5.");
  EXPECT_EQ(log.fact("validation_loss"), "2.3995");
  EXPECT_EQ(log.count(TraceOddity::kCutLine), 1);
}

TEST(TrainerLog, ReadsNanoGptBehindALoggersPrefix) {
  const std::string prefix = "[2024-05-01 10:00:00,123] [INFO] [train.py:123:main] [worker] ";
  EXPECT_EQ(read_log(prefix + kNano).fact("tokens"), "655360");
}

TEST(TrainerLog, KeepsLinesOfNanoGptWhoseLossIsNan) {
  const ReadLog log = read_log(
      "tokens per iteration will be: 1,000\n"
      "iter 0: loss 10.9, time 45000.00ms, mfu -100.00%\n"
      "step 10: train loss nan, val loss nan\n"
      "iter 10: loss nan, time 250.0ms, mfu 30%\n"
      "iter 20: loss NaN, time 250.0ms, mfu 30%\n");
  EXPECT_EQ(log.fact("steps"), "20");
  EXPECT_EQ(log.fact("seconds_per_step"), "0.25");
  EXPECT_EQ(log.fact("loss"), "");
  EXPECT_EQ(log.fact("validation_loss"), "");
  EXPECT_EQ(log.count(TraceOddity::kLostLoss), 3);
}

// --- Starts without a step ---

TEST(TrainerLog, ForgetsTheSettingsOfAStartThatMadeNoStep) {
  const std::string larger =
      "using world size: 32, data-parallel-size: 8, tensor-model-parallel size: 4\n"
      "  micro_batch_size ................................ 8\n"
      "  seq_length ...................................... 8192\n"
      "torch.cuda.OutOfMemoryError: CUDA out of memory.\n";
  const ReadLog log = read_log(larger + kHead + steps(1, 5, 500));
  ASSERT_EQ(log.records.size(), 1U);
  EXPECT_EQ(log.fact("gpus"), "16");
  EXPECT_EQ(log.fact("micro_batch_size"), "1");
  EXPECT_EQ(log.fact("sequence_length"), "1024");
  EXPECT_EQ(log.count(TraceOddity::kAbandonedStart), 1);
  const ReadLog later = read_log(kHead + steps(1, 5, 500) + larger + kHead + steps(6, 9, 500));
  ASSERT_EQ(later.records.size(), 1U) << "the run goes on with its own settings";
  EXPECT_EQ(later.fact("steps"), "9");
  EXPECT_EQ(later.fact("micro_batch_size"), "1");
}

TEST(TrainerLog, KeepsWhatIsSaidBeforeTheStartOfSeveralRanks) {
  const ReadLog log =
      read_log("  hidden_size ..................................... 6144\n" + kHead +
               "using world size: 16, data-parallel-size: 1\n" + steps(1, 5, 500));
  EXPECT_EQ(log.fact("gpus"), "16");
  EXPECT_EQ(log.fact("tensor_parallel"), "4");
  EXPECT_EQ(log.fact("hidden_size"), "6144");
  EXPECT_EQ(log.count(TraceOddity::kAbandonedStart), 0);
}

TEST(TrainerLog, ForgetsABatchThatDidNotFitIntoMemory) {
  const ReadLog log = read_log(
      "***** Running training *****\n"
      "  Instantaneous batch size per device = 8\n"
      "  Total train batch size (w. parallel, distributed & accumulation) = 32\n"
      "  Gradient Accumulation steps = 1\n"
      "***** Running training *****\n"
      "  Instantaneous batch size per device = 4\n"
      "  Total train batch size (w. parallel, distributed & accumulation) = 16\n"
      "  Gradient Accumulation steps = 1\n"
      "{'loss': 2.5, 'learning_rate': 1e-5, 'epoch': 0.5}\n");
  EXPECT_EQ(log.fact("micro_batch_size"), "4");
  EXPECT_EQ(log.fact("global_batch_size"), "16");
  EXPECT_EQ(log.fact("data_parallel"), "4");
  EXPECT_EQ(read_log("tokens per iteration will be: 100,000\nOutOfMemoryError\n"
                     "tokens per iteration will be: 50,000\n"
                     "iter 0: loss 10, time 100.0ms, mfu\niter 1: loss 9, time 100.0ms, mfu\n")
                .fact("tokens"),
            "50000");
}

// --- Wrapped lines ---

/// A text in pieces of a terminal's width, each behind the prefix of its rank.
std::string wrapped(const std::string& lines, const std::string& prefix, std::size_t width) {
  std::string out;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    for (; begin < end; begin += width) {
      out += prefix + lines.substr(begin, std::min(width, end - begin)) + "\n";
    }
    begin = end + 1;
  }
  return out;
}

TEST(TrainerLog, JoinsPiecesBehindThePrefixOfTheirRank) {
  const std::string text = step(1, 500, "9.5") + step(2, 500, "8.5") + step(3, 500, "7.25");
  for (const char* prefix : {"0: ", "[default0]:"}) {
    for (std::size_t width = 45; width < 132; ++width) {  // A field is not longer than a piece.
      const ReadLog log = read_log(kHead + wrapped(text, prefix, width));
      ASSERT_EQ(log.records.size(), 1U) << prefix << width;
      EXPECT_EQ(log.fact("seconds_per_step"), "0.5") << prefix << width;
      EXPECT_EQ(log.fact("loss"), "7.25") << prefix << width;
      EXPECT_EQ(log.fact("global_batch_size"), "4") << prefix << width;
      EXPECT_EQ(log.count(TraceOddity::kBareStep), 0) << prefix << width;
    }
  }
}

TEST(TrainerLog, CountsStepsWithoutTimeAndLoss) {
  const ReadLog log = read_log(
      kHead + " iteration 1/ 100 | consumed samples: 4 | learning rate: 1 |\n" + step(2, 500));
  EXPECT_EQ(log.count(TraceOddity::kBareStep), 1);
  EXPECT_EQ(log.fact("seconds_per_step"), "0.5");
}

TEST(TrainerLog, ATrainingOfNanoGptFromStep0IsARunOfItsOwn) {
  const std::string one =
      "tokens per iteration will be: 1,000\nstep 0: train loss 10.5, val loss 10.4\n"
      "iter 0: loss 10, time 9000.0ms, mfu\niter 10: loss 9, time 100.0ms, mfu\n"
      "iter 20: loss 8, time 100.0ms, mfu\n";
  const ReadLog log = read_log(one + one + "iter 30: loss 7, time 100.0ms, mfu\n");
  ASSERT_EQ(log.records.size(), 2U);
  EXPECT_EQ(log.fact("steps"), "20");
  EXPECT_EQ(log.fact("loss"), "8");
  EXPECT_EQ(log.fact("status"), "") << "nothing says that it ended";
  EXPECT_EQ(log.fact("steps", 1), "30");
  EXPECT_EQ(log.fact("validation_loss", 1), "10.4");
  EXPECT_EQ(log.count(TraceOddity::kRepeatedLine), 0);
}

TEST(TrainerLog, ReadsTheConfigurationThatDeepspeedPrintsAsJson) {
  const ReadLog log = read_log(
      "[2024-05-01 10:00:00,123] [INFO] [config.py:1001:print]   json = {\n"
      "    \"train_batch_size\": 256, \n"
      "    \"train_micro_batch_size_per_gpu\": 4, \n"
      "    \"gradient_accumulation_steps\": 2\n"
      "}\n"
      "steps: 10 loss: 2.5 iter time (s): 1.5 samples/sec: 170.667\n");
  EXPECT_EQ(log.fact("global_batch_size"), "256");
  EXPECT_EQ(log.fact("micro_batch_size"), "4");
  EXPECT_EQ(log.fact("data_parallel"), "32");
}

TEST(TrainerLog, TakesTheValueOfTheLineBeforeTheMean) {
  // AMD's Primus (megatron_pretrain_trainer of AMD-AGI/Primus) writes "of the line/mean".
  const ReadLog log = read_log(
      " iteration 2/ 50 | consumed samples: 256 | elapsed time per iteration (ms): 6020.5/6010.5 | "
      "throughput per GPU (TFLOP/s/GPU): 456.25/457.5 | lm loss: 1.18E+01 |\n");
  EXPECT_EQ(log.fact("seconds_per_step"), "6.0205");
  EXPECT_EQ(log.fact("tflops_per_gpu"), "456.25");
  EXPECT_EQ(log.count(TraceOddity::kBadCell), 0);
}

TEST(TrainerLog, TakesTheStepThatADictionaryStates) {
  const ReadLog log = read_log(
      "{'loss': 0.5, 'learning_rate': 1e-5, 'epoch': 0.5, 'step': 50}\n"
      "{'loss': 0.25, 'learning_rate': 1e-5, 'epoch': 1.0, 'step': 100}\n"
      "{'train_runtime': 200.0, 'train_loss': 0.375, 'epoch': 1.0, 'step': 100}\n");
  EXPECT_EQ(log.fact("steps"), "100");
  EXPECT_EQ(log.fact("seconds_per_step"), "2");
}

TEST(TrainerLog, ReadsDictionariesAsJsonLines) {
  const std::string text =
      "{\"loss\": 2.5, \"learning_rate\": 1e-5, \"epoch\": 0.5}\n"
      "{\"train_runtime\": 300.0, \"train_loss\": 2, \"epoch\": 1.0}\n";
  ASSERT_NE(recognised_format(text), nullptr);
  EXPECT_EQ(recognised_format(text)->name, "hf-log");
  const ReadLog log = read_log(text);
  EXPECT_EQ(log.fact("loss"), "2.5");
  EXPECT_EQ(log.fact("duration_s"), "300");
  EXPECT_EQ(log.fact("status"), "finished");
}

// --- Losses that diverge ---

TEST(TrainerLog, HasNoLossWhereTheLastOneIsNan) {
  const std::string text = step(1, 500, "9.5") + step(2, 500, "8.5") + step(3, 500, "nan");
  const ReadLog log = read_log(text);
  EXPECT_EQ(log.fact("steps"), "3");
  EXPECT_EQ(log.fact("loss"), "");
  EXPECT_EQ(log.count(TraceOddity::kLostLoss), 1);
  EXPECT_EQ(read_log(text, "n4.out", {"loss=min"}).fact("loss"), "8.5");
  EXPECT_EQ(read_log(text + step(4, 500, "8.25")).fact("loss"), "8.25");
  const std::string hub =
      "{'loss': 2.5, 'learning_rate': 1e-5, 'epoch': 0.5}\n"
      "{'loss': nan, 'learning_rate': 1e-5, 'epoch': 1.0}\n";
  EXPECT_EQ(read_log(hub).fact("loss"), "");
  EXPECT_EQ(read_log(hub).count(TraceOddity::kLostLoss), 1);
}

TEST(TrainerLog, ReadsTimesInSeconds) {
  const std::string text =
      "iteration    12694/  115311 | consumed samples:      9839536 | elapsed time per iteration "
      "(s): 105.25 | global batch size:  2048 | lm loss: 2.463556E+00 |\n";
  EXPECT_TRUE(kMegatron.recognises(text));
  EXPECT_EQ(read_log(text).fact("seconds_per_step"), "105.25");
}

TEST(TrainerLog, CountsIterationsOfAnEpochWithoutAGlobalStep) {
  const ReadLog log = read_log(
      "Training epoch 0, iteration 0/1 | reduced_train_loss: 11.03 | train_step_timing in s: 5.0\n"
      "Training epoch 0, iteration 1/1 | reduced_train_loss: 11.02 | train_step_timing in s: 5.1\n"
      "Training epoch 1, iteration 0/1 | reduced_train_loss: 11.00 | train_step_timing in s: 5.2\n"
      "Training epoch 1, iteration 1/1 | reduced_train_loss: 10.25 | train_step_timing in s: "
      "5.1\n");
  EXPECT_EQ(log.fact("steps"), "4");
  EXPECT_EQ(log.fact("loss"), "10.25");
  EXPECT_EQ(log.count(TraceOddity::kRepeatedLine), 0);
}

TEST(TrainerLog, DividesDeepspeedsBatchByItsAccumulation) {
  const std::string from = "[2024-05-05 10:00:00,000] [INFO] [config.py:1005:print]   ";
  const ReadLog log = read_log(from + "train_batch_size ............. 256\n" + from +
                               "train_micro_batch_size_per_gpu  4\n" + from +
                               "gradient_accumulation_steps .. 2\n"
                               "steps: 1 loss: 12.8 iter time (s): 150.5 samples/sec: 6.8\n");
  EXPECT_EQ(log.fact("data_parallel"), "32");
}

TEST(TrainerLog, CountsAStepWhoseLossIsCut) {
  const std::string two = step(1, 500) + step(2, 700);
  const ReadLog log = read_log(two.substr(0, two.rfind("E+00")));
  EXPECT_EQ(log.fact("steps"), "2");
  EXPECT_EQ(log.count(TraceOddity::kBadCell), 1);
}

TEST(TrainerLog, TellsWhatALogOfNanoGptLacks) {
  const std::string text = "step 0: train loss 4.1979, val loss 4.2041\n";
  EXPECT_FALSE(kNanoGpt.recognises(text));
  EXPECT_THAT(kNanoGpt.missing(text), HasSubstr("log_interval"));
  EXPECT_TRUE(kNanoGpt.recognises(kNano));
}

TEST(TrainerLog, IsRecognisedByItsLines) {
  const auto format_of = [](std::string_view head) {
    const TraceFormat* format = recognised_format(head);
    return format == nullptr ? std::string_view() : format->name;
  };
  EXPECT_EQ(format_of(kHead), "megatron");
  EXPECT_EQ(format_of(step(1, 1)), "megatron");
  EXPECT_EQ(format_of("Training epoch 0, iteration 1/9 | train_step_timing in s: 2.2\n"), "nemo");
  EXPECT_EQ(format_of("a, RunningAvgSamplesPerSec=2.5, b\n"), "deepspeed");
  EXPECT_EQ(format_of("steps: 1 loss: 1 iter time (s): 1.0 samples/sec: 6\n"), "deepspeed");
  EXPECT_EQ(format_of("{'loss': 2.5, 'epoch': 0.5}\n"), "hf-log");
  EXPECT_EQ(format_of("epoch,train_step_timing in s,val_loss\n1,2,3\n"), "");
  EXPECT_EQ(format_of("{'loss': 2.5}\n"), "");
  EXPECT_EQ(format_of("step: 1  loss: 2.5  memory:  1.15GiB(4.37%)  tps: 5  mfu: 1%\n"),
            "torchtitan");
}

TEST(TrainerLog, IsNamedByItsFolderIfAllLogsHaveItsName) {
  EXPECT_EQ(read_log(step(1, 1), "train.log").records.at(0).job, "tp4");
  EXPECT_EQ(read_log(step(1, 1), "bert.log").records.at(0).job, "bert");
}

TEST(TrainerLog, OfTheSameNameAreToldApartByTheirFolders) {
  const TemporaryFolder folder;
  for (const char* name : {"a/tp4/n4.out", "a/tp8/n4.out", "a/n2.out"}) {
    fs::create_directories((folder.path() / name).parent_path());
    write_bytes(folder.path() / name, kHead + step(1, 500));
  }
  const std::string inputs[] = {folder.path().string()};
  const RunTable table = ingest(inputs, {.threads = 1}).table;
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0][0], "n2");
  EXPECT_EQ(table.rows[1][0], "tp4/n4");
  EXPECT_EQ(table.rows[2][0], "tp8/n4");
}

/// Logs that are not part of the project may be here.
const fs::path kLogs = source_folder() / "../shared/data/trackers";

TEST(TrainerLog, ReadsTheNumbersOfRealLogs) {
  if (!fs::exists(kLogs)) GTEST_SKIP() << "no logs here";
  CountedNotes notes;
  const auto record = [&](const char* name) {
    return kMegatron.read_records((kLogs / name).string(), {}, notes).at(0);
  };
  const JobRecord n64 = record("megatron-log/n64.out");
  EXPECT_EQ(fact_of(n64, "gpus"), "256");
  EXPECT_EQ(fact_of(n64, "seconds_per_step"), "6.7153");
  EXPECT_EQ(fact_of(n64, "loss"), "16.9694");
  const JobRecord old = record("deepspeed-log/meg_ds_3d_old_n16.out");
  EXPECT_EQ(fact_of(old, "samples_per_second"), "6.9285");
  const JobRecord hub = record("hf-trainer-stdout/hf_ds_gpt2_perf_n16.out");
  EXPECT_EQ(fact_of(hub, "duration_s"), "273.0148");
  EXPECT_EQ(notes.counts[TraceOddity::kRepeatedLine], 15);
}

TEST(TrainerLog, ReadsGptNeox) {
  // deepspeedai/DeepSpeed, issue 3742.
  const ReadLog log = read_log(
      " samples/sec: 7.799 | iteration       34/   10000 | elapsed time per iteration (ms): 4103.1 "
      "| "
      "learning rate: 2.111E-06 | approx flops per GPU: 112.9TFLOPS | lm_loss: 1.118665E+01 | "
      "number "
      "of skipped iterations:   0 |\n"
      " samples/sec: 7.799 | iteration       35/   10000 | elapsed time per iteration (ms): 4103.1 "
      "| "
      "learning rate: 2.111E-06 | approx flops per GPU: 0.1131PFLOPS | lm_loss: 1.1E+01 | number "
      "of "
      "skipped iterations:   0 |\n");
  EXPECT_EQ(log.fact("framework"), "GPT-NeoX");
  EXPECT_EQ(log.fact("seconds_per_step"), "4.1031");
  EXPECT_EQ(log.fact("samples_per_second"), "7.799");
  EXPECT_EQ(log.fact("tflops_per_gpu"), "113");
  EXPECT_EQ(log.fact("loss"), "11");
  EXPECT_EQ(log.count(TraceOddity::kBadCell), 0);
}

TEST(TrainerLog, AnyCutOfTheLastLineLeavesThePace) {
  std::string text = kHead;
  for (int i = 1; i <= 9; ++i) text += step(i, 1000 + i);
  const ReadLog without = read_log(text);
  const ReadLog with = read_log(text + step(10, 1010));
  EXPECT_EQ(without.fact("seconds_per_step"), "1.005");
  EXPECT_EQ(with.fact("seconds_per_step"), "1.0055");
  const std::string last = step(10, 1010);
  for (std::size_t size = 1; size < last.size(); ++size) {
    const ReadLog cut = read_log(text + last.substr(0, size));
    const ReadLog& same =
        cut.fact("steps") == "10" && size > last.find("learning") ? with : without;
    if (size < last.find("elapsed") || size > last.find("learning")) {
      EXPECT_EQ(cut.fact("seconds_per_step"), same.fact("seconds_per_step")) << size;
      EXPECT_EQ(cut.fact("seconds_per_step_cv"), same.fact("seconds_per_step_cv")) << size;
    }
    EXPECT_EQ(cut.fact("global_batch_size"), "4") << size;
    EXPECT_EQ(cut.count(TraceOddity::kOtherStep), 0) << size;
  }
}

/// A step of ten, with its energy unless that is 0.
std::string energy_step(int number, double joules) {
  const std::string energy =
      joules > 0 ? " | energy per GPU (J/iter/GPU): " + std::to_string(joules) : "";
  return " iteration " + std::to_string(number) +
         "/ 1000 | elapsed time per iteration (ms): 1000.0" + energy +
         " | global batch size: 4 | lm loss: 2.0 |\n";
}

TEST(TrainerLog, TellsOfWhichStepsTheEnergyOfAResumedRunIs) {
  std::string resumed = kHead;
  for (int i = 510; i <= 1000; i += 10) resumed += energy_step(i, 300);
  const ReadLog log = read_log(resumed);
  EXPECT_EQ(log.fact("steps"), "1000");
  EXPECT_EQ(log.fact("energy_steps"), "500");
  EXPECT_EQ(log.fact("energy_j"), "2400000");  // 16 GPUs, 500 steps of 300 J.
  std::string whole = kHead;
  for (int i = 10; i <= 100; i += 10) whole += energy_step(i, 300);
  EXPECT_EQ(read_log(whole).fact("energy_steps"), "(none)");
}

TEST(TrainerLog, CountsStepsThatLackTheEnergyThatOthersHave) {
  std::string text = kHead;
  for (int i = 10; i <= 100; i += 10) text += energy_step(i, i > 50 ? 300 : 0);
  const ReadLog log = read_log(text);
  EXPECT_EQ(log.fact("energy_j"), "(none)");
  EXPECT_EQ(log.count(TraceOddity::kBadCell), 5);
  EXPECT_EQ(read_log(kHead + energy_step(10, 0)).count(TraceOddity::kBadCell), 0);
}

/// Lines of a Hugging Face Trainer, one for a tenth of an epoch.
std::string hub_losses(int from, int to, double first, const std::string& prefix = "") {
  std::string text;
  for (int i = from; i <= to; ++i) {
    text += prefix + "{'loss': " + std::to_string(first - 0.1 * i) +
            ", 'learning_rate': 1e-05, 'epoch': " + std::to_string(0.1 * i) + "}\n";
  }
  return text;
}

TEST(TrainerLog, LossesOfATrainerThatIsStartedAgainReplaceThoseBefore) {
  const std::string start = "***** Running training *****\n  Num Epochs = 1\n";
  const ReadLog anew =
      read_log(start + hub_losses(1, 10, 3) + start + hub_losses(1, 10, 4), "a.log", {"loss=mean"});
  ASSERT_EQ(anew.records.size(), 1U);
  EXPECT_NEAR(std::stod(anew.fact("loss")), 3.45, 1e-9);
  EXPECT_EQ(anew.count(TraceOddity::kRepeatedLine), 10);
  const ReadLog behind =
      read_log(start + hub_losses(1, 8, 3) + start + hub_losses(6, 10, 4), "a.log", {"loss=max"});
  EXPECT_EQ(behind.fact("loss"), "3.4");
  EXPECT_EQ(behind.count(TraceOddity::kRepeatedLine), 3);
  // Programs that are quiet do not say that they begin.
  EXPECT_EQ(read_log(hub_losses(1, 8, 3) + hub_losses(1, 8, 4)).count(TraceOddity::kRepeatedLine),
            8);
  // Two nodes log alike.
  const ReadLog nodes = read_log(hub_losses(1, 2, 3) + hub_losses(1, 2, 3) + hub_losses(3, 3, 3));
  EXPECT_EQ(nodes.fact("loss"), "2.7");
}

TEST(TrainerLog, ReadsDictionariesBehindAnyPrefix) {
  for (const char* prefix : {"2024-05-01 10:00:00 INFO ", "0: ", "[rank0]: ", ""}) {
    std::string text;
    for (int i = 1; i <= 9; ++i) {
      const std::string tenth = std::to_string(i);
      text += std::string(prefix) + "{\"loss\": 2." + tenth + ", \"epoch\": 0." + tenth + "}\n";
    }
    EXPECT_TRUE(kTransformersLog.recognises(text)) << prefix;
    const ReadLog log = read_log(text);
    EXPECT_EQ(log.fact("loss"), "2.9") << prefix;
    EXPECT_EQ(log.fact("epochs"), "0.9") << prefix;
  }
}

TEST(TrainerLog, NotesAnyCutOfTheLastDictionary) {
  const std::string before = hub_losses(1, 3, 3);
  const std::string last = hub_losses(4, 4, 3);
  for (std::size_t size = 3; size < last.size() - 2; ++size) {
    const ReadLog log = read_log(before + last.substr(0, size));
    EXPECT_EQ(log.count(TraceOddity::kCutLine), 1) << size;
    EXPECT_EQ(log.fact("loss"), "2.7") << size;
  }
}

TEST(TrainerLog, ReadsTheMetricsThatTrainerPrintsAtItsEnd) {
  const std::string summary =
      "***** train metrics *****\n"
      "  epoch                    =        1.0\n"
      "  total_flos               =   931322GF\n"
      "  train_loss               =       2.45\n"
      "  train_runtime            = 0:03:20.00\n"
      "  train_samples            =       3200\n"
      "  train_samples_per_second =       16.0\n"
      "***** eval metrics *****\n"
      "  eval_runtime = 0:00:03.00\n"
      "  epoch = 9.0\n";
  EXPECT_TRUE(kTransformersLog.recognises(summary));
  const ReadLog log = read_log(summary);
  EXPECT_EQ(log.fact("duration_s"), "200");
  EXPECT_EQ(log.fact("epochs"), "1");
  EXPECT_EQ(log.fact("train_loss"), "2.45");
  EXPECT_EQ(log.fact("samples_per_second"), "16");
  EXPECT_EQ(std::stod(log.fact("total_flops")), 9.31322e14);
  EXPECT_EQ(log.fact("status"), "finished");
  const ReadLog both = read_log("{'train_runtime': 200.0123, 'epoch': 1.0}\n" + summary);
  ASSERT_EQ(both.records.size(), 1U);
  EXPECT_EQ(both.fact("duration_s"), "200.0123");
}

TEST(TrainerLog, UnwrapsTheLinesOfDocker) {
  std::string text;
  for (const std::string& line : {std::string("using world size: 8, data-parallel size: 4, "
                                              "pipeline-model-parallel size: 2"),
                                  std::string("  seq_length ........................ 2048"),
                                  std::string("  micro_batch_size .................. 4")}) {
    text += R"({"log":")" + line + R"(\n","stream":"stdout","time":"2024-05-01T10:00:00Z"})" + "\n";
  }
  const ReadLog log =
      read_log(text +
               R"({"log": "\u001b[32m iteration 10/ 10 | consumed samples: 40 | elapsed time per )"
               R"(iteration (ms): 1000.0 | lm loss: 2.5 |\u001b[0m\n", "stream": "stdout"})" +
               "\n");
  EXPECT_EQ(log.fact("gpus"), "8");
  EXPECT_EQ(log.fact("pipeline_parallel"), "2");
  EXPECT_EQ(log.fact("sequence_length"), "2048");
  EXPECT_EQ(log.fact("micro_batch_size"), "4");
  EXPECT_EQ(log.fact("tokens"), "81920");
  EXPECT_EQ(log.fact("loss"), "2.5");
}

TEST(TrainerLog, ReadsTheArgumentsOfGptNeox) {
  // NeoXArgs.print() of EleutherAI/gpt-neox, megatron/neox_arguments/arguments.py.
  const ReadLog log = read_log(
      "-------------------- arguments --------------------\n"
      "  train_batch_size ................ 32......................updated\n"
      "  train_micro_batch_size_per_gpu .. 4...........................updated\n"
      "  seq_length ...................... 2048........................updated\n"
      "  global_num_gpus ................. 8...........................default\n"
      "  pipe_parallel_size .............. 2...........................updated\n"
      "  model_parallel_size ............. 2...........................updated\n"
      " samples/sec: 7.799 | iteration       34/   10000 | elapsed time per iteration (ms): 4103.1 "
      "| lm_loss: 1.118665E+01 |\n");
  EXPECT_EQ(log.fact("gpus"), "8");
  EXPECT_EQ(log.fact("pipeline_parallel"), "2");
  EXPECT_EQ(log.fact("tensor_parallel"), "2");
  EXPECT_EQ(log.fact("sequence_length"), "2048");
  EXPECT_EQ(log.fact("micro_batch_size"), "4");
  EXPECT_EQ(log.fact("global_batch_size"), "32");
}

TEST(TrainerLog, ReadsTheTensorParallelSizeBehindABlank) {
  const ReadLog log = read_log(
      "using world size: 8, data-parallel size: 4, context-parallel size: 1 "
      "tensor-model-parallel size: 2, encoder-tensor-model-parallel size: 0, "
      "pipeline-model-parallel size: 1\n" +
      step(1, 1000));
  EXPECT_EQ(log.fact("tensor_parallel"), "2");
  EXPECT_EQ(log.fact("context_parallel"), "1");
}

TEST(TrainerLog, ACopyOfWandbHasTheNameOfItsRun) {
  EXPECT_EQ(run_name_of("wandb/run-1-abc/files/output.log"), "run-1-abc");
  EXPECT_EQ(run_name_of("bert/output.log"), "bert");
}

TEST(TrainerLog, JoinsDictionariesThatATerminalWrapped) {
  const std::string whole =
      "{'loss': 2.25, 'grad_norm': 1.5, 'learning_rate': 1e-05, 'epoch': 0.75}";
  for (std::size_t cut = 3; cut < whole.size(); ++cut) {
    for (const std::string prefix : {"", "3: "}) {
      const std::string text = prefix + whole.substr(0, cut) + "\n" + prefix + whole.substr(cut) +
                               "\n{'loss': 2.0, 'epoch': 1.0}\n";
      const ReadLog log = read_log(text, "n4.out", {"loss=max"});
      const bool is_told = whole.find_first_of("'\"}", cut) != std::string::npos;
      EXPECT_EQ(log.fact("loss"), is_told ? "2.25" : "2") << text;
      EXPECT_EQ(log.notes.size(), is_told ? 0U : 1U) << text;
    }
  }
  const ReadLog three = read_log("{'loss': 2.25,\n 'learning_rate': 1e\n-05, 'epoch': 0.75}\n");
  EXPECT_EQ(three.fact("epochs"), "0.75");
}

TEST(TrainerLog, CountsDictionariesWhoseEndIsLost) {
  const ReadLog log = read_log(
      "{'loss': 2.5, 'epoch': 0.25}\n{'loss': 2.25, 'learn\nSaving model checkpoint\n"
      "{'loss': 2.125, 'epo\n{'loss': 2.0, 'epoch': 1.0}\n{'loss': 1.5, 'epo\n");
  EXPECT_EQ(log.fact("loss"), "2");
  EXPECT_EQ(log.count(TraceOddity::kForeignLine), 2);
  EXPECT_EQ(log.count(TraceOddity::kCutLine), 1);
}

TEST(TrainerLog, CountsAMeanLossThatIsNan) {
  const ReadLog log = read_log(
      "{'loss': 2.5, 'epoch': 0.5}\n{'train_runtime': 9.5, 'train_loss': nan, 'epoch': 1.0}\n");
  EXPECT_EQ(log.fact("train_loss"), "");
  EXPECT_EQ(log.count(TraceOddity::kLostLoss), 1);
}

// Words and formats of torchtitan/components/metrics.py, train.py and distributed/parallel_dims.py.
const std::string kTitanHead =
    "[titan] 2025-05-15 14:22:02,500 - root - INFO - Building 2-D device mesh with ['dp_shard', "
    "'tp'], [4, 2]\n"
    "[titan] 2025-05-15 14:22:06,000 - root - INFO - \x1b[34mModel llama3 8B \x1b[31msize: "
    "8,030,261,248 total parameters\x1b[39m\n"
    "[titan] 2025-05-15 14:22:09,000 - root - INFO - Trainer is initialized with local batch size "
    "1, global batch size 4, gradient accumulation steps 1, sequence length 8192, total steps 30 "
    "(warmup 200)\n"
    "[titan] 2025-05-15 14:22:10,000 - root - INFO - Training starts at step 1\n";
const std::string kTitanSteps =
    "[titan] 2025-05-15 14:22:16,012 - root - INFO - \x1b[31mstep:  1  \x1b[32mloss: 12.2385  "
    "\x1b[38;2;180;60;0mgrad_norm:  4.0931  \x1b[36mmemory: 42.15GiB(44.37%)  \x1b[34mtps: 1,000  "
    "\x1b[36mtflops: 39.33  \x1b[35mmfu: 3.98%\x1b[39m\n"
    "[titan] 2025-05-15 14:22:24,000 - root - INFO - step: 10  loss:  9.8712  grad_norm:  2.6431  "
    "memory: 47.52GiB(50.02%)  tps: 4,096  tflops: 1,348.50  mfu: 35.25%\n"
    "[titan] 2025-05-15 14:22:32,000 - root - INFO - step: 20  loss:  8.5  grad_norm:  2.6431  "
    "memory: 47.52GiB(50.02%)  tps: 4,096  tflops: 348.70  mfu: 35.26%\n"
    "[titan] 2025-05-15 14:22:40,000 - root - INFO - validate step: 20  loss:  8.6000  memory: "
    "47.52GiB(50.02%)  tps: 9,020\n"
    "[titan] 2025-05-15 14:22:48,000 - root - INFO - step: 30  loss:  7.8712  grad_norm:  2.6431  "
    "memory: 47.52GiB(50.02%)  tps: 4,096  tflops: 348.50  mfu: N/A\n";

TEST(TrainerLog, ReadsTorchTitan) {
  const ReadLog log =
      read_log(kTitanHead + kTitanSteps +
               "[titan] 2025-05-15 14:22:50,250 - root - INFO - Training completed\n");
  EXPECT_TRUE(kTorchTitan.recognises(kTitanHead + kTitanSteps));
  ASSERT_EQ(log.records.size(), 1U);
  EXPECT_EQ(log.fact("framework"), "TorchTitan");
  EXPECT_EQ(log.fact("gpus"), "8");
  EXPECT_EQ(log.fact("tensor_parallel"), "2");
  EXPECT_EQ(log.fact("data_parallel"), "4");
  EXPECT_EQ(log.fact("micro_batch_size"), "1");
  EXPECT_EQ(log.fact("global_batch_size"), "4");
  EXPECT_EQ(log.fact("sequence_length"), "8192");
  EXPECT_EQ(log.fact("parameters"), "8030261248");
  EXPECT_EQ(log.fact("steps"), "30");
  EXPECT_EQ(log.fact("tokens"), "983040") << "30 steps of 4 sequences of 8192 tokens";
  EXPECT_EQ(log.fact("duration_s"), "40.25");
  EXPECT_EQ(log.fact("seconds_per_step"), "1") << "32768 tokens, 8 GPUs with 4096 per second each";
  EXPECT_EQ(log.fact("tokens_per_second"), "32768");
  EXPECT_EQ(log.fact("tokens_per_second_per_gpu"), "4096");
  EXPECT_EQ(log.fact("tflops_per_gpu"), "348.7");
  EXPECT_EQ(log.fact("loss"), "7.8712");
  EXPECT_EQ(log.fact("validation_loss"), "8.6");
  EXPECT_EQ(log.fact("status"), "finished");
  EXPECT_EQ(log.count(TraceOddity::kOtherStep), 1);
}

TEST(TrainerLog, ReadsOtherVersionsOfTorchTitan) {
  const ReadLog log = read_log(
      "Building device mesh with parallelism: pp=2, dp_replicate=1, dp_shard=4, cp=1, tp=2, ep=4, "
      "etp=1\n"
      "Training starts at step 11, with local batch size 2, global batch size 8, sequence length "
      "2048, total steps 1000 (warmup 200)\n"
      "step: 11  loss: 10.8424  memory:  0.72GiB(1.5%)  wps: 1,115  mfu: 0.02%\n"
      "step: 20  loss: 9.5  memory:  0.72GiB(1.5%)  wps: 1,024  mfu: 0.02%\n");
  EXPECT_EQ(log.fact("gpus"), "16");
  EXPECT_EQ(log.fact("pipeline_parallel"), "2");
  EXPECT_EQ(log.fact("expert_parallel"), "4");
  EXPECT_EQ(log.fact("tokens"), "327680");
  EXPECT_EQ(log.fact("status"), "");
  const ReadLog bare =
      read_log("step: 11  loss: 9.5  memory: 0.72GiB(1.5%)  tps: 1,115  mfu: 2%\n");
  EXPECT_EQ(bare.fact("tokens_per_second_per_gpu"), "1115");
  EXPECT_EQ(bare.fact("seconds_per_step"), "");
  EXPECT_THAT(kTorchTitan.missing(kTitanHead), HasSubstr("log_freq"));
}

// _build_mesh_with_ep of torchtitan/distributed/parallel_dims.py: dp_shard is divided into
// dp_shard_mod_ep, which is always there, and dp_shard_in_ep = ep / cp; without tp, etp is tp.
TEST(TrainerLog, CountsGpusOfTorchTitanWithExperts) {
  const auto with_mesh = [](const std::string& mesh) {
    return read_log("Building 2-D device mesh with " + mesh + "\n" +
                    kTitanHead.substr(kTitanHead.find('\n') + 1) + kTitanSteps);
  };
  const ReadLog plain = with_mesh("['dp_shard_mod_ep', 'dp_shard_in_ep'], [2, 4]");
  EXPECT_EQ(plain.fact("gpus"), "8");
  EXPECT_EQ(plain.fact("data_parallel"), "8");
  EXPECT_EQ(plain.fact("expert_parallel"), "4");
  EXPECT_EQ(plain.fact("seconds_per_step"), "1") << "32768 tokens, 8 GPUs with 4096 per second";
  const ReadLog context = with_mesh(
      "['pp', 'dp_replicate', 'dp_shard_mod_ep', 'dp_shard_in_ep', 'cp'], [2, 3, 1, 4, 2]");
  EXPECT_EQ(context.fact("gpus"), "48");
  EXPECT_EQ(context.fact("data_parallel"), "12");
  EXPECT_EQ(context.fact("expert_parallel"), "8");
  const ReadLog tensor = with_mesh("['dp_shard_mod_ep', 'dp_shard_in_ep', 'tp'], [1, 4, 2]");
  EXPECT_EQ(tensor.fact("gpus"), "8");
  EXPECT_EQ(tensor.fact("tensor_parallel"), "2");
  EXPECT_EQ(tensor.fact("expert_parallel"), "(none)") << "4 or 8";
}

// train_step of torchtitan/train.py: torch.tensor([-1.0]) without the last stage of the pipeline.
TEST(TrainerLog, TakesTheLossOfTheLastStageOfTorchTitan) {
  const std::string rest = "  memory:  0.72GiB(1.5%)  tps: 1,024  mfu: 0.02%\n";
  const auto both = [&](int number, const std::string& loss) {
    const std::string step = "step: " + std::to_string(number) + "  loss: ";
    return "[rank0] " + step + "-1.0000" + rest + "[rank7] " + step + loss + rest;
  };
  const ReadLog log = read_log(
      "Building device mesh with parallelism: pp=2, dp_replicate=1, dp_shard=4, cp=1, tp=1, "
      "ep=1\n" +
      both(10, "7.8712") + both(20, "6.5"));
  EXPECT_EQ(log.fact("gpus"), "8");
  EXPECT_EQ(log.fact("loss"), "6.5");
  EXPECT_EQ(log.fact("steps"), "20");
}

TEST(TrainerLog, ARunThatEndsInAnErrorHasFailed) {
  const std::string traceback =
      "Traceback (most recent call last):\n  File \"pretrain_gpt.py\", line 1, in <module>\n"
      "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";
  const TemporaryFolder folder;
  write_bytes(folder.path() / "ok.log", kHead + steps(1, 2, 240));
  write_bytes(folder.path() / "bad.log", kHead + steps(1, 2, 240) + traceback);
  const std::string input[] = {folder.path().string()};
  EXPECT_THAT(ingest(input, {}).warnings,
              testing::ElementsAre(HasSubstr("1 training ended in an error before its last step: "
                                             "bad. The status of its row is failed")));
  EXPECT_EQ(read_log(kHead + steps(1, 2, 240) + traceback).fact("status"), "failed");
  for (const char* last :
       {"[rank0]: Traceback (most recent call last):\n", "RuntimeError: CUDA out of memory.",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0.\n"}) {
    EXPECT_EQ(read_log(kHead + steps(1, 2, 240) + last).fact("status"), "failed") << last;
  }
  EXPECT_EQ(read_log("{'loss': 2.5, 'epoch': 0.5}\n" + traceback).fact("status"), "failed");
  EXPECT_EQ(read_log(kTitanHead + kTitanSteps.substr(0, kTitanSteps.find("step: 30") - 50) + "\n" +
                     traceback)
                .fact("status"),
            "failed");
}

TEST(TrainerLog, ARunThatGoesOnOrIsDoneHasNotFailed) {
  const std::string traceback = "Traceback (most recent call last):\nValueError: bad\n";
  const auto status_of = [&](const std::string& text) { return read_log(text).fact("status"); };
  EXPECT_EQ(status_of(kHead + steps(1, 2, 240)), "") << "still running";
  EXPECT_EQ(status_of(kHead + steps(1, 2, 240) + traceback + steps(3, 4, 240)), "");
  EXPECT_EQ(status_of(kHead + steps(1, 2, 240) + traceback + kHead + steps(3, 4, 240)), "");
  EXPECT_EQ(status_of(kHead + steps(999, 1000, 240) + traceback), "finished");
  EXPECT_EQ(
      status_of(kHead + steps(1, 2, 240) + "Exception ignored in: <function f>\n" + traceback), "");
  EXPECT_EQ(status_of(traceback + kHead + steps(1, 2, 240)), "");
  const ReadLog two = read_log(kHead + steps(1, 2, 240) + traceback +
                               "using world size: 8, data-parallel-size: 8\n" + steps(1, 2, 480));
  ASSERT_EQ(two.records.size(), 2U);
  EXPECT_EQ(two.fact("status"), "failed");
  EXPECT_EQ(two.fact("status", 1), "");
}

TEST(TrainerLog, AnyCutOfTheLastLineOfTorchTitanIsCounted) {
  const std::string text = kTitanHead + kTitanSteps;
  const std::size_t last = text.rfind("step: 30");
  for (std::size_t size = last + 6; size < text.size() - 1; ++size) {
    const ReadLog log = read_log(text.substr(0, size));
    const bool is_whole = text.substr(0, size).ends_with("%") && size > text.rfind("mfu");
    EXPECT_EQ(log.count(TraceOddity::kCutLine), is_whole ? 0 : 1) << text.substr(last, size - last);
  }
}

/// A text whose lines a terminal of that width wrapped.
std::string wrapped(const std::string& text, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  for (const char c : text) {
    if (c == '\n') {
      column = 0;
    } else if (column++ == width) {
      out += '\n';
      column = 1;
    }
    out += c;
  }
  return out;
}

TEST(TrainerLog, ReadsLinesOfTorchTitanThatATerminalWrapped) {
  const std::string mesh =
      "[titan] 2025-07-15 14:22:02,500 - root - INFO - Building device mesh with parallelism: "
      "pp=1, dp_replicate=1, dp_shard=4, cp=1, tp=2, ep=1, etp=1\n";
  std::string plain = kTitanHead.substr(kTitanHead.find('\n') + 1) + kTitanSteps;
  for (std::size_t escape; (escape = plain.find('\x1b')) != std::string::npos;) {
    plain.erase(escape, plain.find('m', escape) - escape + 1);
  }
  for (const std::string& head : {kTitanHead.substr(0, kTitanHead.find('\n') + 1), mesh}) {
    const ReadLog whole = read_log(head + plain);
    ASSERT_EQ(whole.fact("seconds_per_step"), "1");
    for (std::size_t width = 24; width < 240; ++width) {
      const std::string text = wrapped(head + plain, width);
      EXPECT_TRUE(kTorchTitan.recognises(text)) << width;
      const ReadLog log = read_log(text);
      ASSERT_EQ(log.records.size(), 1U) << width;
      EXPECT_EQ(log.records[0].facts, whole.records[0].facts) << width;
      EXPECT_EQ(log.count(TraceOddity::kForeignLine), 0) << width;
    }
  }
}

TEST(TrainerLog, TakesNoStepOfTorchTitanAcrossALineOfAnotherProgram) {
  const std::string prefix = "[titan] 2025-07-15 14:22:16,012 - root - INFO - ";
  const std::string step =
      "step: 40  loss: 10.2  grad_norm:  2.6431  memory: 47.52GiB(50.02%)  tps: 4,096  tflops: "
      "348.60  mfu: 35.25%";
  for (std::size_t cut = 7; cut + 1 < step.size(); ++cut) {
    for (const char* foreign : {"warning: foo", " warn: x", "5 files written", "W0101: 7"}) {
      const ReadLog log = read_log(kTitanHead + kTitanSteps + prefix + step.substr(0, cut) + "\n" +
                                   foreign + "\n" + step.substr(cut) + "\n");
      EXPECT_EQ(log.fact("loss"), "7.8712") << cut << foreign;
      EXPECT_EQ(log.fact("seconds_per_step"), "1") << cut << foreign;
      EXPECT_EQ(log.count(TraceOddity::kForeignLine), 1) << cut << foreign;
    }
    const std::string rank = "[rank0]:" + prefix;
    const ReadLog whole = read_log(kTitanHead + kTitanSteps + rank + step.substr(0, cut) +
                                   "\n[rank0]:" + step.substr(cut) + "\n");
    EXPECT_EQ(whole.fact("loss"), "10.2") << cut;
    EXPECT_EQ(whole.count(TraceOddity::kForeignLine), 0) << cut;
  }
}

TEST(TrainerLog, TakesNoFieldOfMegatronAcrossALineOfAnotherProgram) {
  const std::string head =
      " iteration 10/ 100 | elapsed time per iteration (ms): 1000.0 | lm loss: 5.0E+00 |\n"
      " iteration 20/ 100 | elapsed time per iteration (ms): 10";
  const ReadLog time = read_log(head + "\n warning: foo\n10.0 | lm loss: 4.0E+00 |\n");
  EXPECT_EQ(time.fact("seconds_per_step"), "1");
  EXPECT_EQ(time.count(TraceOddity::kBadCell), 1);
  const ReadLog loss = read_log(head + "10.0 | lm loss: 4\n warning: foo\n.9E+00 |\n");
  EXPECT_EQ(loss.fact("loss"), "5");
  EXPECT_EQ(loss.count(TraceOddity::kBadCell), 1);
  const ReadLog whole = read_log(head + "10.0 | lm loss: 4\n.9E+00 |\n");
  EXPECT_EQ(whole.fact("loss"), "4.9");
  EXPECT_EQ(whole.count(TraceOddity::kBadCell), 0);
}

TEST(TrainerLog, TakesNoDigitOfANumberForAPrefix) {
  EXPECT_EQ(read_log("0{'loss': 2.1, 'epoch': 0.05}\n0{'loss': 1\n2.5, 'epoch': 0.1}\n", "n4.out",
                     {"loss=max"})
                .fact("loss"),
            "12.5");
}

TEST(TrainerLog, CountsTornLinesOfTorchTitan) {
  const std::string prefix = "[rank0]:[titan] 2025-07-15 14:22:16,012 - root - INFO - ";
  const std::string end = "  tflops: 348.60  mfu: 35.25%\n";
  const std::string middle = "  grad_norm:  2.6431  memory: 47.52GiB(50.02%)";
  const ReadLog log = read_log(
      kTitanHead + prefix + "step: 5  loss:  7.5" + middle + "  tps: 4,096" + end +
      "wandb: step: 11  loss: 3 memory: foo tps: 5\n" + prefix + "step: 10  loss:  6.5" + middle +
      "  tps: 2,04\n" + prefix + "step: 15  loss:  \n" + prefix + "step: 20  loss:  5.5" + middle +
      "\ntps: 4,096" + end + "Traceback (most recent call last):\n");
  EXPECT_EQ(log.count(TraceOddity::kForeignLine), 2);
  EXPECT_EQ(log.fact("steps"), "20");
  EXPECT_EQ(log.fact("seconds_per_step"), "1");
  EXPECT_EQ(log.fact("loss"), "5.5");
  EXPECT_EQ(log.fact("status"), "failed");
}

TEST(TrainerLog, LosesNoStepBehindALineOfTorchTitan) {
  const ReadLog log =
      read_log(kHead + "2025-07-15 14:22:16,012 - root - INFO - loading\n" + steps(1, 3, 240) +
               "2025-07-15 14:22:17,012 - root - INFO - saving\n" +
               "2025-07-15 14:22:17,012 - root - INFO - {'loss': 2.5,\n'epoch': 0.5}\n");
  EXPECT_EQ(log.fact("steps"), "3");
  EXPECT_EQ(log.count(TraceOddity::kForeignLine), 0);
}

TEST(TrainerLog, ReadsTorchTitanWithoutTheShareOfThePeak) {
  const ReadLog log =
      read_log(kTitanHead + "step: 10  loss: 7.5  memory: 47.52GiB(50.02%)  tps: 4,096\n" +
               "step: 20  loss: 6.5  memory: 47.52GiB(50.02%)  tps: 4,096\n");
  EXPECT_EQ(log.fact("steps"), "20");
  EXPECT_EQ(log.count(TraceOddity::kForeignLine), 0);
}

TEST(TrainerLog, RecognisesDictionariesAtAnyWidth) {
  std::string text;
  for (int i = 1; i <= 10; ++i) {
    text += "{'loss': 2.4" + std::to_string(i) +
            ", 'grad_norm': 1.5, 'learning_rate': 1e-05, 'num_tokens': 1000, "
            "'mean_token_accuracy': 0.5, 'epoch': " +
            std::to_string(i) + ".0}\n";
  }
  for (std::size_t width = 20; width < 130; ++width) {
    const std::string narrow = wrapped(text, width);
    EXPECT_TRUE(kTransformersLog.recognises(narrow)) << width;
    EXPECT_EQ(read_log(narrow).fact("epochs"), "10") << width;
    EXPECT_EQ(read_log(narrow).fact("loss"), "2.41") << width << ": 2.410";
  }
}

TEST(TrainerLog, JoinsDictionariesAcrossTimeStampsAndBars) {
  const ReadLog stamped = read_log(
      "2024-05-01 10:00:10 {'loss': 2.25, 'grad_norm': 1.5, 'learning_rate': 1e-05, 'ep\n"
      "2024-05-01 10:00:11 och': 0.5}\n");
  EXPECT_EQ(stamped.fact("loss"), "2.25");
  const ReadLog bar = read_log(
      "{'loss': 2.1, 'learning_rate': 1e-05, \n 30%|### | 3/10 [00:01<00:09,  1.00s/it]\n"
      "'epoch': 0.75}\n");
  EXPECT_EQ(bar.fact("loss"), "2.1");
  EXPECT_EQ(bar.count(TraceOddity::kForeignLine), 0);
}

TEST(TrainerLog, SetsTheFirstOfTwoStepsApartIfItIsSlower) {
  const auto of = [](const std::string& first, const std::string& second) {
    const auto line = [](int number, const std::string& ms) {
      return " iteration " + std::to_string(number) +
             "/ 300 | elapsed time per iteration (ms): " + ms + " | lm loss: 4.1 |\n";
    };
    return read_log(line(10, first) + line(20, second));
  };
  EXPECT_EQ(of("2400.1", "240.1").fact("seconds_per_step"), "0.2401");
  EXPECT_EQ(of("2400.1", "240.1").count(TraceOddity::kOtherStep), 1);
  EXPECT_EQ(of("250", "750").fact("seconds_per_step"), "0.5") << "nothing tells which is usual";
  EXPECT_EQ(of("250", "240").fact("seconds_per_step"), "0.245");
}

// --- Steps that are parsed ahead ---

TEST(WholeStep, IsThatOfALineWhichSaysAll) {
  const auto whole = whole_step(
      "[default0]: iteration        7/      90 | consumed samples:  28 | elapsed time per "
      "iteration "
      "(ms): 1354.9 | mystery: 3 | lm loss: nan |  ");
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->step.number, 7);
  EXPECT_EQ(whole->last_step, 90);
  EXPECT_EQ(whole->step.consumed_samples, 28);
  EXPECT_EQ(whole->step.seconds, 1.3549);
  EXPECT_EQ(whole->step.loss, std::numeric_limits<double>::infinity());
}

TEST(WholeStep, LeavesOtherLinesToTheirOrder) {
  for (const char* line : {
           "",
           "|",
           "iteration 7/ 90 |",
           "iteration 7/ 90 | lm loss: 3 |",
           "iteration 7/ 90 | elapsed time per iteration (ms): 1354.9",
           "iteration 7/ 90 | elapsed time per iteration (ms): 1354.9 | lm loss: 3",
           "iteration 7/ 90 | elapsed time per iteration (ms): 1354.9 | lm loss: three |",
           "iteration 7/ 90 | elapsed time per iteration (ms): 1354.9 | iteration 8/ 90 | lm loss: "
           "3 |",
           "iteration 7/ 90 | elapsed time per iteration (ms): 1\x1b[0m354.9 | lm loss: 3 |",
           "40 %\riteration 7/ 90 | elapsed time per iteration (ms): 1354.9 | lm loss: 3 |",
           "samples/sec: 7.8 | iteration 7/ 90 | elapsed time per iteration (ms): 1354.9 |",
           "Training epoch 0, iteration 7/99 | elapsed time per iteration (ms): 1354.9 |",
           "time (ms) | iteration 7/ 90 | elapsed time per iteration (ms): 1354.9 |",
           R"({"log":" iteration 7/ 90 | elapsed time per iteration (ms): 1354.9 |\n"})",
       }) {
    EXPECT_FALSE(whole_step(line).has_value()) << line;
  }
}

/// A line of random parts of lines.
std::string random_line(RandomStream& random) {
  static const std::vector<std::string> kParts = {
      " iteration 5/ 90 |",
      " iteration 6/ 90 |",
      " iteration 7/ 90 | elapsed time per iteration (ms): 1354.9 | lm loss: 3.5 |",
      " iteration 8/ 90 | elapsed time per iteration (ms): 1354.9 | lm loss: 3.5 |",
      " iteration 8/ 90 | elapsed time per iteration (ms): 1354.9 | lm loss: 3.5 | global batch",
      " size: 64 |",
      " consumed samples: 20 |",
      " elapsed time per iteration (ms): 135",
      "4.9 |",
      " lm loss: nan |",
      " lm loss: three |",
      " lm loss: 2.5",
      " global batch size:",
      " 4 |",
      "time (ms)",
      "3:",
      "[default7]:",
      "\x1b[32m",
      "\r",
      " ",
      "samples/sec: 7.8 |",
      "Training epoch 0, iteration 7/99 |",
      "iteration 9/ 90 | lm loss: 3.5 |",
      " elapsed time per iteration (ms): 1400 | lm loss: 3.5 |",
      "{\"log\":\" iteration 9/ 90 |",
      "\\n\",\"stream\":\"stdout\"}",
      " train_step_timing in s: 12.64 |",
      "{'loss': 2.3475, 'learning_rate': 1e-05,",
      " 'epoch': 0.01}",
      "using world size: 16, data-parallel-size: 1",
      "step: 10  loss:  7.8712  memory: 47.52GiB(50.02%)",
      "  tps: 6,018  mfu: 35.25%",
      " validation loss at iteration 1000 | lm loss value: 2.7E+00 | ",
  };
  std::string line;
  for (std::uint64_t parts = 1 + random() % 5; parts > 0; --parts) {
    line += kParts[random() % kParts.size()];
  }
  return line;
}

/// What a log says of its runs, and what was noted and where.
std::string said_by(const std::vector<std::string>& lines, bool is_cut, bool parsed_ahead) {
  struct Noted final : TraceNotes {
    void note(TraceOddity oddity, std::uint64_t line, std::string_view what) override {
      text += std::to_string(static_cast<int>(oddity)) + "@" + std::to_string(line) + ":" +
              std::string(what) + "\n";
    }
    std::string text;
  } notes;
  TrainerLog log(notes);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool cut = is_cut && i + 1 == lines.size();
    if (parsed_ahead) {
      const auto whole = whole_step(lines[i]);
      log.take(lines[i], whole ? &*whole : nullptr, i + 1, cut);
    } else {
      log.take(lines[i], i + 1, cut);
    }
  }
  for (const TrainerRun& run : log.finish()) {
    for (const auto& [name, text] : record_of(run, "run", MetricChoices({}), notes).facts) {
      notes.text += name + "=" + text + "\n";
    }
    const StepTable steps = steps_record_of(run, "run", notes).steps;
    for (const double cell : steps.cells) notes.text += std::to_string(cell) + " ";
  }
  return notes.text;
}

TEST(WholeStep, ChangesNothingWhereTheLineBeforeMayGoOn) {
  const std::vector<std::string> torn = {
      "iteration 4/ 90 | elapsed time per iteration (ms): 1354.9 | lm loss: 3.6 |",
      "iteration 5/ 90 | lm loss: 3.5 |",
      "iteration 5/ 90 | lm loss: 3.5 | elapsed time per iteration (ms): 1354.9 |"};
  EXPECT_EQ(said_by(torn, false, true), said_by(torn, false, false));
  const std::vector<std::string> docker = {
      "iteration 4/ 90 | elapsed time per iteration (ms): 1354.9 | lm loss: 3.6 |",
      R"({"log":"x"} iteration 5/ 90 | elapsed time per iteration (ms): 1354.9 | lm loss: 3.6 |)"};
  EXPECT_EQ(said_by(docker, false, true), said_by(docker, false, false));
}

TEST(WholeStep, ChangesNothingOfWhatALogSays) {
  RandomStream random(20261123);
  int whole = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<std::string> lines;
    for (std::uint64_t count = 1 + random() % 8; count > 0; --count) {
      lines.push_back(random_line(random));
      whole += whole_step(lines.back()) ? 1 : 0;
    }
    const bool is_cut = random() % 3 == 0;
    ASSERT_EQ(said_by(lines, is_cut, true), said_by(lines, is_cut, false))
        << testing::PrintToString(lines);
  }
  EXPECT_GT(whole, 500);
}

TEST(TrainerLog, ReadsALongLogOnAnyNumberOfThreads) {
  std::string text = kHead;
  for (int i = 1; i <= 6000; ++i) {
    text += step(i, 1350 + i % 7, std::to_string(9.0 - i * 1e-3), 6000);
    if (i % 500 == 0) text += "\x1b[32mtime (ms) | forward: 3\n";
    if (i % 700 == 0) text += "3: iteration " + std::to_string(i) + "/ 6000 | consumed";
  }
  text += " iteration 6000/ 60";
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "long.log";
  write_bytes(path, text);
  std::vector<ReadLog> read;
  for (const int threads : {1, 2, 3, 8}) {
    CountedNotes notes;
    read.push_back(
        {kMegatron.read_records(path.string(), {.threads = threads}, notes), notes.counts});
    EXPECT_EQ(read.back().records.at(0).facts, read.front().records.at(0).facts);
    EXPECT_EQ(read.back().notes, read.front().notes);
  }
  EXPECT_EQ(read.front().fact("steps"), "6000");
  EXPECT_EQ(read.front().fact("loss"), "3");
}

}  // namespace
}  // namespace scalelaw::test
