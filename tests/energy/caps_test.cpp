#include "scalelaw/energy/caps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "scalelaw/base/error.hpp"
#include "support/places.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// Runs of a setting; `watts` is their power at all GPUs together.
SettingRuns setting_of(const std::string& name, std::vector<double> x, std::vector<double> seconds,
                       double watts) {
  SettingRuns setting{name, {}};
  setting.runs.x = std::move(x);
  for (const double time : seconds) setting.runs.joules.push_back(watts * time);
  setting.runs.seconds = std::move(seconds);
  return setting;
}

std::vector<SettingRuns> three_caps() {
  const std::vector<double> x{2, 2, 2, 4, 4, 4};
  return {setting_of("150", x, {112, 118, 113, 57, 59, 55}, 140),
          setting_of("200", x, {102, 101, 104, 53, 52, 54}, 190),
          setting_of("250", x, {100, 103, 101, 52, 50, 53}, 240)};
}

CapsOptions against(const std::string& reference) {
  CapsOptions options;
  options.reference = reference;
  return options;
}

void expect_ratio(const RelativeMean& ratio, double expected, double lower, double upper) {
  EXPECT_NEAR(ratio.ratio, expected, 1e-10);
  ASSERT_TRUE(ratio.ci);
  EXPECT_NEAR(ratio.ci->lower, lower, 1e-9);
  EXPECT_NEAR(ratio.ci->upper, upper, 1e-9);
}

// Expectations: tests/energy/oracle/make_caps_oracle.py.
TEST(CompareSettings, HasRatiosOfMeansWithIntervalsAtEveryN) {
  const Caps caps = compare_settings(three_caps(), against("250"));
  ASSERT_THAT(caps.scales, SizeIs(2));
  EXPECT_EQ(caps.scales[0].x, 2);
  EXPECT_NEAR(*caps.scales[0].reference_seconds, 304 / 3.0, 1e-12);
  const RelativeSetting& slow = caps.scales[0].settings.at(0);
  EXPECT_EQ(slow.setting, "150");
  EXPECT_EQ(slow.n, 3);
  EXPECT_EQ(slow.evidence, RatioEvidence::kOwn);
  expect_ratio(slow.time, 1.12839227495, 1.06530574755, 1.19521473446);
  EXPECT_NEAR(slow.time.joint_ci->lower, 1.04664738979, 1e-9);
  EXPECT_NEAR(slow.time.joint_ci->upper, 1.21652157029, 1e-9);
  EXPECT_NEAR(*slow.time.log_ratio.se, 0.0183138808274, 1e-12);
  EXPECT_NEAR(*slow.time.log_ratio.dof, 3.07061170687, 1e-10);
  expect_ratio(slow.speed, 1 / 1.12839227495, 1 / 1.19521473446, 1 / 1.06530574755);
  // All runs of a setting have the same power, so energies have the ratios of times.
  expect_ratio(slow.energy, 1.12839227495 * 140 / 240, 1.06530574755 * 140 / 240,
               1.19521473446 * 140 / 240);
  expect_ratio(caps.scales[1].settings.at(1).time, 1.02571544432, 0.965311841173, 1.08989875379);
}

// R 4.2.2: the difference of mean logarithms +- qt(0.975, 20) * 0.03 * sqrt(1/3 + 1/3).
TEST(CompareSettings, OneScatterForAllGroupsIsBehindEveryInterval) {
  CapsOptions options = against("250");
  options.shared = {{.groups = 6, .sigma = 0.03, .dof = 20},
                    {.groups = 6, .sigma = 0.03, .dof = 20}};
  const Caps caps = compare_settings(three_caps(), options);
  const RelativeSetting& slow = caps.scales[0].settings.at(0);
  EXPECT_EQ(slow.evidence, RatioEvidence::kShared);
  expect_ratio(slow.time, 1.12808015258170, 1.07188817959187, 1.18721789723748);
  EXPECT_NEAR(*slow.time.log_ratio.se, 0.0244948974278318, 1e-15);
  EXPECT_EQ(slow.time.log_ratio.dof, 20);
  const Caps single = compare_settings(
      std::vector{setting_of("200", {2}, {110}, 190), setting_of("250", {2}, {100}, 240)}, options);
  EXPECT_NEAR(*single.scales[0].settings.at(0).time.log_ratio.se, 0.03 * std::sqrt(2), 1e-15);
}

/// The advice on 200 W against 250 W, at 2 GPUs, by such times at 200 W and about 100 s at 250 W.
SettingAdvice advice_on(std::vector<double> seconds, double watts = 190) {
  const std::vector<double> x(seconds.size(), 2);
  std::vector<double> reference(seconds.size(), 100);
  if (seconds.size() > 1) reference = {100, 100.1, 99.9};
  return compare_settings(std::vector{setting_of("200", x, std::move(seconds), watts),
                                      setting_of("250", x, std::move(reference), 240)},
                          against("250"))
      .overall.advice;
}

TEST(SettingAdvice, IsASettingThatIntervalsShowToSaveEnergyWithinTheBound) {
  const SettingAdvice advice = advice_on({101, 101.2, 100.8});
  EXPECT_EQ(advice.setting, "200");
  EXPECT_FALSE(advice.is_reference);
  EXPECT_FALSE(advice.undecided);
  EXPECT_EQ(advice.doubt, SettingDoubt::kNone);
  EXPECT_EQ(advice.trust, Trust::kHigh);
}

TEST(SettingAdvice, StaysWhereRunsLeaveARivalOpen) {
  const SettingAdvice single = advice_on({104});
  EXPECT_EQ(single.setting, "250");
  EXPECT_TRUE(single.is_reference && single.undecided);
  EXPECT_EQ(single.rival, "200");
  EXPECT_EQ(single.doubt, SettingDoubt::kNoInterval);
  EXPECT_EQ(single.trust, Trust::kFair);
  EXPECT_EQ(advice_on({104, 112, 98}).doubt, SettingDoubt::kSlowdown);
  EXPECT_EQ(advice_on({101, 101.2, 100.8}, 237).doubt, SettingDoubt::kSaving);
}

TEST(SettingAdvice, HasNoRivalThatIsSurelyTooSlow) {
  const SettingAdvice advice = advice_on({112, 112.3, 111.8});
  EXPECT_EQ(advice.setting, "250");
  EXPECT_EQ(advice.rival, "");
  EXPECT_FALSE(advice.undecided);
  EXPECT_EQ(advice.trust, Trust::kHigh);
}

TEST(SettingAdvice, DoubtsALowerLimitThatIsFaster) {
  EXPECT_EQ(advice_on({90, 90.1, 89.9}).doubt, SettingDoubt::kFaster);
}

TEST(SettingAdvice, IsOfLowTrustWithoutAnEnergy) {
  const SettingAdvice advice = advice_on({101, 101.2, 100.8}, std::nan(""));
  EXPECT_EQ(advice.setting, "250");
  EXPECT_EQ(advice.doubt, SettingDoubt::kNoEnergy);
  EXPECT_EQ(advice.trust, Trust::kLow);
}

TEST(CompareSettings, AveragesLogRatiosOverN) {
  const Caps caps = compare_settings(three_caps(), against("250"));
  EXPECT_FALSE(caps.overall.x);
  EXPECT_FALSE(caps.overall.reference_seconds);
  EXPECT_EQ(caps.overall.settings.at(0).scales, 2);
  expect_ratio(caps.overall.settings.at(0).time, 1.11577012321, 1.07348421037, 1.15972173211);
  expect_ratio(caps.overall.settings.at(1).time, 1.0177607193, 0.988222253733, 1.04818210461);
  EXPECT_TRUE(caps.trends.empty());
}

TEST(CompareSettings, RecommendsTheLeastEnergyWhoseSlowdownIsShownToBeWithinTheBound) {
  const Caps caps = compare_settings(three_caps(), against("250"));
  EXPECT_EQ(caps.overall.recommended.setting, "200");
  EXPECT_TRUE(caps.overall.recommended.by_interval);
  EXPECT_EQ(caps.overall.recommended.saving_shown, true);
  EXPECT_EQ(caps.overall.least_energy, "150");
  CapsOptions strict = against("250");
  strict.max_slowdown = 0.04;  // The estimate is 1.8 %, and the interval ends at 4.8 %.
  const Caps kept = compare_settings(three_caps(), strict);
  EXPECT_TRUE(kept.overall.recommended.is_reference);
  EXPECT_EQ(kept.overall.recommended.setting, "250");
  EXPECT_FALSE(kept.overall.recommended.saving_shown);
}

TEST(CompareSettings, SingleRunsRestOnWhatIsLeftOverSettingAndN) {
  const std::vector<SettingRuns> settings{setting_of("150", {2, 4}, {117, 58}, 140),
                                          setting_of("200", {2, 4}, {103, 54}, 190),
                                          setting_of("250", {2, 4}, {100, 52}, 240)};
  const Caps caps = compare_settings(settings, against("250"));
  EXPECT_EQ(caps.overall.settings.at(1).evidence, RatioEvidence::kBlocks);
  expect_ratio(caps.overall.settings.at(1).time, 1.0342221157059952, 0.9433171536349605,
               1.1338873468946786);
}

TEST(CompareSettings, SingleRunsAtManyNRestOnTheRatiosThemselves) {
  const std::vector<double> x{2, 4, 8, 16, 32};
  const std::vector<double> reference{100, 52, 27, 14, 8};
  const std::vector<double> ratios{1.09, 1.08, 1.05, 1.045, 1.02};
  std::vector<double> slower;
  for (std::size_t i = 0; i < x.size(); ++i) slower.push_back(reference[i] * ratios[i]);
  const std::vector<SettingRuns> settings{setting_of("200", x, slower, 190),
                                          setting_of("250", x, reference, 240)};
  const Caps caps = compare_settings(settings, against("250"));
  EXPECT_EQ(caps.overall.settings.at(0).evidence, RatioEvidence::kPaired);
  expect_ratio(caps.overall.settings.at(0).time, 1.0566987725243249, 1.0222367589668515,
               1.092322581886946);
  ASSERT_THAT(caps.trends, SizeIs(1));
  EXPECT_NEAR(caps.trends[0].time.estimate, -0.023904633569344774, 1e-13);
  EXPECT_NEAR(*caps.trends[0].time.se, 0.00272219981808934, 1e-13);
  EXPECT_NEAR(*caps.trends[0].time.p, 0.00311080034495208, 1e-12);
}

TEST(CompareSettings, OneRunEachHasNoIntervalAndSaysSo) {
  SettingRuns low = setting_of("100", {}, {104}, 100);
  SettingRuns high = setting_of("250", {}, {100}, 240);
  const Caps caps = compare_settings(std::vector{low, high}, against("250"));
  const RelativeSetting& setting = caps.overall.settings.at(0);
  EXPECT_FALSE(caps.scales.at(0).x);
  EXPECT_FALSE(setting.time.ci);
  EXPECT_EQ(setting.evidence, RatioEvidence::kNone);
  EXPECT_NEAR(setting.time.ratio, 1.04, 1e-14);
  EXPECT_EQ(caps.overall.recommended.setting, "100");
  EXPECT_FALSE(caps.overall.recommended.by_interval);
  EXPECT_FALSE(caps.overall.recommended.saving_shown);
}

TEST(CompareSettings, ASettingAtTheBoundIsWithinIt) {
  CapsOptions options = against("250");
  options.max_slowdown = 1;
  const Caps caps = compare_settings(
      std::vector{setting_of("100", {}, {2}, 100), setting_of("250", {}, {1}, 240)}, options);
  ASSERT_EQ(caps.overall.settings.at(0).time.ratio, 2);
  EXPECT_EQ(caps.overall.recommended.setting, "100");
}

TEST(CompareSettings, ASingleRunAmongOthersTakesTheirScatter) {
  auto settings = three_caps();
  settings[1] = setting_of("200", {2}, {103}, 190);
  const Caps caps = compare_settings(settings, against("250"));
  EXPECT_EQ(caps.scales.at(0).settings.at(1).evidence, RatioEvidence::kPooled);
  // There are four cells of three runs each.
  EXPECT_EQ(*caps.scales.at(0).settings.at(1).time.log_ratio.dof, 8);
  EXPECT_THAT(caps.scales.at(1).settings, SizeIs(1));
}

TEST(CompareSettings, RunsWithoutScatterHaveNoInterval) {
  const std::vector<SettingRuns> settings{setting_of("200", {2, 2}, {101, 101}, 190),
                                          setting_of("250", {2, 2}, {100, 100}, 240)};
  const Caps caps = compare_settings(settings, against("250"));
  EXPECT_FALSE(caps.overall.settings.at(0).time.ci);
  EXPECT_EQ(caps.overall.settings.at(0).evidence, RatioEvidence::kNone);
}

TEST(CompareSettings, NWithoutTheReferenceAreNamed) {
  auto settings = three_caps();
  settings.push_back(setting_of("300", {8, 8}, {30, 31}, 290));
  const Caps caps = compare_settings(settings, against("250"));
  EXPECT_THAT(caps.without_reference, ElementsAre(8));
  EXPECT_THAT(caps.overall.settings, SizeIs(2));
}

TEST(CompareSettings, FailsWithoutAReferenceOrAnythingToCompare) {
  const auto message = [](const std::vector<SettingRuns>& settings, const std::string& reference) {
    try {
      compare_settings(settings, against(reference));
    } catch (const FitError& error) {
      EXPECT_EQ(error.code(), FailureCode::kTooFewLevels);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(three_caps(), "300"),
            "there are no runs at the reference 300, only at 150, 200, 250");
  EXPECT_EQ(message({three_caps()[2]}, "250"),
            "all runs have one setting, 250: there is nothing to compare");
  EXPECT_EQ(message({setting_of("200", {2}, {1}, 1), setting_of("250", {4}, {1}, 1)}, "250"),
            "no other setting has runs at an N at which the reference 250 has some");
  CapsOptions options = against("250");
  options.max_slowdown = 0;
  EXPECT_THROW(compare_settings(three_caps(), options), std::invalid_argument);
}

TEST(CompareSettings, FitsCurvesOverManyNumbers) {
  std::vector<SettingRuns> settings;
  for (int clock = 800; clock <= 1400; clock += 50) {
    const double u = clock / 1000.0;
    SettingRuns setting{std::to_string(clock), {}};
    setting.runs.seconds = {100 / u, 101 / u};
    setting.runs.joules = {100 * (50 / u + 50 * u * u * 0.5), 100.5 * (50 / u + 50 * u * u * 0.5)};
    settings.push_back(setting);
  }
  CapsOptions options = against("1400");
  options.trades = {20};
  options.etas = {0, 0.5, 1};
  options.max_power = 20;
  const Caps caps = compare_settings(settings, options);
  ASSERT_THAT(caps.curves, SizeIs(1));
  const auto& optima = caps.curves[0].optima;
  ASSERT_THAT(optima, SizeIs(6));
  // d/du (50 / u + 25 u^2) = 0 at u = 1.
  EXPECT_EQ(optima[0].criterion, CurveCriterion::kEnergy);
  EXPECT_NEAR(*optima[0].minimum.setting, 1000, 8);
  // E + 20 t = 7000 / u + 2500 u^2 up to the scatter: u^3 = 1.4, 1118.7.
  EXPECT_NEAR(*optima[2].minimum.setting, 1118.7, 12);
  EXPECT_EQ(optima[3].eta, 0);  // Time alone: the fastest clock, an end of the sweep.
  EXPECT_EQ(optima[3].minimum.at_edge, SweepEnd::kUpper);
  EXPECT_FALSE(optima[3].trade);
  EXPECT_EQ(optima[4].criterion, CurveCriterion::kZeus);
  EXPECT_EQ(*optima[4].trade, 20);
  EXPECT_EQ(optima[4].minimum.setting, optima[2].minimum.setting);
  EXPECT_EQ(optima[5].trade, 0);  // Energy alone.
  EXPECT_EQ(optima[5].minimum.setting, optima[0].minimum.setting);
  // -dE/dt along the curve: (5000 / u^2 - 5000 u) / (-100 / u^2) = 50 (u^3 - 1).
  EXPECT_NEAR(*caps.curves[0].joules_per_second[8], 50 * (1.728 - 1), 3);
  EXPECT_TRUE(compare_settings(three_caps(), against("250")).curves.empty());
}

TEST(CompareSettings, ChoosesAmongSettingsAtTheNThatTheyShare) {
  // At 2 GPUs 200 takes 602 J and 100 takes 650 J; at 64, where 100 never ran, savings are smaller.
  const auto setting = [](const std::string& name, std::vector<double> x,
                          std::vector<double> seconds, std::vector<double> joules) {
    SettingRuns out{name, {}};
    out.runs.x = std::move(x);
    out.runs.seconds = std::move(seconds);
    out.runs.joules = std::move(joules);
    return out;
  };
  std::vector<SettingRuns> settings{
      setting("100", {2, 2, 2}, {101, 102, 100}, {650, 655, 652}),
      setting("200", {2, 2, 2, 64, 64, 64}, {101, 102, 100, 10.1, 10.2, 10.3},
              {600, 605, 602, 1900, 1920, 1910}),
      setting("250", {2, 2, 2, 64, 64, 64}, {100, 101, 102, 10, 10.1, 10.2},
              {1000, 1010, 1005, 2000, 2010, 2005})};
  const Caps caps = compare_settings(settings, against("250"));
  EXPECT_THAT(caps.overall.over, ElementsAre(2));
  EXPECT_EQ(caps.overall.recommended.setting, "200");
  EXPECT_EQ(caps.overall.least_energy, "200");
  EXPECT_EQ(caps.scales.at(0).recommended.setting, "200");
  EXPECT_EQ(caps.scales.at(1).recommended.setting, "200");
  // With a third N, the table of 200 alone is the larger one, and 100 stands beside it.
  for (std::size_t i : {1, 2}) {
    Measurements& runs = settings[i].runs;
    runs.x.insert(runs.x.end(), {8, 8});
    runs.seconds.insert(runs.seconds.end(), {30, 31});
    runs.joules.insert(runs.joules.end(), {i == 1 ? 1200.0 : 1400.0, i == 1 ? 1210.0 : 1410.0});
  }
  const Caps three = compare_settings(settings, against("250"));
  EXPECT_THAT(three.overall.over, ElementsAre(2, 8, 64));
  EXPECT_FALSE(three.overall.settings.at(0).in_choice);
  EXPECT_EQ(three.overall.settings.at(0).scales, 1);
  EXPECT_TRUE(three.overall.settings.at(1).in_choice);
  EXPECT_EQ(three.overall.settings.at(1).scales, 3);
  EXPECT_EQ(three.overall.recommended.setting, "200");
}

/// Two caps at 1, 2, 4 and 8 GPUs, one run each.
std::vector<SettingRuns> single_runs() {
  SettingRuns low{"200", {}};
  low.runs = {{1, 2, 4, 8}, {10.3, 6.2, 4.1, 3.05}, {90, 100, 117, 145}, {}};
  SettingRuns high{"250", {}};
  high.runs = {{1, 2, 4, 8}, {10, 6, 4, 3}, {100, 110, 130, 160}, {}};
  return {low, high};
}

void add_run(SettingRuns& setting, double x, double seconds, double joules) {
  setting.runs.x.push_back(x);
  setting.runs.seconds.push_back(seconds);
  setting.runs.joules.push_back(joules);
}

TEST(CompareSettings, OneMoreRunDoesNotUndoTheEvidenceOfSingleRuns) {
  const Caps single = compare_settings(single_runs(), against("250"));
  const RelativeMean before = single.overall.settings.at(0).energy;
  ASSERT_TRUE(before.ci);
  auto copied = single_runs();  // A row that is in the file twice.
  add_run(copied[1], 1, 10, 100);
  const RelativeSetting same = compare_settings(copied, against("250")).overall.settings.at(0);
  EXPECT_EQ(same.evidence, RatioEvidence::kPaired);
  ASSERT_TRUE(same.energy.ci);
  EXPECT_NEAR(same.energy.ci->lower, before.ci->lower, 1e-12);
  EXPECT_NEAR(same.energy.ci->upper, before.ci->upper, 1e-12);
  auto repeated = single_runs();  // One degree of freedom against three.
  add_run(repeated[1], 1, 10.4, 101);
  const RelativeSetting one = compare_settings(repeated, against("250")).overall.settings.at(0);
  EXPECT_EQ(one.evidence, RatioEvidence::kPaired);
  EXPECT_EQ(one.energy.log_ratio.dof, 3);
}

TEST(CompareSettings, ATableThatStandsTwiceInTheFileSaysTheSame) {
  auto twice = single_runs();
  for (SettingRuns& setting : twice) {
    const Measurements runs = setting.runs;
    for (std::size_t i = 0; i < runs.x.size(); ++i) {
      add_run(setting, runs.x[i], runs.seconds[i], runs.joules[i]);
    }
  }
  const RelativeSetting once =
      compare_settings(single_runs(), against("250")).overall.settings.at(0);
  const RelativeSetting both = compare_settings(twice, against("250")).overall.settings.at(0);
  EXPECT_EQ(both.evidence, RatioEvidence::kPaired);
  EXPECT_NEAR(both.time.ci->upper, once.time.ci->upper, 1e-12);
}

TEST(CompareSettings, WithoutANameTheReferenceIsTheGreatestOfTheGroup) {
  auto settings = three_caps();
  EXPECT_EQ(compare_settings(settings, against("")).reference, "250");
  settings[0].setting = "0.3 kW";
  EXPECT_EQ(compare_settings(settings, against("")).reference, "0.3 kW");
  EXPECT_EQ(compare_settings(settings, against("300 W")).reference, "0.3 kW");
  EXPECT_THROW(compare_settings(settings, against("300 MHz")), FitError);
}

std::vector<SettingRuns> fine_sweep(std::size_t settings) {
  std::vector<SettingRuns> sweep;
  for (std::size_t i = 0; i < settings; ++i) {
    const double u = 0.5 + static_cast<double>(i) / static_cast<double>(settings);
    sweep.push_back({std::to_string(1000 + i), {}});
    sweep.back().runs.seconds = {100 / u};
    sweep.back().runs.joules = {5000 / u + 2500 * u * u};
  }
  return sweep;
}

TEST(CompareSettings, FitsNoCurvesOverTooManySettingsUnlessAsked) {
  const Caps caps = compare_settings(fine_sweep(kMostSettings + 1), against(""));
  EXPECT_TRUE(caps.curves.empty());
  EXPECT_EQ(caps.too_fine, 1);
  const Caps fewer = compare_settings(fine_sweep(12), against(""));
  EXPECT_THAT(fewer.curves, SizeIs(1));
  EXPECT_EQ(fewer.too_fine, 0);
}

TEST(CompareSettings, MaxPowerIsThatOfEveryGpuOfTheJob) {
  auto sweep = fine_sweep(12);
  for (SettingRuns& setting : sweep) {
    setting.runs.x = {4};
    setting.gpus = {4};
  }
  CapsOptions options = against("");
  options.etas = {0.5};
  options.max_power = 300;
  EXPECT_EQ(compare_settings(sweep, options).curves.at(0).optima.back().trade, 4 * 300);
  options.max_power.reset();  // Then the greatest mean power: 50 + 25 u^3 W at u = 0.5 + 11 / 12.
  EXPECT_NEAR(*compare_settings(sweep, options).curves.at(0).optima.back().trade,
              50 + 25 * 2.8431712962962954, 1e-9);
}

TEST(SummaryOf, CountsGroupsWithTheirOwnReferences) {
  auto smaller = three_caps();
  smaller.pop_back();
  const std::vector<GroupCaps> groups{{{"a"}, compare_settings(three_caps(), against(""))},
                                      {{"b"}, compare_settings(smaller, against(""))}};
  EXPECT_FALSE(tally_of(groups).common_reference());
  EXPECT_EQ(tally_of(std::span(groups).first(1)).common_reference(), "250");
  const CapsSummary summary = tally_of(groups).summary(against(""));
  EXPECT_EQ(summary.groups, 2);
  EXPECT_EQ(summary.settings.at(1).setting, "200");
  EXPECT_EQ(summary.settings.at(1).groups, 2);
  EXPECT_EQ(summary.settings.at(1).reference_in, 1);
  EXPECT_NEAR(summary.settings.at(1).time->ratio, 1.0177607193, 1e-10);  // From group a alone.
}

TEST(SummaryOf, AveragesOverGroups) {
  std::vector<GroupCaps> groups;
  for (const double factor : {1.0, 1.02, 1.01}) {
    std::vector<SettingRuns> settings = three_caps();
    for (double& joules : settings[1].runs.joules) joules *= factor;
    groups.push_back({{"m"}, compare_settings(settings, against("250"))});
  }
  groups.push_back({{"none"}, NoFit{FailureCode::kTooFewLevels, "-"}});
  const CapsSummary summary = tally_of(groups).summary(against("250"));
  EXPECT_EQ(summary.groups, 3);
  ASSERT_THAT(summary.settings, SizeIs(3));
  EXPECT_EQ(summary.settings[1].setting, "200");
  EXPECT_EQ(summary.settings[1].recommended_in, 3);
  // The mean and standard deviation of ln 1, ln 1.02, ln 1.01 by NumPy.
  EXPECT_NEAR(summary.settings[1].energy->ratio, 1.0177607193 * 190 / 240 * 1.0099669956211776,
              1e-10);
  EXPECT_NEAR(*summary.settings[1].energy->log_ratio.se, 0.005716549450304067, 1e-14);
  EXPECT_FALSE(summary.settings[2].energy);
}

/// A group that at 100 W takes that long and draws 120 W in place of 240 W.
GroupCaps group_at_100(const std::string& name, double seconds) {
  const std::vector settings{setting_of("100", {}, {seconds}, 120),
                             setting_of("250", {}, {100}, 240)};
  return {{name}, compare_settings(settings, against("250"))};
}

TEST(SummaryOf, WhereASettingIsChosenItAveragesOverThoseGroupsAlone) {
  const std::vector<GroupCaps> groups{group_at_100("a", 102), group_at_100("b", 130)};
  const CapsSummary summary = tally_of(groups).summary(against("250"));
  EXPECT_EQ(summary.settings[0].chosen_in(), 1);
  EXPECT_NEAR(*summary.settings[0].time_where_chosen, 1.02, 1e-12);
  EXPECT_NEAR(*summary.settings[0].energy_where_chosen, 0.51, 1e-12);
  EXPECT_EQ(summary.settings[1].kept_in, 1);
  EXPECT_FALSE(summary.settings[1].time_where_chosen);
  ASSERT_THAT(summary.settings[0].pair, SizeIs(2));
  EXPECT_NEAR(summary.settings[0].pair[1].time, 1.3, 1e-12);
}

TEST(SummaryOf, KeepsWhatEachOfFewGroupsRecommends) {
  std::vector<GroupCaps> groups{group_at_100("a", 102), group_at_100("b", 130)};
  const CapsSummary summary = tally_of(groups).summary(against("250"));
  ASSERT_THAT(summary.choices, SizeIs(2));
  EXPECT_EQ(summary.choices[0].recommended.setting, "100");
  EXPECT_NEAR(summary.choices[0].ratios.time, 1.02, 1e-12);
  EXPECT_THAT(summary.choices[1].ratios.group, ElementsAre("b"));
  EXPECT_TRUE(summary.choices[1].recommended.is_reference);
  for (const char* const name : {"c", "d"}) groups.push_back(group_at_100(name, 102));
  EXPECT_THAT(tally_of(groups).summary(against("250")).choices, SizeIs(0));
}

TEST(ReferenceAmong, IsTheOneNamedInAnySpellingOrLeftToEachGroup) {
  const std::vector<std::string> caps{"100", "150", "250"};
  EXPECT_EQ(reference_among(caps, "", "cap"), "");
  EXPECT_EQ(reference_among(caps, "150.0", "cap"), "150");
  EXPECT_EQ(reference_among({"100 W", "250 W"}, "250", "cap"), "250 W");
  EXPECT_EQ(reference_among({"0.1 kW", "0.25 kW"}, "250 W", "cap"), "0.25 kW");
  EXPECT_EQ(reference_among({"base", "boost"}, "base", "mode"), "base");
  const auto message = [](const std::vector<std::string>& settings, const std::string& reference) {
    try {
      reference_among(settings, reference, "cap");
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(caps, "300"),
            "--reference \"300\": 'cap' has no such value; it has 100, 150, 250");
  EXPECT_THAT(message({"base", "boost"}, ""), HasSubstr("name the setting to compare with"));
}

/// Measurements that are not part of the project may be here.
const std::filesystem::path kCapsData = source_folder() / "../shared/data";

std::vector<GroupCaps> compared(const std::filesystem::path& file, MeasureOptions measures,
                                const std::string& reference) {
  measures.x_optional = true;
  measures.by_chosen = true;
  const MeasuredRuns runs = read_measured_runs({file.string()}, measures, {});
  return compare_settings_each(runs, against(reference), 1);
}

TEST(CompareSettingsEach, FindsTheEnergyMinimumOfMeasuredClockSweepsToAStep) {
  const auto folder = kCapsData / "perseus_clock_sweep";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no measurements here";
  MeasureOptions measures;
  measures.time = "time";
  measures.energy = "energy";
  measures.by = {"stage", "instruction"};
  measures.factors = {"frequency"};
  // The frequency of least energy in each file: by hand, sort -t, -k5g.
  const std::map<std::string, std::map<std::string, double>> least{
      {"gpt3-175b_a100_sxm_bf16.csv", {{"forward", 1080}, {"backward", 1080}}},
      {"bloom_a40_bf16.csv", {{"forward", 1005}, {"backward", 1140}}}};
  for (const auto& [file, clocks] : least) {
    const auto groups =
        compared(folder / file, measures, file.starts_with("gpt3") ? "1410" : "1740");
    EXPECT_THAT(groups, SizeIs(16));
    for (const GroupCaps& group : groups) {
      const Caps& caps = std::get<Caps>(group.result);
      const double clock = clocks.at(group.group[1]);
      const CurveMinimum& minimum = caps.curves.at(0).optima.at(0).minimum;
      EXPECT_NEAR(minimum.level, clock, 15) << file << group.group[0] << group.group[1];
      EXPECT_EQ(minimum.at_edge, SweepEnd::kNone);
      EXPECT_EQ(std::stod(caps.overall.least_energy), clock);
    }
  }
}

TEST(CompareSettingsEach, FindsTheCapOfLeastEnergyOfMeasuredSweeps) {
  const auto file = kCapsData / "zeus/summary_power_v100.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no measurements here";
  MeasureOptions measures;
  measures.time = "time_per_epoch";
  measures.power = "average_power";
  measures.by = {"dataset", "network", "optimizer", "batch_size"};
  measures.factors = {"power_limit"};
  std::map<std::string, int> counts;
  const auto groups = compared(file, measures, "250");
  for (const GroupCaps& group : groups) ++counts[std::get<Caps>(group.result).overall.least_energy];
  EXPECT_THAT(groups, SizeIs(68));
  // From a few lines of Python: least time_per_epoch * average_power of each workload.
  EXPECT_EQ(
      counts,
      (std::map<std::string, int>{
          {"100", 24}, {"125", 21}, {"150", 15}, {"175", 4}, {"200", 2}, {"225", 1}, {"250", 1}}));
}

}  // namespace
}  // namespace scalelaw
