#include "scalelaw/runs/columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Header header_of(const std::string& line) { return *parse_header(line, true, "runs.csv"); }

ChosenColumns choose(const std::string& header, const RunOptions& options = {}) {
  return choose_columns(header_of(header), options, "runs.csv");
}

std::string error_of(const std::string& header, const RunOptions& options = {}) {
  try {
    choose(header, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ChooseColumns, TakesTheFirstUsualNamesThatAreThere) {
  const ChosenColumns columns = choose("nodes,seconds,gpus,epoch_seconds,model\n");
  EXPECT_EQ(columns.x, "gpus");
  EXPECT_EQ(columns.y, "epoch_seconds");
  EXPECT_THAT(columns.by, ElementsAre("model"));
}

TEST(ChooseColumns, KnowsEveryUsualName) {
  for (const char* x :
       {"gpus", "num_gpus", "n_gpus", "gpu_count", "ngpus", "accelerators", "workers", "nodes"}) {
    EXPECT_EQ(choose(std::string("minutes,") + x + "\n").x, x);
  }
  for (const char* y : {"epoch_seconds", "seconds_per_epoch", "train_seconds", "wall_seconds",
                        "seconds", "time_s", "minutes", "duration_s"}) {
    EXPECT_EQ(choose(std::string(y) + ",gpus\n").y, y);
  }
  EXPECT_THAT(
      choose("sweep,clock_mhz,power_cap_w,accelerator,benchmark,model,gpus,seconds\n").by,
      ElementsAre("model", "benchmark", "accelerator", "power_cap_w", "clock_mhz", "sweep"));
  EXPECT_THAT(choose("recipe,mixture,gpus,seconds\n").by, ElementsAre("recipe", "mixture"));
}

TEST(ChooseColumns, TheDurationOfTelemetryIsATimeOnlyWhereThereIsNoOther) {
  EXPECT_EQ(choose("duration_s,minutes,gpus\n").y, "minutes");
}

TEST(UsualNames, OfGpusAndOfHardware) {
  EXPECT_TRUE(is_usual_name("Num GPUs", UsualColumn::kGpus));
  EXPECT_FALSE(is_usual_name("nodes", UsualColumn::kGpus));
  EXPECT_FALSE(is_usual_name("gpus_per_node", UsualColumn::kGpus));
  EXPECT_TRUE(is_usual_name("GPU Model", UsualColumn::kHardware));
  EXPECT_FALSE(is_usual_name("gpus", UsualColumn::kHardware));
}

TEST(ChooseColumns, MeetsUsualNamesInAnyCaseAndWithBlanks) {
  const ChosenColumns columns = choose("Model,GPUs,Epoch Seconds\n");
  EXPECT_EQ(columns.x, "GPUs");
  EXPECT_EQ(columns.y, "Epoch Seconds");
  EXPECT_THAT(columns.by, ElementsAre("Model"));
}

TEST(ChooseColumns, MeetsUsualNamesWithTheirUnit) {
  EXPECT_EQ(choose("gpus,seconds [s]\n").y, "seconds");
}

TEST(ChooseColumns, LeavesWhatOptionsName) {
  RunOptions options;
  options.x = "clock_mhz";
  options.y = "joules";
  options.run = "run";
  options.weights = "w";
  const ChosenColumns columns =
      choose("gpus,seconds,clock_mhz,joules,model,run,job_id,w\n", options);
  EXPECT_EQ(columns.x, "clock_mhz");
  EXPECT_EQ(columns.y, "joules");
  EXPECT_THAT(columns.by, ElementsAre("model"));  // Not the x.
  EXPECT_EQ(columns.run, "run");
  EXPECT_EQ(columns.weights, "w");
  EXPECT_EQ(columns.unused_run, "");
}

TEST(ChooseColumns, AnEmptyChoiceOfGroupsIsAChoice) {
  RunOptions options;
  options.by_chosen = true;
  EXPECT_THAT(choose("gpus,seconds,model\n", options).by, IsEmpty());
}

TEST(ChooseColumns, TellsOfARunColumnThatIsNotUsed) {
  EXPECT_EQ(choose("gpus,seconds,job_id\n").unused_run, "job_id");
  EXPECT_EQ(choose("gpus,seconds,job_id,run\n").unused_run, "run");
  EXPECT_EQ(choose("gpus,seconds,model\n").unused_run, "");
  RunOptions options;
  options.by = {"run"};
  EXPECT_EQ(choose("gpus,seconds,run\n", options).unused_run, "");
}

TEST(ChooseColumns, SaysWhatNoNameSays) {
  EXPECT_EQ(error_of("a,seconds\n"),
            "runs.csv: no column for x: no name says how many GPUs, processes or nodes a run had; "
            "name the column with -x; columns are: a, seconds");
  EXPECT_THAT(error_of("gpus,b\n"), HasSubstr("no name says that it is a time or a rate"));
}

TEST(ChooseColumns, RefusesOneColumnInTwoPlaces) {
  RunOptions options;
  options.x = options.y = "gpus";
  EXPECT_EQ(error_of("gpus,seconds\n", options),
            "x and y are the same column 'gpus': name another with -x or -y");
  options = {};
  options.by = {"model", "model"};
  EXPECT_EQ(error_of("gpus,seconds,model\n", options),
            "the group column 'model' is named twice: name it once");
}

TEST(ChooseColumns, TakesTheWordsOfNames) {
  const ChosenColumns columns = choose("Model Name,World Size (GPUs),Total Time (s)\n");
  EXPECT_EQ(columns.x, "World Size (GPUs)");
  EXPECT_EQ(columns.y, "Total Time");
  EXPECT_THAT(columns.by, ElementsAre("Model Name"));
}

TEST(ChooseColumns, AnOldNameWinsOverABetterWord) {
  EXPECT_EQ(choose("nodes,total_gpus,minutes,seconds_per_step\n").x, "nodes");
  EXPECT_EQ(choose("nodes,total_gpus,minutes,seconds_per_step\n").y, "minutes");
}

TEST(ChooseColumns, TakesARateWhereNoColumnIsATime) {
  EXPECT_EQ(choose("gpus,images/s\n").quantity.kind, Kind::kRate);
  EXPECT_EQ(choose("gpus,images/s\n").y, "images/s");
  EXPECT_EQ(choose("gpus,images/s,seconds\n").quantity.kind, Kind::kTime);
}

TEST(ChooseColumns, TakesNoLeastValueForMinutes) {
  EXPECT_EQ(choose("gpus,total_max,total_min,total_avg,step_time\n").y, "step_time");
  EXPECT_EQ(choose("gpus,total_max,total_min,images_per_s\n").y, "images_per_s");
  EXPECT_EQ(choose("gpus,wall_min\n").y, "wall_min");
}

TEST(ChooseColumns, NamesColumnsThatAreEquallyGood) {
  EXPECT_EQ(error_of("ranks,processes,seconds\n"),
            "runs.csv: several columns may be x: ranks, processes; choose one: -x ranks or -x "
            "processes");
  EXPECT_THAT(error_of("gpus,Elapsed Time,wall_time\n"),
              HasSubstr("choose one: -y 'Elapsed Time' or -y wall_time"));
}

TEST(ChooseColumns, AWideTableNeedsNoNames) {
  RunOptions options;
  options.layout.wide = "gpus";
  EXPECT_EQ(choose("model,gpus,value\n", options).y, "value");
  options.layout.wide = "slots";
  EXPECT_EQ(choose("model,slots,value\n", options).x, "slots");
}

TEST(MeasuredColumns, TakeTheEnergyOfAllPartsBeforeThatOfThem) {
  const Header header = header_of("cpu_energy,gpu_energy,ram_energy,energy_consumed\n");
  EXPECT_EQ(usual_energy_column(header, "duration"), "energy_consumed");
  EXPECT_EQ(usual_energy_column(header_of("cpu_energy,gpu_energy\n"), "duration"), std::nullopt);
}

TEST(ChooseColumns, OptionsNameColumnsByTheirWords) {
  RunOptions options;
  options.x = "world size";
  options.y = "runtime";
  options.by = {"model"};
  const ChosenColumns columns = choose("WorldSize,train_runtime,Model\n", options);
  EXPECT_EQ(columns.x, "WorldSize");
  EXPECT_EQ(columns.y, "train_runtime");
  EXPECT_THAT(columns.by, ElementsAre("Model"));
}

TEST(ChooseColumns, ASystemIsAGroupOnlyWithoutHardware) {
  EXPECT_THAT(choose("system,gpus,seconds\n").by, ElementsAre("system"));
  EXPECT_THAT(choose("system,accelerator,gpus,seconds\n").by, ElementsAre("accelerator"));
}

TableProfile profile_of(const std::string& table) {
  const Header header = header_of(table);
  TableProfile profile;
  profile.take(header, std::string_view(table).substr(header.end), "runs.csv");
  return profile;
}

ChosenColumns choose_by_values(const std::string& table) {
  const TableProfile profile = profile_of(table);
  return choose_columns(header_of(table), {}, "runs.csv", &profile);
}

TEST(ChooseColumns, AScaleWithOneValueMakesRoomForOneThatVaries) {
  EXPECT_EQ(choose_by_values("gpus,nodes,seconds\n4,1,9\n4,2,5\n").x, "nodes");
}

TEST(ChooseColumns, NumbersOfGpusAreNoKindOfThem) {
  RunOptions of_nodes;
  of_nodes.x = "nodes";
  EXPECT_THAT(choose("GPU,nodes,seconds\n", of_nodes).by, IsEmpty());
  const std::string counts = "GPU,nodes,seconds\n4,1,9\n8,1,8\n4,2,5\n8,2,4\n";
  const std::string kinds = "GPU,nodes,seconds\nA100,1,9\nH100,1,8\nA100,2,5\nH100,2,4\n";
  const auto by = [&](const std::string& table) {
    const TableProfile profile = profile_of(table);
    return choose_columns(header_of(table), of_nodes, "runs.csv", &profile).by;
  };
  EXPECT_THAT(by(counts), IsEmpty());
  EXPECT_THAT(by(kinds), ElementsAre("GPU"));
}

TEST(ChooseColumns, AColumnOfOneValueOrOfOneScalePerValueIsNoGroup) {
  EXPECT_THAT(choose_by_values("precision,gpus,seconds\nfp16,1,9\nfp16,2,5\n").by, IsEmpty());
  EXPECT_THAT(choose_by_values("config,gpus,seconds\none,1,9\ntwo,2,5\n").by, IsEmpty());
  EXPECT_THAT(choose_by_values("mode,gpus,seconds\na,1,9\na,2,5\nb,1,8\nb,2,4\n").by,
              ElementsAre("mode"));
}

TEST(ChooseColumns, WeakAndStrongScalingAreGroups) {
  const auto by = [](const std::string& weak, const std::string& strong) {
    return choose_by_values("scaling,gpus,images_per_s\n" + weak + ",8,100\n" + weak + ",16,190\n" +
                            strong + ",8,100\n" + strong + ",16,160\n")
        .by;
  };
  EXPECT_THAT(by("weak", "strong"), ElementsAre("scaling"));
  EXPECT_THAT(by("Weak scaling", "Strong scaling"), ElementsAre("scaling"));
  EXPECT_THAT(by("0.91", "0.87"), IsEmpty());
}

TEST(ChooseColumns, JobsByNameAreGroupsWhereTheirNamesAreNoNumbers) {
  const auto by = [](const std::string& column, const std::string& first,
                     const std::string& second) {
    std::string rows;
    for (const std::string& job : {first, second}) {
      rows += job + ",1,90\n" + job + ",2,50\n" + job + ",4,30\n";
    }
    return choose_by_values(column + ",gpus,seconds\n" + rows).by;
  };
  EXPECT_THAT(by("JobName", "unet3d", "dlrm"), ElementsAre("JobName"));
  EXPECT_THAT(by("job_name", "llama-7b", "llama-13b"), ElementsAre("job_name"));
  EXPECT_THAT(by("run_name", "run1", "run2"), IsEmpty());
  EXPECT_THAT(by("run_name", "nightly-2026-06-01", "nightly-2026-06-02"), IsEmpty());
  EXPECT_THAT(by("job_id", "a", "b"), IsEmpty());
  EXPECT_THAT(choose_by_values("job_name,gpus,seconds\na,1,90\nb,2,50\nc,4,30\n").by, IsEmpty());
}

TEST(ChooseColumns, AsManyGroupsAsThereAreAsLongAsTheirValuesReturn) {
  const auto groups_of = [](int networks, int rows_of_each) {
    std::string rows;
    for (int row = 0; row < rows_of_each; ++row) {
      for (int network = 0; network < networks; ++network) {
        rows += "net" + std::to_string(network) + "," + std::to_string(1 << row) + ",10\n";
      }
    }
    return choose_by_values("network,gpus,seconds\n" + rows).by;
  };
  EXPECT_THAT(groups_of(60, 4), ElementsAre("network"));
  EXPECT_THAT(groups_of(300, 4), ElementsAre("network"));
  EXPECT_THAT(groups_of(300, 1), IsEmpty());
}

TEST(ChooseColumns, ATimeWithoutAValueMakesRoomForOneThatHasSome) {
  EXPECT_EQ(choose_by_values("gpus,seconds,wall_s\n1,,9\n2,,5\n").y, "wall_s");
  EXPECT_EQ(choose_by_values("gpus,seconds\n1,0\n2,0\n").y, "seconds");
}

ChosenColumns choose_factors(const std::string& table, const UsualFactors& usual) {
  const TableProfile profile = profile_of(table);
  RunOptions options;
  options.has_x = !usual.all;
  options.usual_factors = usual;
  return choose_columns(header_of(table), options, "runs.csv", &profile);
}

TEST(ChooseColumns, TheSettingThatVariesIsCompared) {
  const std::string header = "gpus,seconds,power_cap_w,clock_mhz\n";
  const ChosenColumns one = choose_factors(header + "1,9,250,900\n2,5,250,800\n", {"--factor"});
  EXPECT_THAT(one.by, ElementsAre("power_cap_w", "clock_mhz"));
  EXPECT_EQ(one.factors, 1U);
  const ChosenColumns all =
      choose_factors(header + "1,9,250,900\n2,5,200,800\n", {"--knobs", true});
  EXPECT_THAT(all.by, ElementsAre("power_cap_w", "clock_mhz", "gpus"));
  EXPECT_EQ(all.factors, 3U);
}

TEST(ChooseColumns, SettingsThatAreEquallyGoodAreNamedWithTheirOption) {
  try {
    choose_factors("gpus,seconds,power_cap_w,clock_mhz\n1,9,250,900\n2,5,200,800\n", {"--factor"});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--factor power_cap_w or --factor clock_mhz"));
  }
  EXPECT_THROW(choose_factors("gpus,seconds\n1,9\n2,5\n", {"--factor"}), DataError);
}

TEST(MeasuredColumns, HaveNumbersAboveZeroAndVaryIfAnyDoes) {
  const auto energies = [](const std::string& table) {
    return measured_columns(header_of(table), UsualColumn::kEnergy, profile_of(table));
  };
  EXPECT_THAT(energies("gpus,energy_j,gpu_energy_j\n1,0,5\n2,0,7\n"), ElementsAre("gpu_energy_j"));
  EXPECT_THAT(energies("gpus,gpu_energy_j,cpu_energy_j\n1,5,3\n2,7,3\n"),
              ElementsAre("gpu_energy_j"));
  EXPECT_THAT(energies("gpus,gpu_energy_j,cpu_energy_j\n1,5,3\n2,7,4\n"),
              ElementsAre("gpu_energy_j", "cpu_energy_j"));
  EXPECT_THAT(energies("gpus,energy_j\n1,0\n2,0\n"), ElementsAre("energy_j"));
}

TEST(IsRateOfOne, AsksForTheUnitThatXCounts) {
  EXPECT_TRUE(is_rate_of_one("Throughput per node (samples/s)", "Nodes"));
  EXPECT_TRUE(is_rate_of_one("images_per_sec_per_gpu", "gpus"));
  EXPECT_TRUE(is_rate_of_one("throughput/GPU", "num_gpus"));
  EXPECT_TRUE(is_rate_of_one("tokens/s/gpu", "world_size"));
  EXPECT_TRUE(is_rate_of_one("img/sec/GPU", "N"));
  EXPECT_TRUE(is_rate_of_one("samples per second per rank", "ranks"));
  EXPECT_TRUE(is_rate_of_one("requests_per_s_per_thread", "threads"));
}

TEST(IsRateOfOne, TakesADeviceOfAnyNameWhereXCountsGpus) {
  EXPECT_TRUE(is_rate_of_one("samples/s per device", "gpus"));
  EXPECT_TRUE(is_rate_of_one("tokens_per_second_per_chip", "accelerators"));
}

TEST(IsRateOfOne, IsNoneOfAllNorOfAnotherUnit) {
  EXPECT_FALSE(is_rate_of_one("images_per_second", "gpus"));
  EXPECT_FALSE(is_rate_of_one("GPU throughput", "gpus"));
  EXPECT_FALSE(is_rate_of_one("samples_per_second_per_node", "gpus"));
  EXPECT_FALSE(is_rate_of_one("samples_per_second_per_gpu", "nodes"));
  EXPECT_FALSE(is_rate_of_one("samples_per_second_per_gpu", "batch_size"));
}

TEST(RateName, TellsWhatIsCountedAndPerWhichTime) {
  const RateName tokens = rate_name("tokens_per_sec");
  EXPECT_EQ(tokens.things, "tokens");
  EXPECT_EQ(tokens.seconds, 1);
  EXPECT_FALSE(tokens.of_one_device);
  EXPECT_EQ(rate_name("images/min").seconds, 60);
  EXPECT_EQ(rate_name("ns/day").things, "ns");
  EXPECT_TRUE(rate_name("tokens_per_sec_per_gpu").of_one_device);
  EXPECT_FALSE(rate_name("throughput").seconds);
}

TEST(CountsNodes, OnlyOfNodes) {
  EXPECT_TRUE(counts_nodes("nodes"));
  EXPECT_TRUE(counts_nodes("num_hosts"));
  EXPECT_FALSE(counts_nodes("gpus"));
  EXPECT_FALSE(counts_nodes("gpus_per_node"));
}

TEST(UngroupedColumns, AreThoseOfFewValuesThatVaryAtOneScale) {
  const std::string table =
      "gpus,flavour,note,repeat,seconds\n1,x,a,1,9\n1,y,a,2,8\n2,x,a,1,5\n2,y,a,2,4\n";
  const TableProfile profile = profile_of(table);
  ChosenColumns columns = choose_columns(header_of(table), {}, "runs.csv", &profile);
  EXPECT_THAT(ungrouped_columns(profile, columns), ElementsAre("flavour"));
  columns.by.push_back("flavour");
  EXPECT_THAT(ungrouped_columns(profile, columns), IsEmpty());
}

/// The columns that are not grouped, of a table with `column` beside GPUs and seconds.
std::vector<std::string> ungrouped_of(const std::string& column,
                                      const std::vector<std::string>& values) {
  std::string table = "gpus," + column + ",seconds\n";
  double seconds = 100;
  for (std::size_t i = 0; i < values.size(); ++i) {
    table +=
        std::to_string(1 << (i % 4)) + "," + values[i] + "," + std::to_string(seconds -= 1) + "\n";
  }
  const TableProfile profile = profile_of(table);
  return ungrouped_columns(profile, choose_columns(header_of(table), {}, "runs.csv", &profile));
}

TEST(UngroupedColumns, AreSettingsWithDecimalsToo) {
  const std::vector<std::string> one(4, "2.18");
  std::vector<std::string> values = one;
  values.insert(values.end(), 4, "2.21");
  EXPECT_THAT(ungrouped_of("nccl_ver", values), ElementsAre("nccl_ver"));
  std::replace(values.begin(), values.end(), std::string("2.18"), std::string("1e-4"));
  EXPECT_THAT(ungrouped_of("weighting", values), ElementsAre("weighting"));
}

// Groups by "tile" would have one scale each: told all the same, for it is a setting of a number.
TEST(ToldUngrouped, ManyNumbersNameNoThingsAsManyWordsDo) {
  std::string table = "gpus,tile,host,seconds\n";
  for (int i = 0; i < 24; ++i) {
    const std::string number = std::to_string(i % 8);
    table += std::to_string(1 << (i % 4)) + ",1" + number + ",node" + number + "," +
             std::to_string(100 - i) + "\n";
  }
  const TableProfile profile = profile_of(table);
  const std::vector<std::string> names{"tile", "host"};
  const auto told = told_ungrouped(profile, names, {}, "gpus");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].name, "tile");
  EXPECT_EQ(told[0].values, 8U);
}

TEST(UngroupedColumns, AreNotWhatTheScaleDecides) {
  EXPECT_THAT(ungrouped_of("flavour", {"a", "a", "b", "b", "a", "a", "b", "b"}), IsEmpty());
  EXPECT_THAT(ungrouped_of("flavour", {"a", "a", "b", "b", "b", "a", "b", "a"}),
              ElementsAre("flavour"));
}

TEST(UngroupedColumns, AreNotWhatWasMeasured) {
  // Few values, as they are rounded; but each of them stands at one scale.
  EXPECT_THAT(ungrouped_of("memory_gb", {"9.5", "8.5", "7.5", "6.5", "9.6", "8.6", "7.6", "6.6",
                                         "9.5", "8.5", "7.5", "6.5", "9.6", "8.6", "7.6", "6.6",
                                         "9.5", "8.5", "7.5", "6.5", "9.6", "8.6", "7.6", "6.6"}),
              IsEmpty());
  EXPECT_THAT(ungrouped_of("loss", {"2.1", "2.1", "2.1", "2.1", "2.2", "2.2", "2.2", "2.2"}),
              IsEmpty());
}

/// Five runs from 1 to 16 GPUs with a batch size that grows with them.
std::optional<std::string> work_of_growing_batches(const std::vector<std::string>& y,
                                                   const std::string& name = "step_seconds",
                                                   const RunOptions& options = {}) {
  std::string table = "gpus,global_batch_size," + name + "\n";
  for (std::size_t i = 0; i < y.size(); ++i) {
    table += std::to_string(1 << i) + "," + std::to_string(64 << i) + "," + y[i] + "\n";
  }
  const TableProfile profile = profile_of(table);
  return growing_work(profile, choose_columns(header_of(table), options, "runs.csv", &profile));
}

TEST(GrowingWork, IsABatchThatGrowsWhileTimesStayOrRise) {
  EXPECT_EQ(work_of_growing_batches({"10", "10.1", "10.2", "10.4", "10.3"}), "global_batch_size");
  EXPECT_EQ(work_of_growing_batches({"10", "12", "15", "17", "21"}), "global_batch_size");
}

TEST(GrowingWork, IsNoBatchThatGrowsWhileEpochsGetShorter) {
  EXPECT_EQ(work_of_growing_batches({"80", "41", "22", "12", "7"}, "epoch_seconds"), "");
  // Poor strong scaling over a short range is no weak scaling either.
  EXPECT_EQ(work_of_growing_batches({"80", "62"}, "epoch_seconds"), "");
}

TEST(GrowingWork, IsToldForRatesWhateverTheyDo) {
  EXPECT_EQ(work_of_growing_batches({"10", "19", "38", "70", "130"}, "images_per_second"),
            "global_batch_size");
}

TEST(GrowingWork, IsTokensOfARunAndNoneOfThoseOfAStep) {
  const auto work_of = [](const std::string& y) {
    const std::string table = "gpus,tokens," + y + "\n1,1e9,100\n2,2e9,102\n4,4e9,105\n";
    const TableProfile profile = profile_of(table);
    return growing_work(profile, choose_columns(header_of(table), {}, "runs.csv", &profile))
        .value_or("");
  };
  EXPECT_EQ(work_of("run_s"), "tokens");
  EXPECT_EQ(work_of("step_time_s"), "");
}

TEST(GrowingWork, IsNotKnownWithoutASize) {
  const std::string table = "gpus,seconds\n1,10\n2,10.1\n4,10.3\n";
  const TableProfile profile = profile_of(table);
  EXPECT_EQ(growing_work(profile, choose_columns(header_of(table), {}, "runs.csv", &profile)),
            std::nullopt);
}

TEST(GrowingWork, IsNotSeenAcrossGroups) {
  // Each size is a group of its own, measured at other scales: inside none does it grow.
  const std::string table =
      "gpus,problem_size,seconds\n1,100,10\n2,100,6\n4,200,11\n8,200,7\n16,400,12\n32,400,8\n";
  const TableProfile profile = profile_of(table);
  RunOptions by_size;
  by_size.by = {"problem_size"};
  const auto work =
      growing_work(profile, choose_columns(header_of(table), by_size, "runs.csv", &profile));
  EXPECT_EQ(work.value_or(""), "");
}

/// The columns of the work in a table of two power caps.
std::vector<std::string> unequal_work_in(const std::string& table) {
  const TableProfile profile = profile_of(table);
  RunOptions options;
  options.has_x = false;
  options.factors = {"cap_w"};
  return unequal_work(profile, choose_columns(header_of(table), options, "runs.csv", &profile));
}

TEST(UnequalWork, IsTokensElseSamplesElseStepsOfARun) {
  EXPECT_THAT(unequal_work_in("cap_w,run_s,tokens,steps\n150,10,200,20\n300,12,400,20\n"),
              ElementsAre("tokens"));
  EXPECT_THAT(unequal_work_in("cap_w,run_s,images\n150,10,200\n300,12,400\n"),
              ElementsAre("images"));
  EXPECT_THAT(unequal_work_in("cap_w,run_s,steps\n150,10,20\n300,12,40\n"), ElementsAre("steps"));
  EXPECT_THAT(unequal_work_in("cap_w,run_s,tokens\n150,10,200\n300,12,200\n"), IsEmpty());
}

TEST(UnequalWork, OfAStepIsItsBatch) {
  EXPECT_THAT(unequal_work_in("cap_w,step_time_s,global_batch\n150,1,64\n300,1,128\n"),
              ElementsAre("global_batch"));
  // The batch of a run says nothing of how much it does.
  EXPECT_THAT(unequal_work_in("cap_w,run_s,global_batch\n150,1,64\n300,1,128\n"), IsEmpty());
}

TEST(UnequalWork, IsNotInStepsOfUnlikeBatchesOrScales) {
  EXPECT_THAT(unequal_work_in("cap_w,run_s,steps,batch_size\n150,10,20,64\n300,12,40,32\n"),
              IsEmpty());
  EXPECT_THAT(unequal_work_in("cap_w,run_s,steps,gpus\n150,10,20,8\n300,12,40,4\n"), IsEmpty());
}

TEST(UnequalWork, IsNoNumberOfARowOrOfRepetitions) {
  EXPECT_THAT(unequal_work_in("cap_w,run_s,sample\n150,10,1\n150,11,2\n300,12,1\n300,12,2\n"),
              IsEmpty());
  EXPECT_THAT(unequal_work_in("cap_w,avg_s,samples\n150,10,30\n300,12,20\n"), IsEmpty());
}

TEST(UnequalWork, IsNoReadingOfASensorAndNoLimit) {
  EXPECT_THAT(unequal_work_in("cap_w,run_s,samples,samples_dropped\n150,20,200,0\n300,10,100,0\n"),
              IsEmpty());
  EXPECT_THAT(unequal_work_in("cap_w,run_s,max_steps\n150,20,200\n300,10,100\n"), IsEmpty());
}

TEST(PartlyGrowingWork, NamesTheGroupsInWhichItGrows) {
  const std::string table =
      "framework,gpus,global_batch_size,seconds_per_step\n"
      "Megatron,8,512,8\nMegatron,16,512,4.1\nMegatron,32,512,2.2\n"
      "Titan,8,64,1.0\nTitan,16,128,1.02\nTitan,32,256,1.05\n";
  const TableProfile profile = profile_of(table);
  const ChosenColumns columns = choose_columns(header_of(table), {}, "runs.csv", &profile);
  const auto part = partly_growing_work(profile, columns);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->column, "global_batch_size");
  EXPECT_THAT(part->groups, ElementsAre(ElementsAre("Titan")));
  EXPECT_EQ(growing_work(profile, columns), "");
  const std::string titan = "gpus,global_batch_size,seconds_per_step\n8,64,1\n16,128,1.02\n";
  const TableProfile alone = profile_of(titan);
  EXPECT_FALSE(
      partly_growing_work(alone, choose_columns(header_of(titan), {}, "runs.csv", &alone)));
}

TEST(PartlyGrowingWork, IsOfTheGroupsThatAColumnCallsWeak) {
  const std::string table =
      "Net,mode,gpus,wall_s\na,weak,8,60\na,weak,16,62\na,weak,32,64\n"
      "a,strong,8,60\na,strong,16,31\na,strong,32,17\n";
  const TableProfile profile = profile_of(table);
  const ChosenColumns columns = choose_columns(header_of(table), {}, "runs.csv", &profile);
  EXPECT_THAT(columns.by, ElementsAre("mode"));
  const auto part = partly_growing_work(profile, columns);
  ASSERT_TRUE(part);
  EXPECT_THAT(part->groups, ElementsAre(ElementsAre("weak")));
  EXPECT_EQ(part->reason(columns.by, "gpus"), "'mode' says so");
  EXPECT_EQ(part->reason({}, "gpus"), "'mode' grows with gpus there");
  EXPECT_THAT(choose_by_values("Net,gpus,wall_s\na,8,60\na,16,31\nb,8,60\nb,16,31\n").by,
              ElementsAre("Net"));
}

/// Losses with the time of a step: three sizes of a model at three numbers of tokens, each on two
/// numbers of GPUs.
std::string losses_with_times(const std::string& time) {
  std::string table = "params,tokens,loss,gpus," + time + "\n";
  for (int i = 0; i < 18; ++i) {
    table += std::to_string(100000000 * (1 + i % 3)) + "," +
             std::to_string(1000000000LL * (1 + i / 3 % 3)) + "," + std::to_string(3 - 0.01 * i) +
             "," + std::to_string(8 << (i / 9)) + "," + std::to_string(0.1 * (1 + i % 3)) + "\n";
  }
  return table;
}

TEST(ChooseColumns, GroupTimesOfModelsByTheirSizes) {
  const std::string table = losses_with_times("step_time_s");
  const TableProfile profile = profile_of(table);
  const ChosenColumns columns = choose_columns(header_of(table), {}, "runs.csv", &profile);
  EXPECT_EQ(columns.y, "step_time_s");
  EXPECT_THAT(columns.by, ElementsAre("params"));
  // How long a model was trained does not change the time of a step, but that of a run.
  EXPECT_THAT(ungrouped_columns(profile, columns), IsEmpty());
  const std::string of_runs = losses_with_times("train_time_s");
  const TableProfile runs = profile_of(of_runs);
  EXPECT_THAT(ungrouped_columns(runs, choose_columns(header_of(of_runs), {}, "runs.csv", &runs)),
              ElementsAre("tokens"));
}

TEST(UngroupedColumns, AreNotCommitsNorBuilds) {
  for (const char* name : {"commit", "git_sha", "Hash", "revision", "build", "date"}) {
    const std::vector<std::string> values{"a1", "a1", "a1", "a1", "b2", "b2", "b2", "b2"};
    EXPECT_THAT(ungrouped_of(name, values), IsEmpty()) << name;
    EXPECT_THAT(choose(std::string(name) + ",gpus,seconds\n").by, IsEmpty()) << name;
  }
  EXPECT_THAT(choose("build_type,gpus,seconds\n").by, ElementsAre("build_type"));
}

std::string required_error_of(const std::string& header, const std::string& name) {
  try {
    required_column(header_of(header), name, "runs.csv");
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RequiredColumn, IsThePlaceOfTheColumn) {
  EXPECT_EQ(required_column(header_of("a,b,c\n"), "c", "runs.csv"), 2u);
  EXPECT_EQ(required_column(header_of("a,power [W]\n"), "power", "runs.csv"), 1u);
}

TEST(RequiredColumn, NamesTheNearestAndTheList) {
  EXPECT_EQ(required_error_of("nodes,seconds,joules\n", "secunds"),
            "runs.csv: there is no column 'secunds' (did you mean 'seconds'?); columns are: nodes, "
            "seconds, joules");
  EXPECT_EQ(required_error_of("nodes,seconds\n", "benchmark"),
            "runs.csv: there is no column 'benchmark'; columns are: nodes, seconds");
}

TEST(RequiredColumn, CutsLongLists) {
  std::string header = "c0";
  for (int i = 1; i < 50; ++i) header += ",c" + std::to_string(i);
  const std::string error = required_error_of(header + "\n", "zzzzzz");
  EXPECT_THAT(error, HasSubstr("c39, and 10 more"));
  EXPECT_LT(required_error_of(std::string(10'000, 'x') + ",b\n", "zzzzzz").size(), 200u);
}

TEST(DescriptionOf, SaysWhatIsRead) {
  ChosenColumns columns{.x = "gpus",
                        .y = "seconds",
                        .by = {"model", "cap"},
                        .run = {},
                        .weights = {},
                        .unused_run = {}};
  EXPECT_EQ(description_of(columns), "x: gpus, y: seconds, by: model, cap");
  columns.by.clear();
  columns.run = "job";
  columns.weights = "w";
  EXPECT_EQ(description_of(columns),
            "x: gpus, y: seconds, by: nothing (one group), run: job, weights: w");
}

TEST(ChooseColumns, FactorsStandLastWhetherOrNotTheyAreAmongTheGroupColumns) {
  const std::string header = "model,power_cap_w,clock_mhz,batch,gpus,seconds\n";
  RunOptions options;
  options.factors = {"power_cap_w"};
  const ChosenColumns automatic = choose(header, options);
  EXPECT_THAT(automatic.by, ElementsAre("model", "clock_mhz", "power_cap_w"));
  EXPECT_EQ(automatic.factors, 1);
  EXPECT_EQ(description_of(automatic),
            "x: gpus, y: seconds, by: model, clock_mhz, compared: power_cap_w");
  options.by = {"power_cap_w", "model"};
  EXPECT_THAT(choose(header, options).by, ElementsAre("model", "power_cap_w"));
  options.factors = {"batch", "clock_mhz"};
  EXPECT_THAT(choose(header, options).by,
              ElementsAre("power_cap_w", "model", "batch", "clock_mhz"));
}

TEST(ChooseColumns, AFactorSpelledWithItsUnitIsTheSameColumn) {
  RunOptions options;
  options.factors = {"power_cap_w [W]"};
  EXPECT_THAT(choose("model,power_cap_w [W],gpus,seconds\n", options).by,
              ElementsAre("model", "power_cap_w [W]"));
}

TEST(ChooseColumns, AFactorIsNothingElse) {
  RunOptions options;
  options.factors = {"gpus"};
  EXPECT_EQ(error_of("gpus,seconds\n", options),
            "the column 'gpus' is the scale (x) already: name another one to compare");
  options.factors = {"seconds"};
  EXPECT_THAT(error_of("gpus,seconds\n", options), HasSubstr("is what was measured (y) already"));
  options.factors = {"cap", "cap"};
  EXPECT_THAT(error_of("gpus,seconds,cap\n", options), HasSubstr("named twice"));
}

}  // namespace
}  // namespace scalelaw
