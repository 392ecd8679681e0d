#include "scalelaw/runs/column_names.hpp"

#include "scalelaw/base/name_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ColumnNames, SettingsAndSizesShareNoWork) {
  for (const char* name : {"batch_size", "per_device_batch_size", "batch_size_per_gpu", "gpu_clock",
                           "power_cap_w", "n_params"}) {
    EXPECT_FALSE(may_share_work(name)) << name;
  }
  for (const char* name :
       {"gpus", "nodes", "OMP_NUM_THREADS", "clients", "p", "compute_nodes", "compute_units",
        "tensor_parallel_size", "batch_workers", "frequency_gpus"}) {
    EXPECT_TRUE(may_share_work(name)) << name;
  }
}

TEST(ColumnNames, ARateOfComputingTimesATimeIsACompute) {
  for (const char* name : {"compute_pflops_days", "compute (PFLOP-days)", "petaflop/s-days",
                           "pf_days", "exaflop_days"}) {
    EXPECT_EQ(meaning_of(name).role, ColumnRole::kCompute) << name;
  }
  EXPECT_EQ(meaning_of("tflops").role, ColumnRole::kRate);
  EXPECT_EQ(meaning_of("pflops per second").role, ColumnRole::kRate);
}

TEST(ColumnNames, VersionsAreNamed) {
  for (const char* name : {"torch_version", "version", "commit", "cuda release"}) {
    EXPECT_TRUE(names_version(name)) << name;
  }
  for (const char* name : {"model", "date", "conversion_s"}) {
    EXPECT_FALSE(names_version(name)) << name;
  }
}

TEST(WordsOfName, AreLowerCaseSingularAndWrittenOut) {
  EXPECT_THAT(words_of_name("World Size (GPUs)"), ElementsAre("world", "size", "gpu"));
  EXPECT_THAT(words_of_name("nProcs"), ElementsAre("num", "process"));
  EXPECT_THAT(words_of_name("#nodes"), ElementsAre("num", "node"));
  EXPECT_THAT(words_of_name("ngpus"), ElementsAre("num", "gpu"));
  EXPECT_THAT(words_as_written("nProcs/Iter #2"), ElementsAre("n", "procs", "iter", "2"));
  EXPECT_THAT(words_of_name("GPUCount"), ElementsAre("gpu", "count"));
  EXPECT_THAT(words_of_name("tokens/s"), ElementsAre("token", "per", "s"));
  EXPECT_THAT(words_of_name("Loss"), ElementsAre("loss"));
  EXPECT_THAT(words_of_name("node8cap"), ElementsAre("node", "8", "cap"));
  EXPECT_THAT(words_of_name("comp_MBps"), ElementsAre("comp", "mbps"));
  EXPECT_THAT(words_of_name("Duração (ms)"), ElementsAre("duration", "ms"));
  EXPECT_THAT(words_of_name("NÚCLEOS"), ElementsAre("core"));
  EXPECT_THAT(words_of_name("Größe"), ElementsAre("size"));
  EXPECT_THAT(words_of_name("Média (3)"), ElementsAre("mean", "3"));
}

TEST(WordsOfName, AreKnownInLanguagesWithOtherLettersAndScripts) {
  EXPECT_THAT(words_of_name("Số CPU (P)"), ElementsAre("num", "cpu", "p"));
  EXPECT_THAT(words_of_name("Số luồng"), ElementsAre("num", "thread"));
  EXPECT_THAT(words_of_name("Liczba wątków"), ElementsAre("num", "thread"));
  EXPECT_THAT(words_of_name("GPU数"), ElementsAre("gpu", "num"));
  EXPECT_THAT(words_of_name("线程数量"), ElementsAre("thread", "num"));
  EXPECT_THAT(words_of_name("运行时间(ms)"), ElementsAre("time", "ms"));
  EXPECT_THAT(words_of_name("スレッド数"), ElementsAre("thread", "num"));
  EXPECT_THAT(words_of_name("처리량"), ElementsAre("throughput"));
  EXPECT_THAT(words_of_name("Число потоков"), ElementsAre("num", "thread"));
  EXPECT_THAT(words_of_name("ВРЕМЯ, s"), ElementsAre("time", "s"));
  EXPECT_THAT(words_of_name("GPU显存"), ElementsAre("gpu", "memory"));
}

TEST(MayCountGpus, ABatchSizeCountsNone) {
  EXPECT_TRUE(may_count_gpus("gpus"));
  EXPECT_FALSE(may_count_gpus("batch_size"));
  EXPECT_FALSE(may_count_gpus("nodes"));
}

TEST(MeaningOf, TimesPerOperationAreTimesAndWhatElseIsPerOperationIsNone) {
  EXPECT_EQ(meaning_of("ns/op").role, ColumnRole::kTime);
  EXPECT_EQ(meaning_of("allocs/op").role, ColumnRole::kDerived);
  EXPECT_EQ(meaning_of("B/op").role, ColumnRole::kDerived);
  EXPECT_EQ(meaning_of("ns/day").role, ColumnRole::kRate);
}

TEST(MeaningOf, TwoNamesOfOneCountAreACount) {
  EXPECT_EQ(meaning_of("Num. GPUs / DP Global Rank").role, ColumnRole::kScale);
  EXPECT_EQ(meaning_of("GPUs / node").role, ColumnRole::kSetting);
}

/// The role that a name has, as messages call it.
std::string role_of(const std::string& name) { return std::string(name_of(meaning_of(name).role)); }

TEST(MeaningOf, TellsTheRoleOfNamesThatPeopleWrite) {
  const std::vector<std::pair<const char*, const char*>> kRoles = {
      {"World Size (GPUs)", "scale"},
      {"# GPUs (A100)", "scale"},
      {"GPUs (H100)", "scale"},
      {"A100 GPUs", "scale"},
      {"Num MPI ranks", "scale"},
      {"n_procs", "scale"},
      {"#nodes", "scale"},
      {"config.gpus", "scale"},
      {"processos", "scale"},
      {"tempo_seg", "time"},
      {"metrics.loss.final", "loss"},
      {"OMP_NUM_THREADS", "scale"},
      {"gpus_per_node", "setting"},
      {"Time(s)", "time"},
      {"wall_sec", "time"},
      {"elapsed", "time"},
      {"train_runtime", "time"},
      {"step_time_ms", "time"},
      {"seconds_per_epoch", "time"},
      {"time_limit", "other"},
      {"start_time", "timestamp"},
      {"gpu_hours", "derived"},
      {"tokens_per_sec", "rate"},
      {"images/s", "rate"},
      {"samples per second", "rate"},
      {"GFLOP/s", "rate"},
      {"FOM", "rate"},
      {"ns/day", "rate"},
      {"learning_rate", "setting"},
      {"n_params", "parameters"},
      {"train_tokens", "tokens"},
      {"final_loss", "loss"},
      {"train_flops", "compute"},
      {"per_device_train_batch_size", "batch size"},
      {"energy_kWh", "energy"},
      {"avg_power_w", "power"},
      {"GPU power cap (W)", "power limit"},
      {"power_limit", "power limit"},
      {"smClock_MHz", "clock"},
      {"gpu_type", "hardware"},
      {"precision", "category"},
      {"dataset", "category"},
      {"cluster", "system"},
      {"job_id", "run"},
      {"seed", "repeat"},
      {"epoch", "epoch"},
      {"State", "state"},
      {"n_failed", "derived"},
      {"time_std", "derived"},
      {"speedup", "derived"},
      {"Efficiency (%)", "derived"},
      {"colour", "other"},
      {"zone-cycles/cpu_second", "rate"},
      {"throughput_mcells_s", "rate"},
      {"throughput/total_tokens", "tokens"},
      {"Total token throughput (tok/s)", "rate"},
      {"comp_MBps", "rate"},
      {"ours_gops", "rate"},
      {"GTEPS", "rate"},
      {"MLUPS", "rate"},
      {"updates_per_ns", "rate"},
      {"it/s", "rate"},
      {"images_s", "rate"},
      {"Perf_PerRank", "rate"},
      {"GFLOPS per watt", "derived"},
      {"seconds/epoch", "time"},
      {"time_microseconds", "time"},
      {"T_par", "time"},
      {"t", "other"},
      {"real", "time"},
      {"MPI", "scale"},
      {"np", "scale"},
      {"p", "scale"},
      {"nbP", "scale"},
      {"nTot", "problem size"},
      {"Number of Tasks (p)", "scale"},
      {"PEs", "scale"},
      {"images", "scale"},
      {"parallel_units", "scale"},
      {"consumers", "scale"},
      {"connections", "scale"},
      {"num_sessions", "scale"},
      {"n_envs", "scale"},
      {"environments", "scale"},
      {"streams", "scale"},
      {"tp", "setting"},
      {"iter_per_worker", "setting"},
      {"cpus_per_task", "setting"},
      {"Numero Thread", "scale"},
      {"Anzahl Kerne", "scale"},
      {"hilos", "scale"},
      {"núcleos", "scale"},
      {"nombre de processus", "scale"},
      {"tiempo_segundos", "time"},
      {"Media Tempo di Esecuzione (ms)", "time"},
      {"Laufzeit", "time"},
      {"Durée", "time"},
      {"aceleração", "derived"},
      {"comp_bytes", "derived"},
      {"est_cost_usd", "derived"},
  };
  for (const auto& [name, role] : kRoles) EXPECT_EQ(role_of(name), role) << name;
}

TEST(MeaningOf, GpusComeBeforeProcessesAndTheseBeforeNodesCoresAndThreads) {
  const std::vector<const char*> kNames = {"gpus",  "accelerators", "devices", "ranks",
                                           "nodes", "cores",        "threads"};
  for (std::size_t i = 1; i < kNames.size(); ++i) {
    EXPECT_LT(meaning_of(kNames[i - 1]).rank, meaning_of(kNames[i]).rank) << kNames[i];
  }
}

TEST(MeaningOf, HostsHaveManyNames) {
  for (const char* name : {"hosts", "machines", "servers", "instances", "replicas"}) {
    EXPECT_EQ(meaning_of(name).rank, meaning_of("nodes").rank) << name;
  }
}

TEST(MeaningOf, ProcessesHaveManyNames) {
  for (const char* name : {"processes", "workers", "tasks", "executors"}) {
    EXPECT_EQ(meaning_of(name).rank, meaning_of("ranks").rank) << name;
  }
}

// N may be the number of processes or the size of a problem, and p is mostly the former.
TEST(IsLoneLetter, OfNAndNotOfNamesNorOfP) {
  EXPECT_TRUE(is_lone_letter(meaning_of("N")));
  for (const char* name : {"p", "np", "gpus", "epoch"}) {
    EXPECT_FALSE(is_lone_letter(meaning_of(name))) << name;
  }
}

TEST(MeaningOf, OneDeviceInTheSingularMayBeAKind) {
  EXPECT_TRUE(meaning_of("GPU").may_be_kind);
  EXPECT_FALSE(meaning_of("GPUs").may_be_kind);
  EXPECT_FALSE(meaning_of("gpu_count").may_be_kind);
  EXPECT_TRUE(meaning_of("Process number").may_be_kind);
  EXPECT_FALSE(meaning_of("Number of processes").may_be_kind);
}

TEST(MeaningOf, ALastResortIsAScaleARateOrATimeOnlyWithoutABetterOne) {
  for (const char* name : {"cpus_per_task", "tp", "dp_size", "speedup", "Speed up", "total"}) {
    EXPECT_TRUE(meaning_of(name).last_resort) << name;
  }
  for (const char* name : {"gpus", "efficiency", "ideal speedup", "gustafson_speedup", "throughput",
                           "total_time", "batch_size"}) {
    EXPECT_FALSE(meaning_of(name).last_resort) << name;
  }
  EXPECT_TRUE(is_rate(meaning_of("speedup")));
  EXPECT_TRUE(is_rate(meaning_of("images/s")));
  EXPECT_FALSE(is_rate(meaning_of("efficiency")));
  EXPECT_FALSE(is_rate(meaning_of("cpus_per_task")));
}

TEST(MeaningOf, SumsOfTimesComeBeforeTheirPartsAndEnds) {
  const auto expect_order = [](std::vector<const char*> names) {
    for (std::size_t i = 1; i < names.size(); ++i) {
      EXPECT_LT(meaning_of(names[i - 1]).rank, meaning_of(names[i]).rank) << names[i];
    }
  };
  expect_order({"median_runtime_s", "mean_runtime_s", "runtime_s", "runtime_1_s", "comp_s",
                "min_runtime_s", "max_runtime_s", "seq_time"});
  expect_order({"wall_time", "time_s", "user_time"});
  expect_order({"wall_time", "system time"});
  expect_order({"total_time", "init_time", "serial_time"});
  expect_order({"throughput", "thread_throughput", "throughput_per_gpu"});
  expect_order({"latency_p50", "latency_p90", "latency_p95", "latency_p99"});
}

std::string found(const std::string& header, const std::string& name) {
  const Header parsed = *parse_header(header + "\n", true, "runs.csv");
  try {
    const auto place = find_column_by_words(parsed, name, "runs.csv");
    return place ? parsed.names[*place] : "none";
  } catch (const DataError& error) {
    return error.what();
  }
}

TEST(FindColumnByWords, TakesTheExactNameFirst) {
  EXPECT_EQ(found("GPUs,gpus", "gpus"), "gpus");
  EXPECT_EQ(found("gpus_total,gpus", "gpus"), "gpus");
}

TEST(FindColumnByWords, TakesTheSameWordsInAnySpelling) {
  EXPECT_EQ(found("World Size,time", "world_size"), "World Size");
  EXPECT_EQ(found("n_gpus,gpus_per_node", "GPUs"), "n_gpus");
  EXPECT_EQ(found("train_runtime,eval_runtime", "train runtime"), "train_runtime");
  EXPECT_EQ(found("a,b", "c"), "none");
}

TEST(FindColumnByWords, TakesNoColumnForAnotherQuantity) {
  EXPECT_EQ(found("nodes,gpus_per_node", "gpus"), "none");
  EXPECT_EQ(found("nodes,gpus_per_node", "nodes*gpus_per_node"), "none");
}

TEST(FindColumnByWords, BracketsThatHoldNoUnitAskForNone) {
  EXPECT_EQ(found("Time total (s),gpus", "time (total)"), "Time total (s)");
  EXPECT_EQ(found("time (ms),gpus", "Time_s"), "time (ms)");
  EXPECT_THAT(found("time (ms),gpus", "Time (s)"),
              HasSubstr("'Time (s)' asks for s, and the column 'time (ms)' is in ms"));
}

TEST(FindColumnByWords, NamesTheColumnsThatItMayMean) {
  EXPECT_THAT(found("power_cap_w,power_mean_w", "power"),
              HasSubstr("'power' may mean several columns: power_cap_w, power_mean_w"));
}

TEST(MeaningOf, NamesInTwoLanguagesAreReadByTheEnglishOne) {
  EXPECT_EQ(role_of("Users / 用户数"), "scale");
  EXPECT_EQ(role_of("Avg Latency / 平均延迟"), "time");
  EXPECT_EQ(role_of("Success Rate / 成功率"), "derived");
}

TEST(MeaningOf, ShortNamesOfTimesOfProgramsAreTimes) {
  EXPECT_EQ(role_of("T_omp"), "time");
  EXPECT_LT(meaning_of("T_omp").rank, meaning_of("T_seq").rank);
  EXPECT_EQ(meaning_of("T_ser").rank, meaning_of("T_seq").rank);
  EXPECT_NE(role_of("T_max"), "time");
}

}  // namespace
}  // namespace scalelaw
