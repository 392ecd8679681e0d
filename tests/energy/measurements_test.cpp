#include "scalelaw/energy/measurements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runs/run_files.hpp"
#include "scalelaw/base/error.hpp"
#include "support/command.hpp"

namespace scalelaw::test {
namespace {

using testing::HasSubstr;

MeasuredRuns measured_runs(const std::string& text, const MeasureOptions& options = {}) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "runs.csv").string();
  write_bytes(path, text);
  return read_measured_runs({path}, options, {});
}

TEST(MeasuredRuns, TakeTheEnergiesOfCodeCarbonForKilowattHours) {
  const MeasuredRuns runs = measured_runs(
      "timestamp,duration,emissions,energy_consumed,gpu_count\n"
      "2024-05-31T10:39:13,100,0.1,0.02,1\n2024-05-31T10:39:13,60,0.1,0.021,2\n");
  EXPECT_THAT(runs.measurements(0).joules, testing::ElementsAre(72000, 75600));
  EXPECT_THAT(runs.choice, HasSubstr("'energy_consumed' is in kWh, as CodeCarbon writes it"));
  EXPECT_EQ(implausible_power_warning(runs), "");
}

TEST(MeasuredRuns, TakeTheSameNameInAnotherTableForJoulesAndSaySo) {
  const MeasuredRuns runs =
      measured_runs("gpus,seconds,energy_consumed\n1,100,30000\n2,60,40000\n");
  EXPECT_THAT(runs.measurements(0).joules, testing::ElementsAre(30000, 40000));
  EXPECT_THAT(runs.choice, HasSubstr("taken as joules"));
}

TEST(EnergyCells, ArePowerTimesGpusTimesTimeInJoules) {
  const MeasuredRuns runs = measured_runs(
      "model,gpus,minutes,avg_power_kw\nA,2,10,0.25\nA,2,12,0.25\nA,4,6,0.24\nB,8,1,0.3\n");
  const GroupedCells energies = energy_cells(runs, {});
  ASSERT_EQ(energies.size(), 2U);
  EXPECT_EQ(energies.key(1), GroupKey{"B"});
  std::vector<Cell> cells;
  energies.cells(0, cells);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].x, 2);
  EXPECT_EQ(cells[0].count, 2U);
  EXPECT_DOUBLE_EQ(cells[0].min, 300000);  // 250 W, 2 GPUs, 600 s.
  EXPECT_DOUBLE_EQ(cells[0].max, 360000);
  EXPECT_DOUBLE_EQ(cells[1].mean, 345600);
}

TEST(EnergyCells, MultiplyByTheGpusAlthoughNodesAreTheScale) {
  const MeasuredRuns runs =
      measured_runs("nodes,gpus,seconds,power_w\n1,4,100,250\n2,8,50,250\n", {.x = "nodes"});
  std::vector<Cell> cells;
  energy_cells(runs, {}).cells(0, cells);
  EXPECT_EQ(cells[0].x, 1);
  EXPECT_DOUBLE_EQ(cells[0].mean, 100000);
  EXPECT_EQ(energy_words(runs), "power_w times gpus times seconds");
}

TEST(EnergyCells, HaveTheWeightsAndTheMediansThatAreAskedFor) {
  const std::string table = "gpus,seconds,power_w,w\n1,10,1,1\n1,20,1,2\n1,60,1,4\n";
  RunOptions options;
  options.points = scalelaw::Points::kMedian;
  std::vector<Cell> cells;
  energy_cells(measured_runs(table), options).cells(0, cells);
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_DOUBLE_EQ(cells[0].mean, 20);
  options = {};
  options.weights = "w";
  energy_cells(measured_runs(table, {.more = {{.name = "w"}}}), options).cells(0, cells);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[2].mean, 60);
  EXPECT_EQ(cells[2].weight, 4);
}

TEST(MeasuredRuns, TakeATotalPowerForThatOfAllGpus) {
  const std::string table = "gpus,seconds,Total Power (kW)\n8,100,3.2\n64,15,26\n";
  const MeasuredRuns runs = measured_runs(table);
  EXPECT_TRUE(runs.columns.total_power);
  EXPECT_DOUBLE_EQ(runs.measurements(0).joules.front(), 320000);
  EXPECT_THAT(runs.choice, HasSubstr("; power of all GPUs by its name: Total Power"));
}

TEST(MeasuredRuns, RefuseATotalPowerThatIsNamedAsThatOfOneGpu) {
  const std::string table = "gpus,seconds,total_power_w\n8,100,3200\n64,15,26000\n";
  EXPECT_THAT(
      [&] { measured_runs(table, {.power = "total_power_w"}); },
      testing::ThrowsMessage<DataError>(HasSubstr("add --total-power to --power total_power_w")));
}

TEST(MeasuredRuns, TakeNoPeakOrNodeForATotalPower) {
  for (const char* name : {"Total Power (kW)", "total_power_w", "power_total_w"}) {
    EXPECT_TRUE(is_total_power(name)) << name;
  }
  for (const char* name : {"max_total_power_w", "total_node_power", "power_w", "total_energy_j"}) {
    EXPECT_FALSE(is_total_power(name)) << name;
  }
}

TEST(EnergyWords, NameTheColumnOrWhatIsMultiplied) {
  const std::string table = "gpus,seconds,power_w\n1,100,250\n2,60,500\n";
  EXPECT_EQ(energy_words(measured_runs(table)), "power_w times gpus times seconds");
  EXPECT_EQ(energy_words(measured_runs(table, {.total_power = true})), "power_w times seconds");
  EXPECT_EQ(energy_words(measured_runs("gpus,seconds,energy_j,power_w\n1,100,25000,250\n")),
            "energy_j");
}

TEST(MeasuredRuns, SayThatTwoEnergiesAreEquallyGoodWhereAPowerIsTaken) {
  const MeasuredRuns runs =
      measured_runs("gpus,seconds,gpu_energy_j,node_energy_j,power_w\n1,9,10,20,1\n2,5,12,24,1\n");
  EXPECT_EQ(energy_words(runs), "power_w times gpus times seconds");
  EXPECT_THAT(runs.assumed,
              testing::ElementsAre("gpu_energy_j, node_energy_j may each be the energy, so none is "
                                   "taken: --energy names one"));
  EXPECT_THAT(runs.choice, HasSubstr("; gpu_energy_j, node_energy_j may each be the energy"));
}

TEST(HasPowerColumn, KnowsAPowerThatWasDrawnFromALimit) {
  const Files files(
      {"gpus,seconds,power_cap_w\n1,100,250\n", "gpus,seconds,avg power [kW]\n1,9,1\n"});
  EXPECT_FALSE(has_power_column({files.paths()[0]}));
  EXPECT_TRUE(has_power_column({files.paths()[1]}));
  EXPECT_FALSE(has_power_column({"-"}));
}

TEST(ImplausiblePowerWarning, TellsOfTooLittleAndTooMuchPerGpu) {
  EXPECT_EQ(implausible_power_warning(
                measured_runs("gpus,seconds,energy_j\n1,100,500\n2,100,400000\n4,1,8000\n")),
            "");
  EXPECT_THAT(implausible_power_warning(
                  measured_runs("gpus,seconds,energy_j\n1,100,499\n2,100,400001\n4,1,800\n")),
              HasSubstr("2 runs drew less than 5 W or more than 2,000 W per GPU (4.99 to 2000 W): "
                        "check the unit"));
}

TEST(ImplausiblePowerWarning, TellsOnlyOfTooLittleWhereNothingCountsGpus) {
  const std::string warning = implausible_power_warning(
      measured_runs("nodes,seconds,energy_j\n1,100,100000000\n2,100,9\n"));
  EXPECT_THAT(warning, HasSubstr("1 run drew less than 5 W per GPU (0.09 W)"));
}

TEST(ImplausiblePowerWarning, NamesTheOptionThatAPowerOfAllGpusNeeds) {
  EXPECT_THAT(implausible_power_warning(
                  measured_runs("gpus,seconds,power_mean_w\n8,100,4400\n8,60,4500\n")),
              HasSubstr("(4400 to 4500 W): 'power_mean_w' is taken as the power of one GPU: "
                        "--total-power takes it as that of all GPUs together"));
  EXPECT_THAT(odd_power_warning(std::vector{9000.0}, {.name = "watts", .is_total = true}),
              HasSubstr("'watts' is taken as the power of all GPUs together (--total-power)"));
}

TEST(ImplausiblePowerWarning, MultipliesThePowerOfOneGpu) {
  EXPECT_EQ(
      implausible_power_warning(measured_runs("gpus,seconds,power_mean_w\n1,100,300\n64,60,310\n")),
      "");
  EXPECT_NE(implausible_power_warning(
                measured_runs("gpus,seconds,power_mean_w\n1,100,300000\n64,60,310000\n")),
            "");
}

}  // namespace
}  // namespace scalelaw::test
