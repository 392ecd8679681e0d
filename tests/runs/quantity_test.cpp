// What names of columns say of their numbers.

#include "scalelaw/runs/quantity.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

struct Meant {
  std::string_view name;
  Kind kind;
  std::string_view unit;
  WorkUnit of;
  Owner whose;
  Better better;
};

constexpr auto kUnknown = WorkUnit::kUnknown;
constexpr auto kStep = WorkUnit::kStep;
constexpr auto kEpoch = WorkUnit::kEpoch;
constexpr auto kRun = WorkUnit::kRun;
constexpr auto kSample = WorkUnit::kSample;
constexpr auto kToken = WorkUnit::kToken;
constexpr auto kNobody = Owner::kUnknown;
constexpr auto kGpu = Owner::kGpu;
constexpr auto kAll = Owner::kAll;
constexpr auto kLess = Better::kLess;
constexpr auto kMore = Better::kMore;

/// Over a column 'gpus', without a table.
const std::vector<Meant> kNames = {
    // Times.
    {"seconds", Kind::kTime, "s", kUnknown, kNobody, kLess},
    {"Training time (days)", Kind::kTime, "d", kRun, kNobody, kLess},
    {"train_days", Kind::kTime, "d", kRun, kNobody, kLess},
    {"time_hr", Kind::kTime, "h", kUnknown, kNobody, kLess},
    {"time per 1000 steps (s)", Kind::kTime, "s", kStep, kNobody, kLess},
    {"step_time_ms", Kind::kTime, "ms", kStep, kNobody, kLess},
    {"time_per_step_seconds", Kind::kTime, "s", kStep, kNobody, kLess},
    {"s/it", Kind::kTime, "s", kStep, kNobody, kLess},
    {"ms/iter", Kind::kTime, "ms", kStep, kNobody, kLess},
    {"epoch time (min)", Kind::kTime, "min", kEpoch, kNobody, kLess},
    {"min per epoch", Kind::kTime, "min", kEpoch, kNobody, kLess},
    {"hrs/epoch", Kind::kTime, "h", kEpoch, kNobody, kLess},
    {"sec/epoch", Kind::kTime, "s", kEpoch, kNobody, kLess},
    {"time_per_epoch", Kind::kTime, "", kEpoch, kNobody, kLess},
    {"train_runtime", Kind::kTime, "", kRun, kNobody, kLess},
    {"wall time", Kind::kTime, "", kRun, kNobody, kLess},
    {"total train time (h)", Kind::kTime, "h", kRun, kNobody, kLess},
    {"Elapsed", Kind::kTime, "", kRun, kNobody, kLess},
    {"Loop time", Kind::kTime, "", kUnknown, kNobody, kLess},
    {"ClockTime", Kind::kTime, "", kUnknown, kNobody, kLess},
    {"ExecutionTime", Kind::kTime, "", kUnknown, kNobody, kLess},
    {"Time to Train (minutes)", Kind::kTime, "min", kRun, kNobody, kLess},
    {"Time to 75% accuracy", Kind::kTime, "", kUnknown, kNobody, kLess},
    {"mean_ttft_ms", Kind::kTime, "ms", kUnknown, kNobody, kLess},
    {"median", Kind::kTime, "", kUnknown, kNobody, kLess},
    {"hour/ns", Kind::kTime, "", kUnknown, kNobody, kLess},
    {"days/ns", Kind::kTime, "", kUnknown, kNobody, kLess},
    // Rates of all.
    {"tok/s", Kind::kRate, "tokens/s", kToken, kAll, kMore},
    {"tokens_per_second", Kind::kRate, "tokens/s", kToken, kAll, kMore},
    {"tokens_per_minute", Kind::kRate, "tokens/min", kToken, kAll, kMore},
    {"Throughput (tokens/s)", Kind::kRate, "tokens/s", kToken, kAll, kMore},
    {"Throughput (T/s)", Kind::kRate, "tokens/s", kToken, kAll, kMore},
    {"Throughput (S/s)", Kind::kRate, "samples/s", kSample, kAll, kMore},
    {"total_token_throughput", Kind::kRate, "", kToken, kAll, kMore},
    {"request_throughput", Kind::kRate, "", kUnknown, kAll, kMore},
    {"images/sec", Kind::kRate, "images/s", kSample, kAll, kMore},
    {"samples_per_second", Kind::kRate, "samples/s", kSample, kAll, kMore},
    {"train_samples_per_second", Kind::kRate, "samples/s", kSample, kAll, kMore},
    {"train_steps_per_second", Kind::kRate, "steps/s", kStep, kAll, kMore},
    {"it/s", Kind::kRate, "steps/s", kStep, kAll, kMore},
    {"timesteps/s", Kind::kRate, "timesteps/s", kStep, kAll, kMore},
    {"throughput/device/BPS", Kind::kRate, "steps/s", kStep, kAll, kMore},
    {"ns/day", Kind::kRate, "ns/day", kUnknown, kAll, kMore},
    {"wps", Kind::kRate, "words/s", kToken, kAll, kMore},
    {"ex/s", Kind::kRate, "examples/s", kSample, kAll, kMore},
    {"SYPD", Kind::kRate, "", kUnknown, kAll, kMore},
    {"gen_tok_s", Kind::kRate, "", kUnknown, kAll, kMore},
    {"kTok/s", Kind::kRate, "tokens/s", kToken, kAll, kMore},
    {"Mtok/s", Kind::kRate, "tokens/s", kToken, kAll, kMore},
    {"busbw", Kind::kRate, "", kUnknown, kAll, kMore},
    {"mTFLOPs", Kind::kRate, "", kUnknown, kAll, kMore},
    {"GFLOP/s", Kind::kRate, "", kUnknown, kAll, kMore},
    {"Gflops", Kind::kRate, "", kUnknown, kAll, kMore},
    {"bandwidth", Kind::kRate, "", kUnknown, kAll, kMore},
    {"fps", Kind::kRate, "frames/s", kSample, kAll, kMore},
    {"speedup", Kind::kRate, "", kUnknown, kAll, kMore},
    {"bandwidth (MiB/s)", Kind::kRate, "MiB/s", kUnknown, kAll, kMore},
    {"throughput_GiB/s", Kind::kRate, "GiB/s", kUnknown, kAll, kMore},
    {"membw (TB/s)", Kind::kRate, "TB/s", kUnknown, kAll, kMore},
    {"write_MB/s", Kind::kRate, "MB/s", kUnknown, kAll, kMore},
    // Rates of one.
    {"tokens/s/gpu", Kind::kRate, "tokens/s", kToken, kGpu, kMore},
    {"Tokens / sec / GPU", Kind::kRate, "tokens/s", kToken, kGpu, kMore},
    {"TPS/GPU", Kind::kRate, "tokens/s", kToken, kGpu, kMore},
    {"tokens_per_second_per_gpu", Kind::kRate, "tokens/s", kToken, kGpu, kMore},
    {"images/sec/GPU", Kind::kRate, "images/s", kSample, kGpu, kMore},
    {"throughput/device/tokens_per_sec", Kind::kRate, "tokens/s", kToken, kGpu, kMore},
    {"TFLOPS/GPU", Kind::kRate, "", kUnknown, kGpu, kMore},
    {"ns/day/GPU", Kind::kRate, "ns/day", kUnknown, kGpu, kMore},
    // Losses and shares.
    {"loss", Kind::kLoss, "", kUnknown, kNobody, kLess},
    {"val/loss", Kind::kLoss, "", kUnknown, kNobody, kLess},
    {"perplexity", Kind::kLoss, "", kUnknown, kNobody, kLess},
    {"word error rate", Kind::kLoss, "", kUnknown, kNobody, kLess},
    {"mmlu_acc", Kind::kShare, "", kUnknown, kNobody, kMore},
    {"accuracy", Kind::kShare, "", kUnknown, kNobody, kMore},
    {"mfu", Kind::kShare, "", kUnknown, kNobody, kMore},
    {"parallel efficiency", Kind::kShare, "", kUnknown, kNobody, kMore},
    {"bubble fraction", Kind::kShare, "", kUnknown, kNobody, kLess},
    {"communication share", Kind::kShare, "", kUnknown, kNobody, kLess},
    {"nll", Kind::kLoss, "", kUnknown, kNobody, kLess},
    {"bleu", Kind::kShare, "", kUnknown, kNobody, kMore},
    {"drop_rate", Kind::kShare, "", kUnknown, kNobody, kLess},
    {"hit_rate", Kind::kShare, "", kUnknown, kNobody, kMore},
    {"overhead_pct", Kind::kShare, "%", kUnknown, kNobody, kLess},
    {"slowdown_pct", Kind::kShare, "%", kUnknown, kNobody, kLess},
    {"pct_change", Kind::kOther, "", kUnknown, kNobody, Better::kUnknown},
    {"slowdown", Kind::kOther, "", kUnknown, kNobody, kLess},
    {"tokens_per_joule", Kind::kOther, "", kToken, kNobody, kMore},
    {"GFLOPS/W", Kind::kOther, "", kUnknown, kNobody, kMore},
    // Energies, powers, memories and prices.
    {"energy_j", Kind::kEnergy, "J", kUnknown, kNobody, kLess},
    {"energy_per_epoch_j", Kind::kEnergy, "J", kEpoch, kNobody, kLess},
    {"Energy per token (J)", Kind::kEnergy, "J", kToken, kNobody, kLess},
    {"energy (kWh)", Kind::kEnergy, "kWh", kUnknown, kNobody, kLess},
    {"J/token", Kind::kEnergy, "", kToken, kNobody, kLess},
    {"watt_hours", Kind::kEnergy, "Wh", kUnknown, kNobody, kLess},
    {"avg_power_w", Kind::kPower, "W", kUnknown, kNobody, kLess},
    {"peak memory (GB)", Kind::kMemory, "GB", kUnknown, kNobody, kLess},
    {"cost_usd", Kind::kPrice, "", kUnknown, kNobody, kLess},
    // Counts, which get neither better nor worse.
    {"gpus", Kind::kCount, "", kUnknown, kNobody, Better::kUnknown},
    {"params", Kind::kCount, "", kUnknown, kNobody, Better::kUnknown},
    {"param:threads", Kind::kCount, "", kUnknown, kNobody, Better::kUnknown},
    {"max_concurrency", Kind::kCount, "", kUnknown, kNobody, Better::kUnknown},
    {"ddp_world_size", Kind::kCount, "", kUnknown, kNobody, Better::kUnknown},
    {"trainer/num_devices", Kind::kCount, "", kUnknown, kNobody, Better::kUnknown},
    {"global_batch", Kind::kCount, "", kStep, kNobody, Better::kUnknown},
    {"compute_flops", Kind::kCount, "", kUnknown, kNobody, Better::kUnknown},
    {"time_steps", Kind::kCount, "", kStep, kNobody, Better::kUnknown},
    {"notes", Kind::kOther, "", kUnknown, kNobody, Better::kUnknown},
};

TEST(Quantity, ANameSaysKindUnitWorkOwnerAndDirection) {
  for (const Meant& meant : kNames) {
    const Quantity quantity = quantity_of(meant.name, "", "gpus");
    EXPECT_EQ(name_of(quantity.kind), name_of(meant.kind)) << meant.name;
    EXPECT_EQ(quantity.unit, meant.unit) << meant.name;
    EXPECT_EQ(name_of(quantity.of), name_of(meant.of)) << meant.name;
    EXPECT_EQ(name_of(quantity.whose), name_of(meant.whose)) << meant.name;
    EXPECT_EQ(name_of(quantity.better), name_of(meant.better)) << meant.name;
  }
}

TEST(Quantity, ARateOfOneGpuIsThatOfAFixedPartOfANode) {
  EXPECT_EQ(quantity_of("tokens/s/gpu", "", "nodes").whose, Owner::kGpu);
  EXPECT_EQ(quantity_of("tokens/s/rank", "", "gpus").whose, Owner::kGpu);
  // The table says how many nodes or cores there are, or a warning says that it does not.
  EXPECT_EQ(quantity_of("tokens/s/node", "", "gpus").whose, Owner::kUnknown);
  EXPECT_EQ(quantity_of("tokens_per_sec_per_core", "", "nodes").whose, Owner::kUnknown);
  EXPECT_EQ(quantity_of("tokens/s/user", "", "gpus").whose, Owner::kAll);
  EXPECT_EQ(quantity_of("tokens/s/user", "", "concurrency").whose, Owner::kGpu);
  EXPECT_EQ(quantity_of("tokens/s/node", "", "nodes").whose, Owner::kNode);
  EXPECT_EQ(quantity_of("tokens/s/device", "", "num chips").whose, Owner::kGpu);
}

TEST(Quantity, AMultipleOfTheWorkIsRead) {
  const std::pair<const char*, double> names[] = {{"tokens/s", 1},
                                                  {"kTok/s", 1e3},
                                                  {"Mtok/s", 1e6},
                                                  {"M tokens/s", 1e6},
                                                  {"throughput (k tokens/s)", 1e3},
                                                  {"tokens/s (millions)", 1e6},
                                                  {"B tokens/day", 1e9},
                                                  {"tokens/day (B)", 1e9},
                                                  {"1000 samples/s", 1e3},
                                                  {"batch 64 samples/s", 1},
                                                  {"sec/1M tokens", 1e6},
                                                  {"ms/100 iter", 100},
                                                  {"seconds per 1k samples", 1e3},
                                                  {"time per 1000 steps (s)", 1e3},
                                                  {"Training time for 300B tokens (days)", 3e11},
                                                  {"step_time_ms", 1},
                                                  {"t_step_ms", 1},
                                                  {"llama_7b_tokens_per_sec", 1},
                                                  {"70B tokens/s", 1},
                                                  {"GPT2 1.5B tokens/s", 1},
                                                  {"model_b tokens/s", 1},
                                                  {"ViT-B images/s", 1},
                                                  {"bits/s", 1},
                                                  {"batch 1000 samples/s", 1},
                                                  {"128k tokens/s", 1},
                                                  {"avg_step_time_over_100_steps_ms", 1},
                                                  {"step time (mean of 1000 steps)", 1},
                                                  {"time (M)", 1}};
  for (const auto& [name, multiple] : names)
    EXPECT_EQ(quantity_of(name).multiple, multiple) << name;
}

TEST(Quantity, AUnitOfTheCellsSaysWhatNoNameDoes) {
  const Quantity rate = quantity_of("c4", "img/s", "c1");
  EXPECT_EQ(rate.kind, Kind::kRate);
  EXPECT_EQ(rate.of, WorkUnit::kSample);
  EXPECT_EQ(rate.unit, "images/s");
  const Quantity time = quantity_of("c4", "ms", "c1");
  EXPECT_EQ(time.kind, Kind::kTime);
  EXPECT_EQ(time.seconds, 0.001);
}

TEST(Quantity, ProductsAreRatesOfTheirWork) {
  const Quantity rate = quantity_of("it/s * global_batch / gpus", "", "gpus");
  EXPECT_EQ(rate.kind, Kind::kRate);
  EXPECT_EQ(rate.of, WorkUnit::kSample);
  EXPECT_EQ(rate.whose, Owner::kGpu);
  EXPECT_EQ(rate.factors, std::vector<std::string>{"global_batch"});
  EXPECT_EQ(rate.divisors, std::vector<std::string>{"gpus"});
  const Quantity inverse = quantity_of("tokens / seconds", "", "gpus");
  EXPECT_EQ(inverse.kind, Kind::kRate);
  EXPECT_EQ(inverse.of, WorkUnit::kToken);
  EXPECT_TRUE(inverse.inverse);
}

TEST(Quantity, WhatTheUserSaysComesBeforeTheName) {
  const Quantity named = quantity_of("c2", "", "gpus");
  EXPECT_EQ(quantity_as_told(named, {.kind = Kind::kRate}, "c2").better, Better::kMore);
  EXPECT_EQ(quantity_as_told(named, {.kind = Kind::kTime, .unit = "min"}, "c2").seconds, 60);
  EXPECT_EQ(quantity_as_told(named, {.better = Better::kMore}, "c2").better, Better::kMore);
  const Quantity rate = quantity_of("images/s", "", "gpus");
  EXPECT_EQ(quantity_as_told(rate, {.whose = Owner::kGpu}, "images/s").whose, Owner::kGpu);
}

TEST(Quantity, AContradictionIsRefused) {
  const Quantity time = quantity_of("seconds", "", "gpus");
  EXPECT_THROW(quantity_as_told(time, {.unit = "min"}, "seconds"), DataError);
  EXPECT_THROW(quantity_as_told(time, {.whose = Owner::kGpu}, "seconds"), DataError);
  EXPECT_THROW(quantity_as_told(time, {.kind = Kind::kRate, .better = Better::kLess}, "seconds"),
               DataError);
}

}  // namespace
}  // namespace scalelaw
