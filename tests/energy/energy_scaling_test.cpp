#include "scalelaw/energy/energy_scaling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "support/command.hpp"
#include "support/places.hpp"

namespace scalelaw::test {
namespace {

using testing::HasSubstr;

const double kNone = std::numeric_limits<double>::quiet_NaN();

/// The runs of oracle/energy_oracle.py.
EnergyRuns oracle_runs() {
  EnergyRuns runs;
  runs.measured.x = {1, 1, 1, 4, 4, 4, 16, 16, 16, 64, 64, 64};
  runs.measured.seconds = {1000, 1030, 985, 290, 283, 297, 104, 108, 101, 61, 59, 63};
  runs.measured.joules = {301e3, 309e3, 297e3, 335e3,  331e3,  340e3,
                          462e3, 481e3, 455e3, 1040e3, 1012e3, 1071e3};
  const std::vector<double> watts{299, 301, 300, 288, 291, 287, 277, 279, 280, 266, 267, 265};
  for (std::size_t i = 0; i < watts.size(); ++i) {
    runs.measured.watts.push_back(watts[i] * runs.measured.x[i]);
  }
  runs.power = PowerSource::kOwnColumn;
  runs.batch = {32, 64, 32, 64, 64, 128, 256, 128, 256, 512, 512, 1024};
  runs.samples = std::vector<double>(12, 50000);
  return runs;
}

void expect_estimate(const Estimate& found, double estimate, double se, double lower,
                     double upper) {
  EXPECT_NEAR(found.estimate, estimate, 1e-10);
  EXPECT_NEAR(*found.se, se, 1e-10);
  EXPECT_NEAR(found.ci->lower, lower, 1e-10);
  EXPECT_NEAR(found.ci->upper, upper, 1e-10);
}

void expect_ratio(const Ratio& found, double value, double lower, double upper) {
  EXPECT_NEAR(found.value, value, 1e-10 * value);
  EXPECT_NEAR(found.ci->lower, lower, 1e-10 * value);
  EXPECT_NEAR(found.ci->upper, upper, 1e-10 * value);
}

// Expected values here and below: oracle/energy_oracle.py (statsmodels 0.13, scipy 1.10).
TEST(EnergyScaling, ExponentsAgreeWithStatsmodels) {
  const EnergyScaling scaling = energy_scaling(oracle_runs());
  const auto& exponents = std::get<EnergyExponents>(scaling.exponents);
  expect_estimate(exponents.time.parameters.back(), 0.680132421376, 0.0368378443871, 0.598052589074,
                  0.762212253677);
  expect_estimate(std::get<Fit>(exponents.power).parameters.back(), -0.0285733358441,
                  0.00100985512331, -0.0308234332792, -0.026323238409);
  expect_estimate(exponents.energy.parameters.back(), 0.291256270217, 0.036372744868,
                  0.210212744224, 0.37229979621);
  expect_estimate(exponents.edp, -0.388876151159, 0.0732011064938, -0.551978380545,
                  -0.225773921773);
}

TEST(EnergyScaling, ThePowerColumnChecksTheEnergyColumn) {
  const EnergyScaling scaling = energy_scaling(oracle_runs());
  const auto& exponents = std::get<EnergyExponents>(scaling.exponents);
  const IdentityCheck& identity = scaling.identity;
  EXPECT_EQ(identity.verdict, IdentityVerdict::kAgrees);
  EXPECT_EQ(identity.n, 12U);
  expect_estimate(*identity.residual, -3.7972563346e-05, 0.00065970521417, -0.00150788738188,
                  0.00143194225519);
  EXPECT_NEAR(*identity.residual->p, 0.955233114746, 1e-8);
  expect_ratio(*identity.level, 1.00219615359, 1.00004763124, 1.00434929187);
  // The residual is the difference between the exponents.
  const double left = exponents.energy.parameters.back().estimate -
                      (1 - exponents.time.parameters.back().estimate +
                       std::get<Fit>(exponents.power).parameters.back().estimate);
  EXPECT_NEAR(identity.residual->estimate, left, 1e-13);
}

TEST(EnergyScaling, PowerThatDriftsFromTheEnergyIsFound) {
  EnergyRuns runs = oracle_runs();
  for (std::size_t i = 0; i < 12; ++i) {
    runs.measured.watts[i] *= std::pow(runs.measured.x[i], -0.1);
  }
  const EnergyScaling scaling = energy_scaling(runs);
  EXPECT_EQ(scaling.identity.verdict, IdentityVerdict::kDisagrees);
  EXPECT_NEAR(scaling.identity.residual->estimate, 0.1 - 3.7972563346e-05, 1e-10);
}

// A node's power taken as that of one of its eight GPUs: exponents agree, but the level is 1/8.
TEST(EnergyScaling, PowerOfANodeIsSeenInTheLevel) {
  EnergyRuns runs = oracle_runs();
  for (double& watts : runs.measured.watts) watts *= 8;
  const EnergyScaling scaling = energy_scaling(runs);
  EXPECT_EQ(scaling.identity.verdict, IdentityVerdict::kLevelOff);
  EXPECT_LE(scaling.identity.residual->ci->upper, kIdentityMargin);
  EXPECT_LT(scaling.identity.level->ci->upper, 0.5);
}

TEST(EnergyScaling, ALevelWithinTwoIsLosses) {
  EnergyRuns runs = oracle_runs();
  for (double& watts : runs.measured.watts) watts /= 1.8;
  EXPECT_EQ(energy_scaling(runs).identity.verdict, IdentityVerdict::kAgrees);
}

TEST(EnergyScaling, WithoutAPowerColumnTheIdentityIsNoCheck) {
  EnergyRuns runs = oracle_runs();
  runs.measured.watts.clear();
  runs.power = PowerSource::kFromEnergy;
  const EnergyScaling scaling = energy_scaling(runs);
  EXPECT_EQ(scaling.identity.verdict, IdentityVerdict::kByConstruction);
  EXPECT_FALSE(scaling.identity.residual);
}

TEST(EnergyScaling, RunsWithoutPowerAreLeftOutOfTheCheckOnly) {
  EnergyRuns runs = oracle_runs();
  runs.measured.watts[0] = kNone;
  runs.measured.watts[5] = kNone;
  const EnergyScaling scaling = energy_scaling(runs);
  EXPECT_EQ(scaling.identity.n, 10U);
  const auto& exponents = std::get<EnergyExponents>(scaling.exponents);
  EXPECT_EQ(std::get<Fit>(exponents.power).n, 10U);
  EXPECT_EQ(exponents.energy.n, 12U);
  runs.measured.watts.assign(12, kNone);
  const EnergyScaling none = energy_scaling(runs);
  EXPECT_EQ(none.identity.verdict, IdentityVerdict::kUndecided);
  EXPECT_THAT(none.identity.reason, HasSubstr("no run has a value"));
}

TEST(EnergyScaling, EnergyAgainstGpuHours) {
  const GpuHoursFit fit = energy_scaling(oracle_runs()).gpu_hours;
  const Parameter& k = std::get<Fit>(fit.origin).parameters.back();
  EXPECT_NEAR(k.estimate, 283.67429807, 1e-6);
  EXPECT_NEAR(k.ci->lower, 275.368759755, 1e-5);
  EXPECT_NEAR(k.ci->upper, 292.230343982, 1e-5);
  const Fit& line = std::get<Fit>(fit.intercept);
  EXPECT_NEAR(line.parameters[0].estimate, 12.1001958344, 1e-6);
  EXPECT_NEAR(line.parameters[1].estimate, 254.393269757, 1e-5);
  EXPECT_NEAR(line.parameters[0].ci->lower, 10.4040551098, 1e-6);
  EXPECT_NEAR(line.parameters[0].ci->upper, 13.792721233, 1e-6);
  const Fit& origin_least = std::get<Fit>(fit.origin_least);
  EXPECT_NEAR(origin_least.parameters.back().estimate, 271.504779731, 1e-8);
  EXPECT_NEAR(*origin_least.r2, 0.998778839122, 1e-11);
  EXPECT_NEAR(*fit.origin_least_r2_mean, 0.994829231661, 1e-11);
  const Fit& line_least = std::get<Fit>(fit.intercept_least);
  EXPECT_NEAR(line_least.parameters[0].estimate, 11.3988369424, 1e-8);
  EXPECT_NEAR(line_least.parameters[1].estimate, 255.936689386, 1e-8);
  EXPECT_NEAR(*line_least.r2, 0.99986991422, 1e-11);
}

TEST(EnergyScaling, TheIntervalOfKIsPositiveHoweverFewTheRuns) {
  EnergyRuns runs;
  runs.measured.x = {1, 2, 4};
  runs.measured.seconds = {10, 5, 1};
  runs.measured.joules = {3000, 2000, 9000};
  const Fit origin = std::get<Fit>(energy_scaling(runs).gpu_hours.origin);
  // numpy: exp(mean +- 4.3026527297 sd / sqrt 3) of ln{300, 200, 2250}.
  EXPECT_NEAR(origin.parameters.back().estimate, 512.992784003, 1e-6);
  EXPECT_NEAR(origin.parameters.back().ci->lower, 20.4926265337, 1e-6);
  EXPECT_NEAR(origin.parameters.back().ci->upper, 12841.7699901, 1e-3);
}

TEST(EnergyScaling, WhatMovesTheWattsOfAGpu) {
  const EnergyScaling scaling = energy_scaling(oracle_runs());
  ASSERT_EQ(scaling.drivers.size(), 5U);
  const std::vector<std::pair<std::string_view, double>> expected{
      {"scale", -0.0286113084074},
      {"global_batch", -0.0394032996969},
      {"local_batch", 0.0566600634592},
      {"samples_per_gpu_hour", 0.0805113810147},
      {"updates_per_gpu_hour", 0.0272839626359}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(scaling.drivers[i].name, expected[i].first);
    EXPECT_NEAR(scaling.drivers[i].slope->estimate, expected[i].second, 1e-10);
  }
  EXPECT_NEAR(*scaling.drivers[2].slope->p, 0.00237413811554, 1e-11);
  EXPECT_NEAR(*scaling.drivers[2].r2, 0.619688046115, 1e-10);
  ASSERT_TRUE(scaling.joint);
  EXPECT_NEAR(scaling.joint->samples.estimate, 0.012167420688, 1e-10);
  EXPECT_NEAR(*scaling.joint->samples.se, 0.0270047613795, 1e-10);
  EXPECT_NEAR(scaling.joint->updates.estimate, 0.0233810896111, 1e-10);
  EXPECT_NEAR(*scaling.joint->updates.se, 0.00894572607893, 1e-10);
  EXPECT_NEAR(*scaling.joint->r2, 0.943144168223, 1e-10);
}

TEST(EnergyScaling, OneBatchSizeLeavesSamplesAndUpdatesOneThing) {
  EnergyRuns runs = oracle_runs();
  runs.batch.assign(12, 64);
  const EnergyScaling scaling = energy_scaling(runs);
  EXPECT_FALSE(scaling.joint);
  EXPECT_FALSE(scaling.drivers[1].slope);
  EXPECT_EQ(scaling.drivers[1].reason, "one value only");
}

TEST(EnergyScaling, RatiosToTheSmallestN) {
  const EnergyScaling scaling = energy_scaling(oracle_runs());
  ASSERT_EQ(scaling.scales.size(), 4U);
  EXPECT_EQ(scaling.scales[0].speedup.value, 1);
  EXPECT_FALSE(scaling.scales[0].speedup.ci);
  const EnergyAtScale& last = scaling.scales[3];
  EXPECT_EQ(last.x, 64);
  EXPECT_EQ(last.n, 3U);
  expect_ratio(last.speedup, 16.4784750853, 15.6105147565, 17.3946948818);
  expect_ratio(*last.efficiency, 0.257476173208, 0.243914293071, 0.271792107528);
  expect_ratio(last.energy, 3.44276436789, 3.29359337267, 3.59869150552);
  expect_ratio(last.edp, 0.20892493693, 0.189421932744, 0.230435982987);
  EXPECT_FALSE(last.sample_energy);
}

LeastUnderLaw under(const EnergyScaling& scaling, std::string_view law) {
  for (const LeastUnderLaw& one : scaling.least) {
    if (one.law == law) return one;
  }
  throw std::out_of_range("no such law");
}

TEST(EnergyScaling, WhereTheEnergyDelayProductIsLeast) {
  const EnergyScaling scaling = energy_scaling(oracle_runs());
  const LeastUnderLaw amdahl = under(scaling, "amdahl");
  ASSERT_EQ(amdahl.rejected, "");
  const Least& edp = amdahl.least.at(1);
  EXPECT_EQ(edp.objective, Objective::kEnergyDelay);
  EXPECT_EQ(edp.x, 22);
  EXPECT_EQ(edp.place, LeastPlace::kInside);
  EXPECT_EQ(edp.ci->lower, 21);
  EXPECT_EQ(edp.ci->upper, 24);
  EXPECT_NEAR(edp.against_smallest, 0.158021239011, 1e-7);
  EXPECT_THAT(under(scaling, "power").rejected, HasSubstr("lack of fit"));
  const LeastUnderLaw measured = under(scaling, "measured");
  EXPECT_EQ(measured.least.at(0).place, LeastPlace::kSmallest);
  EXPECT_EQ(measured.least.at(1).x, 16);
}

TEST(EnergyScaling, UnderThePowerLawTheLeastIsAtAnEnd) {
  EnergyRuns runs = oracle_runs();
  runs.measured.watts.clear();
  runs.power = PowerSource::kFromEnergy;
  for (std::size_t i = 0; i < 12; ++i) {
    const double scatter = i % 3 == 0 ? 1.02 : i % 3 == 1 ? 0.99 : 1.0;
    runs.measured.seconds[i] = 1000 * std::pow(runs.measured.x[i], -0.8) * scatter;
    runs.measured.joules[i] = runs.measured.x[i] * runs.measured.seconds[i] * 300;
  }
  const LeastUnderLaw power = under(energy_scaling(runs), "power");
  EXPECT_EQ(power.least.at(0).place, LeastPlace::kSmallest);  // E as N^0.2,
  EXPECT_EQ(power.least.at(1).place, LeastPlace::kLargest);   // E t as N^-0.6.
  EXPECT_EQ(power.least.at(1).x, 64);
  EXPECT_NEAR(power.least.at(1).against_smallest, 0.08246924442330587, 1e-9);  // 64^-0.6
}

// Energy 400 b^0.25 * 3600 J in 1000 b^-0.25 s, so that a run draws 1440 b^0.5 W, whatever shares
// it.
TEST(EnergyScaling, OverASettingPowerAndHoursAreThoseOfTheRun) {
  EnergyRuns runs;
  runs.x_shares_work = false;
  for (const double b : {16, 81, 256}) {
    runs.measured.x.push_back(b);
    runs.measured.seconds.push_back(1000 * std::pow(b, -0.25));
    runs.measured.joules.push_back(1.44e6 * std::pow(b, 0.25));
  }
  const EnergyScaling scaling = energy_scaling(runs);
  EXPECT_NEAR(scaling.scales[0].watts_per_gpu, 5760, 1e-9);   // 1440 * 16^0.5
  EXPECT_NEAR(scaling.scales[2].watts_per_gpu, 23040, 1e-8);  // 1440 * 256^0.5
  EXPECT_NEAR(scaling.scales[0].gpu_hours, 500.0 / 3600, 1e-12);
  EXPECT_FALSE(scaling.scales[2].efficiency);
  const auto& exponents = std::get<EnergyExponents>(scaling.exponents);
  EXPECT_NEAR(std::get<Fit>(exponents.power).parameters.back().estimate, 0.5, 1e-12);
  const LeastUnderLaw power = under(scaling, "power");
  EXPECT_NEAR(power.least.at(0).against_smallest, 1, 1e-9);  // E as b^0.25: least at 16.
  EXPECT_EQ(power.least.at(0).place, LeastPlace::kSmallest);
  EXPECT_NEAR(scaling.totals.gpu_hours, (500 + 1000 / 3.0 + 250) / 3600, 1e-12);
}

TEST(EnergyScaling, ALawThroughAllRunsIsTheBest) {
  EnergyRuns runs;
  for (const double n : {1, 2, 4, 8, 16, 32, 64}) {
    runs.measured.x.push_back(n);
    runs.measured.seconds.push_back(1000 * std::pow(n, -0.8));
    runs.measured.joules.push_back(300 * n * runs.measured.seconds.back());
  }
  const EnergyScaling scaling = energy_scaling(runs);
  const LeastUnderLaw power = under(scaling, "power");
  EXPECT_TRUE(power.best);
  EXPECT_EQ(power.least.at(1).x, 64);  // E t as N^-0.6.
  EXPECT_FALSE(under(scaling, "amdahl").best);
  EXPECT_THAT(under(scaling, "amdahl").rejected, HasSubstr("every run lies on power"));
}

TEST(EnergyScaling, OfMeasuredScalesThatAreEquallyGoodTheSmallestIsTold) {
  EnergyRuns runs;
  for (const double n : {1, 2, 4, 8, 16}) {
    runs.measured.x.push_back(n);
    runs.measured.seconds.push_back(1024 / n);
    runs.measured.joules.push_back(n == 2 || n == 8 ? 300e3 : 320e3);
  }
  const LeastUnderLaw measured = under(energy_scaling(runs), "measured");
  EXPECT_EQ(measured.least.at(0).x, 2);
  EXPECT_EQ(measured.least.at(0).place, LeastPlace::kInside);
}

// With t = 1 + 12345 / N and 300 W per GPU, E t = 300 (N + 24690 + 12345^2 / N), which is least at
// N = 12345. So many N are first looked at in steps of a percent.
TEST(EnergyScaling, TheLeastOfManyScalesIsFoundToOneGpu) {
  EnergyRuns runs;
  for (const double n : {1.0, 10.0, 100.0, 1000.0, 1e4, 1e5}) {
    runs.measured.x.push_back(n);
    runs.measured.seconds.push_back(1 + 12345 / n);
    runs.measured.joules.push_back(300 * n * runs.measured.seconds.back());
  }
  const LeastUnderLaw amdahl = under(energy_scaling(runs), "amdahl");
  ASSERT_EQ(amdahl.rejected, "");
  EXPECT_EQ(amdahl.least.at(1).objective, Objective::kEnergyDelay);
  EXPECT_EQ(amdahl.least.at(1).x, 12345);
}

// With t = 1 + 16 / N and P = 1000 / N, E = 1000 t, so that E and E t fall as N grows. A joule for
// 4e-6 and a GPU-second for 0.001 make 0.02 + 0.001 N + 0.064 / N, which is least at N = 8.
TEST(EnergyScaling, EachObjectiveHasItsOwnLeast) {
  EnergyRuns runs;
  for (const double n : {1, 2, 4, 16, 32, 64}) {
    runs.measured.x.push_back(n);
    runs.measured.seconds.push_back(1 + 16 / n);
    runs.measured.joules.push_back(1000 * (1 + 16 / n));
  }
  EnergyOptions options;
  options.footprint.price = 14.4;
  options.gpu_price = 3.6;
  const LeastUnderLaw amdahl = under(energy_scaling(runs, options), "amdahl");
  ASSERT_EQ(amdahl.rejected, "");
  ASSERT_EQ(amdahl.least.size(), 3U);
  EXPECT_EQ(amdahl.least[0].objective, Objective::kEnergy);
  EXPECT_EQ(amdahl.least[0].place, LeastPlace::kLargest);
  EXPECT_NEAR(amdahl.least[0].against_smallest, 1.25 / 17, 1e-9);
  EXPECT_EQ(amdahl.least[1].objective, Objective::kEnergyDelay);
  EXPECT_EQ(amdahl.least[1].place, LeastPlace::kLargest);
  EXPECT_NEAR(amdahl.least[1].against_smallest, 1.25 * 1.25 / (17 * 17), 1e-9);
  EXPECT_EQ(amdahl.least[2].objective, Objective::kCost);
  EXPECT_EQ(amdahl.least[2].x, 8);
  EXPECT_NEAR(amdahl.least[2].against_smallest, 0.036 / 0.085, 1e-9);
}

// One N that is a slip of the keyboard must not keep the search from ending.
TEST(EnergyScaling, TheSearchForTheLeastEndsWhereWholeNumbersDo) {
  EnergyRuns runs = oracle_runs();
  runs.measured.x[5] = 1e40;
  for (const LeastUnderLaw& one : energy_scaling(runs).least) {
    for (const Least& least : one.least) EXPECT_LE(least.x, 1e40) << one.law;
  }
}

// A law of three parameters always passes through three means, and a law of two through two.
TEST(EnergyScaling, LawsThatNothingCanContradictHaveNoMinimum) {
  EnergyRuns runs;
  runs.measured.x = {1, 1, 8, 8, 64, 64};
  runs.measured.seconds = {100, 102, 20, 19, 9, 9.5};
  runs.measured.joules = {3e4, 3.1e4, 4.5e4, 4.4e4, 1.6e5, 1.5e5};
  EnergyScaling scaling = energy_scaling(runs);
  EXPECT_THAT(under(scaling, "usl").rejected, HasSubstr("3 parameters for 3 different N"));
  EXPECT_TRUE(under(scaling, "usl").least.empty());
  EXPECT_FALSE(under(scaling, "usl").best);
  EXPECT_FALSE(under(scaling, "amdahl").least.empty());
  for (auto* values : {&runs.measured.x, &runs.measured.seconds, &runs.measured.joules}) {
    values->resize(4);
  }
  scaling = energy_scaling(runs);
  EXPECT_THAT(under(scaling, "power").rejected, HasSubstr("2 parameters for 2 different N"));
  EXPECT_EQ(under(scaling, "measured").least.size(), 2U);
}

TEST(EnergyScaling, CostCountsEnergyAndGpuHours) {
  EnergyOptions options;
  options.footprint = {.pue = 1.5, .carbon_intensity = 400, .price = 0.25};
  options.gpu_price = 2;
  const EnergyScaling scaling = energy_scaling(oracle_runs(), options);
  // 907 kJ in three runs at N = 1: 302.333 kJ * 1.5 / 3.6 MJ = 0.1259722 kWh; 3015 s / 3 / 3600 h.
  EXPECT_NEAR(scaling.scales[0].kwh, 0.12597222222222, 1e-12);
  EXPECT_NEAR(*scaling.scales[0].co2_kg, 0.05038888888889, 1e-12);
  EXPECT_NEAR(*scaling.scales[0].cost, 0.5898263888889, 1e-12);
  EXPECT_EQ(under(scaling, "measured").least.size(), 3U);
  options.footprint.price.reset();
  options.gpu_price.reset();
  EXPECT_FALSE(energy_scaling(oracle_runs(), options).scales[0].cost);
  EXPECT_FALSE(energy_scaling(oracle_runs(), options).totals.cost);
}

TEST(EnergyScaling, SamplesThatGrowWithNAreWeakScaling) {
  EnergyRuns runs = oracle_runs();
  for (std::size_t i = 0; i < 12; ++i) {
    runs.samples[i] = 1000 * runs.measured.x[i];
    runs.measured.seconds[i] = 100 * std::pow(runs.measured.x[i], 0.1);
    runs.measured.joules[i] = 300 * runs.measured.x[i] * runs.measured.seconds[i];
  }
  const EnergyScaling scaling = energy_scaling(runs);
  EXPECT_EQ(scaling.workload.scaling, Scaling::kWeak);
  EXPECT_NEAR(*scaling.workload.samples_exponent, 1, 1e-12);
  ASSERT_TRUE(scaling.workload.per_sample);
  EXPECT_NEAR(scaling.workload.per_sample->time.parameters.back().estimate, 0.9, 1e-12);
  EXPECT_NEAR(scaling.workload.per_sample->energy.parameters.back().estimate, 0.1, 1e-12);
  const EnergyAtScale& last = scaling.scales.back();
  EXPECT_NEAR(last.sample_efficiency->value, 0.6597539553864471, 1e-12);  // 64^-0.1
  EXPECT_NEAR(last.sample_energy->value, 1.515716566510398, 1e-12);       // 64^0.1
  // This is about the energy-delay product of a sample, not of a run.
  EXPECT_EQ(under(scaling, "measured").least.at(1).place, LeastPlace::kLargest);
}

TEST(WorkloadColumns, MayBeMissingInARow) {
  const WorkloadColumns columns{.batch = "batch", .samples = "images"};
  ASSERT_EQ(columns.numbers().size(), 2U);
  EXPECT_FALSE(columns.numbers()[0].needed);
  EXPECT_FALSE(columns.numbers()[1].needed);
}

TEST(EnergyScaling, UnknownSamplesAreAReason) {
  EnergyRuns runs = oracle_runs();
  runs.samples[3] = kNone;
  const EnergyScaling scaling = energy_scaling(runs);
  EXPECT_FALSE(scaling.workload.scaling);
  EXPECT_THAT(scaling.workload.reason, HasSubstr("no samples"));
  EXPECT_EQ(scaling.drivers[3].n, 11U);
}

TEST(EnergyScaling, ASingleNHasWattsButNoExponents) {
  EnergyRuns runs;
  runs.measured.x = {8, 8, 8};
  runs.measured.seconds = {100, 110, 95};
  runs.measured.joules = {8e4, 9e4, 7.7e4};
  const EnergyScaling scaling = energy_scaling(runs);
  EXPECT_EQ(std::get<NoFit>(scaling.exponents).code, FailureCode::kTooFewX);
  EXPECT_TRUE(std::holds_alternative<Fit>(scaling.gpu_hours.origin));
  EXPECT_TRUE(scaling.least.empty());
  EXPECT_EQ(scaling.scales.size(), 1U);
}

TEST(EnergyScaling, ASingleRunHasNoIntervals) {
  EnergyRuns runs;
  runs.measured.x = {8};
  runs.measured.seconds = {100};
  runs.measured.joules = {8e4};
  const EnergyScaling scaling = energy_scaling(runs);
  EXPECT_TRUE(std::holds_alternative<NoFit>(scaling.exponents));
  const Fit& origin = std::get<Fit>(scaling.gpu_hours.origin);
  EXPECT_NEAR(origin.parameters.back().estimate, 100, 1e-9);  // 8e4 J / 800 GPU-seconds
  EXPECT_FALSE(origin.parameters.back().ci);
  EXPECT_TRUE(std::holds_alternative<NoFit>(scaling.gpu_hours.intercept));
  EXPECT_NEAR(scaling.totals.gpu_hours, 0.2222222222222222, 1e-15);
}

TEST(EnergyScaling, WhatIsNoRunIsRefused) {
  EXPECT_THROW(energy_scaling({}), std::invalid_argument);
  EnergyRuns runs = oracle_runs();
  runs.measured.joules[2] = 0;
  EXPECT_THROW(energy_scaling(runs), std::invalid_argument);
  runs = oracle_runs();
  runs.batch.pop_back();
  EXPECT_THROW(energy_scaling(runs), std::invalid_argument);
  runs = oracle_runs();
  runs.measured.joules[2] = 1e308;
  EXPECT_THROW(energy_scaling(runs), FitError);
}

const std::filesystem::path kMlperf = source_folder() / "../shared/data/mlperf_power/runs.csv";

// MLPerf Training v4.0 power results, Supermicro H100, Llama-2 LoRA on the DC side: 28.13, 5.30 and
// 1.95 minutes and 11,740, 14,444 and 36,778 kJ on 8, 64 and 512 GPUs. Exponents: numpy's lstsq on
// the logarithms of the 30 runs.
TEST(EnergyScaling, MlperfLlamaOnEightToFiveHundredGpus) {
  if (!std::filesystem::exists(kMlperf)) GTEST_SKIP() << "no " << kMlperf;
  MeasureOptions measures;
  measures.energy = "node_energy_kj_trapezoid";
  measures.by = {"benchmark", "submitter"};
  RowOptions options;
  options.where = {"benchmark=llama2_70b_lora", "submitter=smc-dc-power"};
  const MeasuredRuns runs = read_measured_runs({kMlperf.string()}, measures, options);
  const auto groups = energy_of_each(runs, {}, {});
  ASSERT_EQ(groups.size(), 1U);
  const auto& scaling = std::get<EnergyScaling>(groups[0].result);
  ASSERT_EQ(scaling.scales.size(), 3U);
  EXPECT_NEAR(scaling.scales[0].seconds / 60, 28.13, 0.01);
  EXPECT_NEAR(scaling.scales[1].seconds / 60, 5.30, 0.01);
  EXPECT_NEAR(scaling.scales[2].seconds / 60, 1.95, 0.01);
  EXPECT_NEAR(scaling.scales[0].kwh * 3600, 11740, 1);
  EXPECT_NEAR(scaling.scales[1].kwh * 3600, 14444, 1);
  EXPECT_NEAR(scaling.scales[2].kwh * 3600, 36778, 1);
  const auto& exponents = std::get<EnergyExponents>(scaling.exponents);
  EXPECT_NEAR(exponents.time.parameters.back().estimate, 0.641288184674, 1e-9);
  EXPECT_NEAR(exponents.energy.parameters.back().estimate, 0.274549624531, 1e-9);
  EXPECT_NEAR(std::get<Fit>(exponents.power).parameters.back().estimate, -0.084162190795, 1e-9);
  EXPECT_EQ(under(scaling, "measured").least.at(0).place, LeastPlace::kSmallest);
  EXPECT_THAT(scaling.least_caveat, HasSubstr("further from a power law of N"));
}

}  // namespace
}  // namespace scalelaw::test
