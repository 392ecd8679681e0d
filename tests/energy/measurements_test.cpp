#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/energy/plausible_power.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

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
