// What look chooses from tables as people publish them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/look.hpp"
#include "scalelaw/runs/table_profile.hpp"
#include "support/command.hpp"

namespace scalelaw::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// What look says with the choice among several tables that the command line makes.
TableLook look_of_text(const std::string& text, RunOptions options = {}) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "t.md").string();
  write_bytes(path, text);
  const RunOptions asked = options;
  options.layout.suits = is_table_of(asked);
  return look_at({path}, options);
}

std::string finding_of(const TableLook& look, const std::string& code) {
  for (const LookFinding& one : look.findings) {
    if (one.code == code) return one.sentence;
  }
  return "";
}

std::string commands_in(const TableLook& look) {
  std::string commands;
  for (const NextCommand& one : look.next) commands += one.command + "\n";
  return commands;
}

constexpr const char* kReadme =
    "| package | version |\n|---|---|\n| torch | 2.3 |\n| nccl | 2.20 |\n\n"
    "| GPUs | Tokens/s |\n|---|---|\n| 8 | 100 |\n| 16 | 190 |\n| 32 | 350 |\n";

TEST(LookAtText, TakesTheTableWithAScaleAndARate) {
  const TableLook look = look_of_text(kReadme);
  EXPECT_EQ(look.x, "GPUs");
  EXPECT_EQ(look.y, "Tokens/s");
  EXPECT_THAT(look.next.front().command, HasSubstr("--table 2"));
  EXPECT_THAT(look.next.back().command, HasSubstr("look"));
  EXPECT_THAT(look.next.back().command, HasSubstr("--table 1"));
}

TEST(LookAtText, LeavesGpusOutOfTheGroupsOfALoss) {
  std::string text = "params,tokens,GPUs,final_loss\n";
  for (int i = 0; i < 12; ++i) {
    text += fmt::format("{},{},{},{}\n", 1e8 * (1 + i % 4), 1e9 * (1 + i / 4), 8 << (i % 3),
                        3.5 - 0.1 * i);
  }
  const TableLook look = look_of_text(text);
  EXPECT_EQ(look.y, "final_loss");
  EXPECT_THAT(look.by, IsEmpty());
}

TEST(LookAtText, ProposesNoLawOfTimesWhereEachSizeRanOnOneNumberOfGpus) {
  const auto commands_of = [](int gpus_per_size) {
    std::string text = "parameters,tokens,loss,gpus,step_seconds\n";
    for (int i = 0; i < 24; ++i) {
      const int size = i % 4;
      const int gpus = gpus_per_size == 1 ? 8 << (size / 2) : 8 << (i / 4 % gpus_per_size);
      text += fmt::format("{},{},{},{},{}\n", 5e7 * (1 + size), 1e9 * (1 + i / 4), 3.5 - 0.05 * i,
                          gpus, 0.1 * (1 + size) * 8 / gpus);
    }
    return commands_in(look_of_text(text));
  };
  EXPECT_THAT(commands_of(1), Not(HasSubstr("-y step_seconds")));
  EXPECT_THAT(commands_of(3), HasSubstr("-x gpus -y step_seconds -b parameters"));
}

// Runs of trainers' logs take different numbers of steps.
TEST(LookAtText, TakesTheTimeOfAStepBeforeThatOfARun) {
  const TableLook look = look_of_text(
      "job_id,gpus,steps,duration_s,seconds_per_step\na,8,1000,4700,4.7\nb,16,400,980,2.45\n"
      "c,32,200,260,1.3\nd,64,1000,660,0.66\n");
  EXPECT_EQ(look.y, "seconds_per_step");
}

TEST(LookAtText, TakesTheTableThatIsAskedFor) {
  RunOptions first;
  first.layout.table = 1;
  EXPECT_EQ(look_of_text(kReadme, first).x, "");
  const std::string two = "| Nodes | Time |\n|---|---|\n| 1 | 9 |\n| 2 | 5 |\n| 4 | 3 |\n\n";
  EXPECT_EQ(look_of_text(two + kReadme).x, "Nodes");  // The first of those that suit.
  RunOptions named;
  named.x = "GPUs";
  EXPECT_EQ(look_of_text(two + kReadme, named).y, "Tokens/s");
}

TEST(LookAtText, TakesATableOfThreeRowsBeforeOneOfTwo) {
  const std::string two = "| Nodes | Time |\n|---|---|\n| 1 | 9 |\n| 2 | 5 |\n\n";
  EXPECT_EQ(look_of_text(two + kReadme).x, "GPUs");
}

TEST(LookAtText, KnowsCommasByTheNumbersAround) {
  const std::string table =
      "| GPUs | Throughput |\n|---|---|\n| 1 | 1,200 |\n| 2 | 2,200 |\n| 4 | 4,000 |\n";
  EXPECT_THAT(look_of_text(table).next.front().command, HasSubstr("--decimal"));
  const TableLook points = look_of_text("It took 12.5 ms.\n\n" + table);
  EXPECT_THAT(points.next.front().command, HasSubstr("scalelaw fit"));
  const TableLook commas = look_of_text("Es dauerte 12,5 ms.\n\n" + table);
  EXPECT_THAT(commas.next.front().command, HasSubstr("scalelaw fit"));
  EXPECT_DOUBLE_EQ(commas.columns[1].max.value_or(0), 4);
  EXPECT_DOUBLE_EQ(points.columns[1].max.value_or(0), 4000);
}

TEST(LookAtText, KnowsOpenMp) {
  EXPECT_EQ(look_of_text("| OpenMP threads | Time |\n|---|---|\n| 1 | 9 |\n| 2 | 5 |\n").x,
            "OpenMP threads");
}

TEST(LookAtChoice, TakesATimeThatMostRowsHave) {
  const TableLook look =
      look_of_text("gpus,epoch_seconds,duration_s\n1,,90\n2,,50\n4,,28\n8,7.5,\n16,,9\n");
  EXPECT_EQ(look.y, "duration_s");
}

// CodeCarbon writes how many GPUs there were into their kind.
TEST(LookAtChoice, GroupsByNoKindThatIsTheScaleAgain) {
  const TableLook look = look_of_text(
      "gpu_type,gpus,seconds\n1 x A100,1,90\n2 x A100,2,50\n4 x A100,4,28\n8 x A100,8,15\n"
      ",4,29\n,8,16\n,16,9\n");
  EXPECT_THAT(look.by, IsEmpty());
}

TEST(LookAtChoice, TakesNoResultForATimeWhereNoNameTells) {
  const TableLook look =
      look_of_text("1,1000,3.14159188,33.05\n2,1000,3.14159201,17.73\n4,1000,3.14159096,9.24\n");
  EXPECT_EQ(look.x, "c1");
  EXPECT_EQ(look.y, "c4");
}

TEST(LookAtChoice, TakesCountsBehindUnknownWordsForTheScale) {
  EXPECT_EQ(look_of_text("rayon_threads,seconds\n1,9\n2,5\n4,3\n").x, "rayon_threads");
  EXPECT_EQ(look_of_text("Total_VMs,tasks_s\n20,0.4\n40,0.7\n80,1.3\n").x, "Total_VMs");
  EXPECT_EQ(look_of_text("threads,rayon_threads,seconds\n1,4,9\n2,5,5\n4,6,3\n").x, "threads");
  EXPECT_EQ(look_of_text("idle_nodes,things,seconds\n3,5,9\n5,7,5\n6,8,3\n").x, "");
}

TEST(LookAtChoice, TakesTheOnlyWholeNumbersForTheScale) {
  const TableLook look = look_of_text("shuffle_partitions,seconds\n4,17.4\n16,14.8\n64,13.4\n");
  EXPECT_EQ(look.x, "shuffle_partitions");
  EXPECT_THAT(finding_of(look, "unnamed_scale"),
              HasSubstr("'shuffle_partitions' is taken for the scale"));
  EXPECT_EQ(look_of_text("a,b,seconds\n4,1,17.4\n16,2,14.8\n64,3,13.4\n").x, "");
}

TEST(LookAtChoice, ReadsTheScaleFromNamesSuchAsTOfT) {
  const TableLook look =
      look_of_text("dimension,T(t = 1),T(t = 2),T(t = 4)\n10,9,5,3\n20,18,10,6\n");
  EXPECT_EQ(look.x, "t");
  EXPECT_EQ(look.y, "value");
}

TEST(LookAtChoice, ReadsRatesWithoutANoun) {
  const TableLook look = look_of_text(
      "| workers | throughput |\n|---|---|\n| 20 | 129.2/s |\n| 50 | 315.6/s |\n| 200 | 655.3/s "
      "|\n");
  EXPECT_EQ(look.y, "throughput");
  EXPECT_EQ(look.response, "rate");
}

TEST(LookAtChoice, TakesValuesThatFallFromOneForTimes) {
  EXPECT_EQ(look_of_text("1 1.0\n2 0.935\n4 0.617\n8 0.340\n").response, "time");
  EXPECT_EQ(look_of_text("1 1.0\n2 1.9\n4 3.6\n8 6.5\n").response, "rate");
}

TEST(LookAtChoice, GroupsByNoNumberOfARun) {
  const TableLook look =
      look_of_text("threads,run_number,ms\n1,1,9\n1,2,9.5\n2,1,5\n2,2,5.5\n4,1,3\n4,2,3.5\n");
  EXPECT_THAT(look.by, IsEmpty());
}

TEST(LookAtChoice, KnowsTokensPerSecondByTheirShortNames) {
  const TableLook look = look_of_text("concurrency,tp2_aggregate_tok_s\n8,247\n16,371\n32,498\n");
  EXPECT_EQ(look.response, "rate");
}

// The names of blocks may begin with a number.
TEST(LookAtText, FillsNamesOfBlocks) {
  const TableLook look = look_of_text(
      "| Grid | GPUs | Time |\n|---|---|---|\n| 128 cubed | 1 | 9 |\n| | 2 | 5 |\n| | 4 | 3 |\n"
      "| 256 cubed | 1 | 90 |\n| | 2 | 50 |\n| | 4 | 30 |\n");
  EXPECT_THAT(look.by, ElementsAre("Grid"));
  EXPECT_EQ(look.columns[0].missing, 0U);
}

TEST(LookAtChoice, NamesRunsWithoutTokens) {
  std::string table = "job_id,gpus,step,tokens,loss\n";
  for (const char* run : {"a", "b", "c"}) {
    for (int step = 1; step < 5; ++step) {
      const bool lacks = *run == 'c';
      table += std::string(run) + ",8," + std::to_string(step) + "," +
               (lacks ? "" : std::to_string(1000 * step)) + "," + std::to_string(4.0 / step) + "\n";
    }
  }
  EXPECT_THAT(finding_of(look_of_text(table), "runs_without_tokens"),
              HasSubstr("1 run has no 'tokens' and is left out: c. -x step takes all runs."));
}

TEST(LookAtChoice, ProposesGateForNights) {
  std::string table = "date,gpus,step_ms\n";
  for (int night = 1; night < 6; ++night) {
    const std::string date = "2026-03-0" + std::to_string(night);
    table += date + ",32,105\n" + date + ",32,106\n";
  }
  EXPECT_THAT(commands_in(look_of_text(table)), HasSubstr("--night date -x gpus -y step_ms -b ''"));
}

TEST(LookAtChoice, ProposesContrastForRecipes) {
  std::string table = "recipe,params,tokens,loss\n";
  for (const char* recipe : {"c4", "dclm"}) {
    for (const int size : {1, 2, 4, 8}) {
      for (const int tokens : {20, 50, 130}) {
        table += std::string(recipe) + "," + std::to_string(size * 1000000) + "," +
                 std::to_string(tokens * 1000000) + "," + std::to_string(2 + 1.0 / size) + "\n";
      }
    }
  }
  const std::string commands = commands_in(look_of_text(table));
  EXPECT_THAT(commands, HasSubstr("--law chinchilla -x params,tokens -y loss --factor recipe"));
  EXPECT_THAT(commands, HasSubstr("scalelaw isoflop"));
}

TEST(LookAtChoice, KnowsTputAndPartsOfATime) {
  const TableLook rates = look_of_text("# cores, tput\n1, 260\n2, 327\n4, 379\n");
  EXPECT_EQ(rates.y, "tput");
  EXPECT_EQ(rates.response, "rate");
  const TableLook parts =
      look_of_text("procs,t_compute,t_comm,bytes\n2,14.2,0.02,900\n4,9.4,0.03,800\n8,7,0.3,700\n");
  EXPECT_EQ(parts.response, "time");
  EXPECT_THAT(parts.y + parts.answer, HasSubstr("t_comp"));
  EXPECT_EQ(look_of_text("procs,bytes\n2,900\n4,800\n8,700\n").y, "");
}

TEST(LookAtChoice, TakesTheTimeFromWhichASpeedupWasComputed) {
  const TableLook look = look_of_text(
      "threads,grid,merge,speedup\n1,14.6,0.5,1.0\n2,9.59,0.5,1.5224\n4,6.03,0.52,2.4212\n");
  EXPECT_EQ(look.y, "grid");
  EXPECT_EQ(look.columns[1].why, "its values differ as measurements do");
  EXPECT_EQ(look.response, "time");
  // Nothing has the same product with it in every row.
  EXPECT_EQ(look_of_text("threads,grid,speedup\n1,14.6,1.0\n2,9.59,1.6\n4,6.03,2.4\n").y,
            "speedup");
}

TEST(LookAtChoice, TakesNoScaleThatIsZeroInSomeRows) {
  const TableLook look =
      look_of_text("GPUs,nodes,time\n0,1,90\n0,2,50\n0,4,28\n1,1,20\n2,1,12\n4,1,7\n");
  EXPECT_EQ(look.x, "nodes");
}

TEST(LookAtChoice, TakesWideSpeedupsThatMostlyFallForRates) {
  const std::string rows = "5,1.0,0.1,0.05\n10,1.0,0.3,0.25\n100,1.0,1.2,1.3\n";
  EXPECT_EQ(look_of_text("matrix size/threads,1,2,4\n" + rows).response, "rate");
  const std::string told =
      "\n\n| matrix size/threads | 1 | 2 | 4 |\n|---|---|---|---|\n| 5 | 0.9 | 0.8 | 0.7 |\n"
      "| 10 | 0.9 | 0.6 | 0.5 |\n";
  EXPECT_EQ(look_of_text("Speedups over one core" + told).response, "rate");
  EXPECT_EQ(look_of_text("Times and speedups" + told).response, "time");
  // All fall: times relative to the first.
  EXPECT_EQ(look_of_text("matrix size/threads,1,2,4\n5,1.0,0.6,0.4\n10,1.0,0.5,0.25\n").response,
            "time");
}

TEST(LookAtChoice, TakesNodesBesideEdgesForThoseOfAGraph) {
  const TableLook look = look_of_text(
      "dataset,nodes,edges,threads,time\na,500,900,1,9\na,500,900,2,5\na,500,900,4,3\n"
      "b,700,990,1,8\nb,700,990,2,4\nb,700,990,4,2\n");
  EXPECT_EQ(look.x, "threads");
  EXPECT_THAT(look.by, ElementsAre("dataset"));
  EXPECT_EQ(look_of_text("nodes,edges,time\n1,50,9\n2,50,5\n4,50,3\n").x, "nodes");
}

TEST(LookAtChoice, TakesTheFinerOfTwoScalesWhereTheOtherHasTwoValues) {
  EXPECT_EQ(look_of_text("Processes,Nodes,Time\n4,1,177\n16,1,67\n32,2,37\n").x, "Processes");
  EXPECT_EQ(look_of_text("Processes,Nodes,Time\n16,1,67\n32,2,37\n64,4,20\n").x, "Nodes");
  // Equal numbers of processes on one and on two nodes: the nodes differ for themselves.
  EXPECT_EQ(look_of_text("Processes,Nodes,Time\n4,1,17\n8,2,9\n4,2,16\n8,1,8\n16,2,5\n").x,
            "Nodes");
}

TEST(LookAtChoice, TakesNoSpeedupThatWasNotFilledIn) {
  const std::string rows = "28,1,1\n15,2,1\n8,4,1\n";
  EXPECT_EQ(look_of_text("Timing,Threads,Speedup\n" + rows).y, "Timing");
  EXPECT_EQ(look_of_text("foo,Threads,Speedup\n" + rows).y, "foo");
}

TEST(LookAtChoice, TakesACounterOfTheSystemForNoRate) {
  const std::string rows = "1,892,314\n4,1708,731\n8,1696,868\n";
  EXPECT_EQ(look_of_text("Threads,Throughput (MB/s),Context Switches/s\n" + rows).y,
            "Throughput (MB/s)");
  EXPECT_EQ(look_of_text("Threads,Disk (MB/s),Page faults/s\n" + rows).y, "Disk (MB/s)");
}

TEST(LookAtChoice, TakesAThroughputOfBytesBeforeALatency) {
  EXPECT_EQ(look_of_text("Threads,Throughput (MB/s),Avg latency (us)\n1,892,100\n4,1708,161\n"
                         "8,2196,132\n")
                .y,
            "Throughput (MB/s)");
}

TEST(LookAtChoice, TakesTheParametersForTheScaleOfATime) {
  EXPECT_EQ(look_of_text("num_params,hidden_size,num_layers,step_time_ms\n1200000,64,2,3.1\n"
                         "5300000,128,4,7.9\n20100000,256,6,22.5\n")
                .x,
            "num_params");
}

TEST(LookAtChoice, FindsRatesByTheUnitsOfTheirCells) {
  const TableLook look = look_of_text(
      "| Isolates | Direct write | Atomic write |\n|---|---|---|\n| 1 | 5,504 req/s | 2,367 req/s "
      "|\n"
      "| 2 | 10,509 req/s | 4,118 req/s |\n| 4 | 14,281 req/s | 6,375 req/s |\n");
  EXPECT_EQ(look.x, "Isolates");
  EXPECT_EQ(look.response, "rate");
  EXPECT_THAT(look.equal_ys, ElementsAre("Direct write", "Atomic write"));
}

TEST(LookAtChoice, TakesTheSizeOfAProblemWhereSeveralNumbersCouldBeTheScale) {
  const TableLook look = look_of_text(
      "mesh,free dofs,H nnz,wall (ms)\n8x8,98,1156,435.1\n16x16,450,5828,1987.9\n"
      "24x24,1058,14084,4920.6\n");
  EXPECT_EQ(look.x, "free dofs");
  EXPECT_THAT(finding_of(look, "unnamed_scale"),
              HasSubstr("the size of a problem or model by its name"));
}

TEST(LookAtChoice, TakesUniqueTokensForNoGroupsOfTheirOwnLaw) {
  std::string text = "params,tokens,unique_tokens,loss\n";
  for (int i = 0; i < 24; ++i) {
    text += fmt::format("{},{},{},{}\n", 1e8 * (1 + i % 4), 1e9 * (2 + i / 8),
                        1e9 * (1 + i / 4 % 2), 3.5 - 0.03 * i);
  }
  const NextCommand first = look_of_text(text).next.front();
  EXPECT_THAT(first.command, HasSubstr("--law data-constrained -x params,tokens,unique_tokens"));
  EXPECT_THAT(first.command, HasSubstr("-b ''"));
  EXPECT_THAT(look_of_text(text).by, IsEmpty());
  // These would take repeated tokens for fresh ones.
  EXPECT_THAT(commands_in(look_of_text(text)), Not(HasSubstr("chinchilla")));
  EXPECT_THAT(commands_in(look_of_text(text)), Not(HasSubstr("isoflop")));
}

/// A sweep of the learning rate at four sizes.
/// @param tokens  Of a size; empty: the table has none.
std::string table_of_sweep(const std::function<double(double)>& tokens) {
  std::string text =
      tokens ? "parameters,tokens,learning_rate,loss\n" : "parameters,learning_rate,loss\n";
  for (const double size : {1e8, 2e8, 4e8, 8e8}) {
    for (const double rate : {1e-4, 2e-4, 4e-4, 8e-4, 1.6e-3}) {
      const double off = std::log(rate / 4e-4);
      const double loss = 2 + 300 / std::pow(size, 0.3) + 0.02 * off * off;
      text += tokens ? fmt::format("{},{},{},{:.4f}\n", size, tokens(size), rate, loss)
                     : fmt::format("{},{},{:.4f}\n", size, rate, loss);
    }
  }
  return text;
}

TEST(LookAtChoice, ProposesTheBestLearningRateOfASweep) {
  EXPECT_THAT(look_of_text(table_of_sweep(nullptr)).next.front().command,
              HasSubstr("t.md --over learning_rate -x parameters -y loss -b ''"));
  const TableLook together = look_of_text(table_of_sweep([](double size) { return 20 * size; }));
  EXPECT_THAT(together.next.front().command,
              HasSubstr("t.md --over learning_rate -x parameters,tokens -y loss -b ''"));
  // Four runs of each rate are too few for a law of both scales, which move together besides.
  EXPECT_THAT(commands_in(together), Not(HasSubstr("chinchilla")));
  EXPECT_THAT(commands_in(together), HasSubstr("-x parameters -y loss -b learning_rate --law"));
}

TEST(LookAtChoice, LeavesOutALossThatIsPending) {
  const TableLook look = look_of_text(
      "Params,Tokens,Val Loss\n6M,100M,6.0\n10M,400M,5.3\n22M,200M,4.9\n50M,900M,3.5\n"
      "150M,2B,pending\n");
  EXPECT_THAT(look.scales, ElementsAre("Params", "Tokens"));
  EXPECT_EQ(look.y, "Val Loss");
}

TEST(LookAtChoice, TakesNoNumberInANameForThatOfARepeat) {
  const TableLook look = look_of_text(
      "GPUs,ResNet-50 time (s),BERT time (s)\n1,100,400\n2,52,205\n4,27,109\n8,15,60\n");
  EXPECT_EQ(look.equal_ys.size(), 2U);
  EXPECT_EQ(look_of_text("n,time_1,time_2,time\n1,9,9,9\n2,5,5,5\n4,3,3,3\n").y, "time");
}

TEST(LookAtChoice, TakesDeepSpeedForNoRate) {
  const TableLook look =
      look_of_text("GPUs,DeepSpeed,Megatron\n8,210,227\n16,120,131\n32,74.9,82.1\n");
  EXPECT_EQ(look.equal_ys.size(), 2U);
  EXPECT_EQ(look_of_text("gpus,DeepSpeed throughput\n8,210\n16,401\n32,749\n").response, "rate");
}

TEST(LookAtChoice, TakesTheLeastOfRepeatsForNoMinutes) {
  const TableLook look = look_of_text(
      "ranks,mean,std,min,max,median\n1,10.2,0.1,10.0,10.4,10.3\n2,5.3,0.1,5.1,5.5,5.2\n"
      "4,2.8,0.05,2.7,2.9,2.7\n");
  EXPECT_EQ(look.y, "median");
  EXPECT_EQ(look.response, "time");
}

TEST(LookAtChoice, ReadsWhatHyperfineVaries) {
  const TableLook look = look_of_text(
      "command,mean,stddev,median,user,system,min,max,parameter_threads\n"
      "sort -j1,10.1,0.1,10.1,9.9,0.2,10.0,10.3,1\nsort -j2,5.4,0.1,5.4,10.0,0.2,5.3,5.5,2\n"
      "sort -j4,3.0,0.1,3.0,10.4,0.3,2.9,3.1,4\n");
  EXPECT_EQ(look.x, "parameter_threads");
  EXPECT_EQ(look.y, "median");
  EXPECT_TRUE(look.by.empty());
}

TEST(LookAtChoice, TakesTokensPerStepForTheWorkOfAStep) {
  const TableLook weak = look_of_text(
      "gpus,tokens_per_step,step_time_ms\n8,524288,410\n16,1048576,415\n32,2097152,423\n");
  EXPECT_EQ(weak.y, "step_time_ms");
  EXPECT_EQ(weak.scaling, "weak");
  EXPECT_THAT(finding_of(weak, "weak_scaling"), HasSubstr("'tokens_per_step' grows"));
  const TableLook strong = look_of_text(
      "gpus,Tokens per batch,step_time_ms\n8,512,410\n16,512,215\n32,512,123\n8,1024,800\n"
      "16,1024,410\n32,1024,222\n");
  EXPECT_THAT(strong.by, ElementsAre("Tokens per batch"));
  EXPECT_EQ(finding_of(strong, "weak_scaling"), "");
}

TEST(LookAtChoice, SaysThatAnEnergyOfARunIsNotThatOfAnEpoch) {
  const TableLook look = look_of_text(
      "GPUs,Epoch time (s),Energy (kWh)\n1,3600,9.1\n2,1850,9.4\n4,960,9.9\n8,510,10.8\n");
  EXPECT_EQ(look.y, "Epoch time");
  EXPECT_EQ(look.energy, "");
  EXPECT_THAT(finding_of(look, "other_energy"),
              HasSubstr("'Energy' is the energy of a whole run as far as its name tells, and "
                        "'Epoch time' is the time of an epoch"));
}

/// Eight nights of one job, each at three scales.
std::string table_of_nights(const std::string& column) {
  std::string table = column + ",model,gpus,epoch_seconds\n";
  for (int night = 1; night <= 8; ++night) {
    for (int gpus = 1; gpus <= 4; gpus *= 2) {
      table += "n" + std::to_string(night) + ",BERT," + std::to_string(gpus) + "," +
               std::to_string(800 / gpus + night % 3) + "\n";
    }
  }
  return table;
}

TEST(LookAtChoice, ProposesAGateForNightsAtSeveralScales) {
  for (const std::string column : {"night", "Day", "run_date", "Nightly"}) {
    const TableLook look = look_of_text(table_of_nights(column));
    EXPECT_THAT(look.by, ElementsAre("model")) << column;
    EXPECT_THAT(commands_in(look),
                HasSubstr("--night " + column + " -x gpus -y epoch_seconds -b model"))
        << column;
  }
}

TEST(LookAtChoice, ProposesAContrastOfVersionsWithoutAnOrder) {
  const TableLook look = look_of_text(table_of_nights("commit"));
  EXPECT_THAT(commands_in(look), HasSubstr("scalelaw contrast "));
  EXPECT_THAT(commands_in(look), HasSubstr("--factor commit"));
}

std::string table_of_scores() {
  std::string table = "model,N,D,final_loss,mmlu_acc\n";
  int run = 0;
  for (int size = 1; size <= 4; ++size) {
    for (int tokens = 1; tokens <= 4; ++tokens) {
      table += "m" + std::to_string(++run) + "," + std::to_string(size * 100000000) + "," +
               std::to_string(tokens * 1000000000L) + "," +
               std::to_string(2 + 1.0 / size + 1.0 / tokens) + "," +
               std::to_string(0.6 - 0.1 / size - 0.1 / tokens) + "\n";
    }
  }
  return table;
}

TEST(LookAtChoice, ProposesThatAScoreFollowsFromTheLoss) {
  const TableLook look = look_of_text(table_of_scores());
  EXPECT_THAT(look.scales, ElementsAre("N", "D"));
  EXPECT_TRUE(look.by.empty());  // Each model is one run.
  EXPECT_THAT(commands_in(look), HasSubstr("-x N,D -y final_loss -b '' --score mmlu_acc"));
}

TEST(LookAtChoice, NamesTheTimeThatFitTakesBesideALoss) {
  std::string table = "params,tokens,loss,step_time_s,gpus,tokens_per_step\n";
  for (int run = 2; run < 14; ++run) {
    const int size = run / 2;
    const int gpus = 8 << (run % 2);
    table += fmt::format("{},{},{},{},{},500000\n", size * 1000000, (19 - run) * 2000000,
                         2 + 1.0 / run, 0.8 * size / gpus, gpus);
  }
  const std::string commands = commands_in(look_of_text(table));
  EXPECT_THAT(commands, HasSubstr("--law chinchilla -x params,tokens -y loss"));
  EXPECT_THAT(commands, HasSubstr("scalelaw budget"));
  EXPECT_THAT(commands, HasSubstr("-x gpus -y step_time_s"));
}

TEST(LookAtChoice, PointsFromSacctToIngest) {
  const TableLook look = look_of_text(
      "JobID|State|ElapsedRaw|AllocTRES|NNodes\n1|COMPLETED|90|gres/gpu=4|1\n"
      "2|COMPLETED|50|gres/gpu=8|2\n3|COMPLETED|28|gres/gpu=16|4\n");
  EXPECT_THAT(finding_of(look, "layout"), HasSubstr("the output of sacct"));
  EXPECT_THAT(finding_of(look, "layout"), HasSubstr("scalelaw ingest"));
}

TEST(LookAtText, ReadsListTablesOfReStructuredText) {
  const TableLook look = look_of_text(
      "Multi-Core Scaling\n------------------\n\n.. list-table::\n   :header-rows: 1\n\n"
      "   * - Cores\n     - Time (seconds)\n     - Speedup\n"
      "   * - 1\n     - 87.2\n     - 1.0x\n   * - 2\n     - 44.8\n     - 1.95x\n"
      "   * - 4\n     - 23.1\n     - 3.77x\n");
  EXPECT_EQ(look.x, "Cores");
  EXPECT_EQ(look.y, "Time");
  EXPECT_EQ(look.rows, 3U);
  const TableLook bare = look_of_text(
      ".. list-table::\n   :header-rows: 1\n\n   * - gpus\n     - time_s\n     - note\n"
      "   * - 1\n     - 9\n     - x\n   * - 2\n     - 5\n     - y\n   * - 4\n     - 3\n     - z\n");
  EXPECT_EQ(bare.x, "gpus");
}

TEST(LookAtText, AHeaderThatStandsAmongTheRowsAgainIsNoRow) {
  const TableLook look =
      look_of_text("gpus,time_s\n1,9.5\n2,5.1\ngpus,time_s\n1,9.7\nGPUs,Time_s\n2,5.3\n4,2.9\n");
  EXPECT_EQ(look.x, "gpus");
  EXPECT_EQ(look.y, "time_s");
  EXPECT_EQ(look.rows, 5U);
}

TEST(TableProfile, TellsOfTablesThatOverlap) {
  const auto table = [](int first, int last) {
    std::string text = "gpus,time_s\n";
    for (int i = first; i < last; ++i)
      text += fmt::format("{},{}\n", 1 << (i % 5), 90.25 / (i + 1));
    return text;
  };
  const auto overlap_of = [&](const std::string& a, const std::string& b) {
    TableProfile profile;
    for (const auto& [text, name] : {std::pair(a, "a.csv"), std::pair(b, "b.csv")}) {
      const Header header = *parse_header(text, true, name);
      profile.take(header, std::string_view(text).substr(header.end), name);
    }
    return profile.overlap();
  };
  EXPECT_EQ(overlap_of(table(0, 20), table(13, 40)),
            "7 rows of b.csv stand in a.csv, too: if they are the same runs, they count twice");
  EXPECT_EQ(overlap_of(table(0, 20), table(20, 40)), "");
  EXPECT_EQ(overlap_of(table(0, 20), table(16, 40)), "");
}

/// The profile of a file with that text, of which 32 KiB are read.
TableProfile profile_of_32_kib(const std::string& text, Header& header) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "long.csv").string();
  write_bytes(path, text);
  return profile_of_files(std::array{path}, {}, 32 << 10, header);
}

// Half of what is read is the begin, and the rest lies at the ends of the four quarters.
TEST(TableProfile, SeesWhatStandsInAQuarterOfALongTableAlone) {
  std::string text = "model,gpus,seconds\n";
  for (int i = 0; i < 30'000; ++i) {
    const bool beta = i >= 6000 && i < 9000;
    text += fmt::format("{},{},{}\n", beta ? "beta" : "alpha", 1 << (i % 7), 100 + i);
  }
  Header header;
  const TableProfile profile = profile_of_32_kib(text, header);
  EXPECT_FALSE(profile.is_complete());
  EXPECT_THAT(profile.column("model")->values, testing::UnorderedElementsAre("alpha", "beta"));
}

TEST(TableProfile, KnowsTheColumnsAboveAFirstRowThatIsLongerThanTheSample) {
  Header header;
  const std::string name(100'000, 'm');
  const TableProfile profile =
      profile_of_32_kib("model,gpus,seconds\n" + name + ",2,100\nb,4,50\n", header);
  ASSERT_NE(profile.column("gpus"), nullptr);
  EXPECT_FALSE(profile.is_complete());
}

TEST(TableProfile, TakesNoPartsOfRowsOfOneColumn) {
  std::string text = "gpus\n";
  for (int i = 0; i < 30'000; ++i) text += "1024\n";
  Header header;
  const TableProfile profile = profile_of_32_kib(text, header);
  EXPECT_EQ(profile.column("gpus")->min, 1024);
  EXPECT_EQ(profile.column("gpus")->max, 1024);
}

TEST(LookAtText, ChoosesWholeTimesByTheirValues) {
  const TableLook look = look_of_text("1,95\n2,191\n4,380\n");
  EXPECT_EQ(look.x, "c1");
  EXPECT_EQ(look.y, "c2");
  EXPECT_EQ(look.response, "time");
}

TEST(LookAtText, TakesTheNameBehindASlashForThatOfTheNumbersAboveIfItCounts) {
  const std::string rows = "A,100,52,28,15\nB,50,26,14,8\n";
  EXPECT_THAT(commands_in(look_of_text("size/threads,1,2,4,8\n" + rows)),
              HasSubstr("--wide threads"));
  EXPECT_THAT(commands_in(look_of_text("size/precision,1,2,4,8\n" + rows)),
              HasSubstr("--wide scale"));
}

TEST(LookAtText, TakesTheSizeOfAModelOrADataSetForTheScale) {
  const TableLook model = look_of_text(
      "attention,num_params,hidden_size,step_time_ms\na,3099648,128,9.5\na,9887744,256,24.1\n"
      "a,26217984,512,62\nb,3199648,128,8.5\nb,9987744,256,20.1\nb,27217984,512,51\n");
  EXPECT_EQ(model.x, "num_params");
  const TableLook data = look_of_text(
      "model,n_train,mean_test_perplexity,mean_best_step\nS,661,15.46,250\nS,1322,14.08,667\n"
      "S,1983,13.25,1750\nM,661,15.9,250\nM,1322,14.2,500\nM,1983,13.5,1000\n");
  EXPECT_EQ(data.x, "n_train");
  EXPECT_EQ(data.y, "mean_test_perplexity");
}

}  // namespace
}  // namespace scalelaw::test
