// Gates of runs at one scale, which have no law of their own: they are held against a forecast of
// BASE, or against its runs at that scale.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "fit/cells_of.hpp"
#include "judge/gate_cases.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/judge/gate.hpp"
#include "scalelaw/judge/predict.hpp"

namespace scalelaw {
namespace {

using testing::HasSubstr;

/// A study of one group of which the runs are known and not only the fit.
SavedFits study_of_runs(const std::vector<double>& x, const std::vector<double>& y,
                        const Law* law = find_law("power")) {
  const auto fit = outcome_of([&] { return fit_law(point_cells(x, y), {.law = law}); });
  SavedFits fits = study("runs.csv", {GroupFit{{"A"}, fit}});
  fits.law = law;
  fits.runs_of = [x, y](const GroupKey& group) {
    return group == GroupKey{"A"} ? point_cells(x, y) : std::vector<Cell>();
  };
  return fits;
}

/// The comparison of runs at 8 nodes with a base at 1 to 16 nodes.
GateGroup runs_at_8(const std::vector<double>& seconds, bool base_has_runs) {
  GatePair pair{study_of_runs(kNodes, kSeconds),
                study_of_runs(std::vector<double>(seconds.size(), 8), seconds)};
  if (!base_has_runs) pair.base.runs_of = nullptr;
  return gate_fits(std::vector{pair}).groups.at(0);
}

TEST(GateFits, RunsAtASingleXAreJudgedByTheForecastThere) {
  for (const bool base_has_runs : {false, true}) {
    const GateGroup same = runs_at_8({14.4, 14.5, 14.6, 14.4}, base_has_runs);
    ASSERT_EQ(same.comparisons.size(), 1U);
    const GateComparison& comparison = same.comparisons[0];
    EXPECT_EQ(comparison.figure, "runs");
    EXPECT_EQ(comparison.x, 8);
    EXPECT_EQ(comparison.runs, 4U);
    EXPECT_NEAR(comparison.shown(comparison.current).estimate, 14.475, 0.01);
    EXPECT_FALSE(comparison.extrapolated);
    EXPECT_NE(same.verdict, GateVerdict::kWorse);
    EXPECT_EQ(runs_at_8({18.8, 19.0, 18.9, 19.1}, base_has_runs).verdict, GateVerdict::kWorse);
    EXPECT_EQ(runs_at_8({11.0, 11.1, 11.0, 10.9}, base_has_runs).verdict, GateVerdict::kBetter);
  }
}

TEST(GateFits, TheIntervalOfNewRunsIsThatOfPredict) {
  const Fit base = fit_law(point_cells(kNodes, kSeconds), {});
  const Prediction at = predict(forecast_of(base), 8);
  const GateComparison found = runs_at_8({14.5}, false).comparisons.at(0);
  EXPECT_NEAR(std::exp(found.change.ci()->upper - found.change.estimate), at.pi->upper / at.median,
              1e-9);
  EXPECT_EQ(found.change.dof, 3);
}

// 100 / N + 3 with scatter of about 0.2 %, and the same 3 % slower: a power law misses both alike.
const std::vector<double> kBent{103.206206, 102.691463, 103.103052, 52.894106, 53.053027,
                                53.07956,   28.084126,  27.972014,  27.944056, 15.515508,
                                15.531031,  15.45357,   9.236135,   9.273154,  9.240755};
const std::vector<double> kBentAndSlower{105.772207, 105.930984, 106.355557, 54.535437, 54.699289,
                                         54.426475,  28.868854,  28.782378,  28.868854, 15.988965,
                                         16.012967,  15.949043,  9.508464,   9.537032,  9.546574};
const std::vector<double> kThrice{1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 16, 16, 16};

GateGroup bent_group(std::vector<double> x, const std::vector<double>& seconds) {
  const GatePair pair{study_of_runs(kThrice, kBent), study_of_runs(x, seconds)};
  return gate_fits(std::vector{pair}).groups.at(0);
}

TEST(GateFits, WhatTheLawMissesInBothIsNoPartOfTheirDifference) {
  const GateGroup group = bent_group(kThrice, kBentAndSlower);
  EXPECT_EQ(group.misfit, Misfit::kCancels);
  // NumPy: differences of least-squares fits, with the variance of runs about the mean at their x.
  const GateEstimate& beta = group.comparisons.at(0).change;
  EXPECT_NEAR(beta.estimate, -0.0005770729445150335, 1e-12);
  EXPECT_NEAR(*beta.se, 0.0008749173112135581, 1e-12);
  const GateChange& curve = group.comparisons.at(1).change;
  EXPECT_NEAR(curve.estimate, 0.02955879197524558, 1e-12);
  EXPECT_NEAR(*curve.se, 0.0008576448191786955, 1e-12);
  EXPECT_NEAR(*curve.dof, 19.919816779077205, 1e-8);
  EXPECT_NEAR(curve.ci()->lower, 0.027769314462188992, 1e-10);
  EXPECT_NEAR(curve.ci()->upper, 0.03134826948830217, 1e-10);
}

TEST(GateFits, AChangeAtOneScaleIsNoMisfitOfBoth) {
  std::vector<double> seconds = kBentAndSlower;
  for (std::size_t i = 12; i < 15; ++i) seconds[i] *= 1.05;
  const GateGroup group = bent_group(kThrice, seconds);
  EXPECT_EQ(group.misfit, Misfit::kWidens);
  EXPECT_NE(group.verdict, GateVerdict::kSame);
}

TEST(GateFits, OtherScalesKeepWhatTheLawMisses) {
  const std::vector<double> x(kThrice.begin(), kThrice.end() - 1);
  const std::vector<double> seconds(kBentAndSlower.begin(), kBentAndSlower.end() - 1);
  const GateGroup group = bent_group(x, seconds);
  EXPECT_EQ(group.misfit, Misfit::kWidens);
  EXPECT_GT(*group.comparisons.at(1).change.se, 0.01);
  GatePair saved{study_of_runs(kThrice, kBent), study_of_runs(kThrice, kBentAndSlower)};
  saved.base.runs_of = nullptr;
  EXPECT_EQ(gate_fits(std::vector{saved}).groups.at(0).misfit, Misfit::kWidens);
}

// 100 N^-0.6 with scatter of 0.1 % is no Amdahl curve.
TEST(GateFits, AChosenLawThatMissesTheRunsIsTold) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < kThrice.size(); ++i) {
    seconds.push_back(100 * std::pow(kThrice[i], -0.6) *
                      (1 + 0.001 * (static_cast<double>(i % 3) - 1)));
  }
  const auto misfit_by = [&](std::string_view law) {
    GatePair pair{study_of_runs(kThrice, seconds, find_law(law)),
                  study_of_runs(kThrice, seconds, find_law(law))};
    pair.base.runs_of = nullptr;  // As where the law is chosen.
    return gate_fits(std::vector{pair}, {.law_is_chosen = true}).groups.at(0).misfit;
  };
  EXPECT_EQ(misfit_by("amdahl"), Misfit::kWidens);
  EXPECT_EQ(misfit_by("power"), Misfit::kNone);
}

/// Nights of three runs at 8 nodes each, at these times, and NEW at the last.
GatePair nights_at_8(const std::vector<double>& seconds) {
  GatePair pair;
  for (const double time : seconds) {
    SavedFits night = study_of_runs({8, 8, 8}, {0.99 * time, time, 1.01 * time});
    pair.earlier.push_back(std::exchange(pair.base, std::exchange(pair.current, night)));
  }
  pair.earlier.erase(pair.earlier.begin(), pair.earlier.begin() + 2);
  return pair;
}

TEST(GateFits, NightsAtASingleXAreJudgedByTheirMeansThere) {
  const GatePair slow = nights_at_8({10, 10.2, 9.9, 10.1, 9.8, 12});
  const GateGroup group = gate_fits(std::vector{slow}).groups.at(0);
  EXPECT_EQ(group.verdict, GateVerdict::kWorse);
  ASSERT_EQ(group.comparisons.size(), 1U);
  const GateComparison& comparison = group.comparisons[0];
  EXPECT_EQ(comparison.figure, "runs");
  EXPECT_FALSE(comparison.extrapolated);
  ASSERT_TRUE(comparison.nights);
  EXPECT_EQ(comparison.nights->nights, 5U);
  // The spread of five nights about their mean, with their own degrees of freedom: t is 2.776.
  EXPECT_NEAR(comparison.shown(comparison.base).estimate, 9.9989, 1e-3);
  EXPECT_NEAR(*comparison.change.se, 0.01582 * std::sqrt(1.2), 1e-4);
  EXPECT_NEAR(*comparison.change.dof, 4, 1e-9);
  const GatePair usual = nights_at_8({10, 10.2, 9.9, 10.1, 9.8, 10});
  EXPECT_NE(gate_fits(std::vector{usual}).groups.at(0).verdict, GateVerdict::kWorse);
  check_baseline(usual);
}

TEST(GateFits, NightsOfOneRunEachAreJudgedByTheirSpread) {
  GatePair pair{study_of_runs({8}, {10}), study_of_runs({8}, {12})};
  for (const double time : {10.2, 9.9, 10.1, 9.8})
    pair.earlier.push_back(study_of_runs({8}, {time}));
  EXPECT_EQ(gate_fits(std::vector{pair}).groups.at(0).verdict, GateVerdict::kWorse);
  pair.earlier.clear();
  const GateGroup one_run = gate_fits(std::vector{pair}).groups.at(0);
  EXPECT_EQ(one_run.verdict, GateVerdict::kInconclusive);
  EXPECT_EQ(*one_run.comparisons.at(0).reason,
            "BASE has one run there, which does not tell how far runs scatter");
}

/// Nights of one run at 8 nodes each, and NEW at the last.
GatePair nights_of_one_run(const std::vector<double>& seconds) {
  GatePair pair;
  for (const double time : seconds) pair.earlier.push_back(study_of_runs({8}, {time}));
  pair.current = std::move(pair.earlier.back());
  pair.earlier.pop_back();
  pair.base = std::move(pair.earlier.back());
  pair.earlier.pop_back();
  return pair;
}

TEST(BaseChange, IsFoundAmongNightsOfOneRunEach) {
  std::vector<double> seconds;
  for (int night = 0; night < 20; ++night) {
    seconds.push_back((night < 14 ? 100 : 107) * (1 + 0.004 * (night * 7 % 5 - 2)));
  }
  const Gate gate = gate_fits(std::vector{nights_of_one_run(seconds)});
  ASSERT_TRUE(gate.base_change);
  EXPECT_EQ(gate.base_change->nights, 5U);
  EXPECT_TRUE(gate.base_change->is_worse);
  EXPECT_NEAR(gate.base_change->change, std::log(1.07), 0.005);
  EXPECT_THAT(gate.nights_apart, testing::IsEmpty());
  EXPECT_THAT(size_of(*gate.base_change), testing::EndsWith("%"));
}

TEST(BaseChange, NightsThatAllMeasureTheSameShowNone) {
  EXPECT_FALSE(
      gate_fits(std::vector{nights_of_one_run(std::vector<double>(9, 100.0))}).base_change);
}

TEST(BaseChange, NightsThatDifferALittleShowNone) {
  const std::vector<double> seconds{100, 101.2, 99.1, 100.4, 99.5, 101.9, 102.1, 100.9, 102.4, 101};
  EXPECT_FALSE(gate_fits(std::vector{nights_of_one_run(seconds)}).base_change);
}

TEST(GateFits, RunsAtAnotherXThanTheOnlyOneOfBaseAreNotJudged) {
  const GatePair pair{study_of_runs({8, 8}, {10, 11}), study_of_runs({4, 4}, {12, 13})};
  const GateGroup group = gate_fits(std::vector{pair}).groups.at(0);
  EXPECT_EQ(group.verdict, GateVerdict::kInconclusive);
  EXPECT_THAT(*group.reason, HasSubstr("no fit in BASE"));
  EXPECT_THROW(check_baseline(pair), DataError);
}

TEST(GateFits, GroupsOfBaseAreExpectedThoughEarlierNightsOfNewLackThem) {
  GatePair pair = nights_at_8({10, 10.1, 10, 9.9});
  SavedFits release =
      study("release.json", {fitted("A", kNodes, kSeconds), fitted("B", kNodes, kSeconds)});
  pair.earlier.insert(pair.earlier.begin(), release);
  const Gate gate = gate_fits(std::vector{pair});
  ASSERT_EQ(gate.groups.size(), 2U);
  EXPECT_EQ(gate.groups[1].verdict, GateVerdict::kMissing);
}

TEST(GateFits, AChosenXWithoutRunsSaysSo) {
  GatePair pair{study_of_runs(kNodes, kSeconds), study_of_runs({8}, {14.5})};
  const GateGroup group = gate_fits(std::vector{pair}, {.at = {8, 12}}).groups.at(0);
  ASSERT_EQ(group.comparisons.size(), 2U);
  EXPECT_EQ(*group.comparisons[1].reason, "NEW has too few scales for a curve, and no runs there");
}

/// NEW has three runs at one x, of a time that is `factor` times what the law of BASE says there.
GatePair runs_at(double x, double factor) {
  GatePair pair{study("base.json", {fitted("A", kNodes, kSeconds)}), study("new.csv", {})};
  const Fit& law = std::get<Fit>(pair.base.groups[0].result);
  const double y = factor * law.curve(x);
  const NoFit failure{FailureCode::kTooFewX, "one x"};
  pair.current.groups = {{{"A"}, failure}};
  pair.current.runs_of = [x, y](const GroupKey& /*group*/) {
    return point_cells(std::vector<double>{x, x, x}, std::vector<double>{y, y * 1.01, y / 1.01});
  };
  return pair;
}

TEST(GateFits, BeyondTheDataOfSavedFitsNothingIsShownByOneLaw) {
  for (const double x : {64.0, 0.25}) {
    const Gate gate = gate_fits(std::vector{runs_at(x, 2)});
    const GateComparison& comparison = gate.groups.at(0).comparisons.at(0);
    EXPECT_TRUE(comparison.extrapolated);
    EXPECT_EQ(comparison.verdict, GateVerdict::kInconclusive);
    EXPECT_FALSE(comparison.change.ci());
    EXPECT_NEAR(*comparison.ratio(), 2, 0.01);
    EXPECT_EQ(gate.family, 0);
  }
  EXPECT_EQ(*gate_fits(std::vector{runs_at(64, 2)}).groups.at(0).comparisons.at(0).reason,
            "nodes = 64 lies beyond the 16 of BASE, and saved fits do not keep what other laws say "
            "there. Give the table of runs as BASE, or --law power to take that law for true");
  EXPECT_EQ(gate_fits(std::vector{runs_at(16, 2)}).groups.at(0).verdict, GateVerdict::kWorse);
}

TEST(GateFits, BeyondTheDataAChosenLawOrKnownRunsDecide) {
  const GatePair pair = runs_at(64, 2);
  const Gate chosen = gate_fits(std::vector{pair}, {.law_is_chosen = true});
  EXPECT_EQ(chosen.groups.at(0).verdict, GateVerdict::kWorse);
  GatePair known = pair;
  known.base.runs_of = [](const GroupKey& /*group*/) { return point_cells(kNodes, kSeconds); };
  EXPECT_TRUE(gate_fits(std::vector{known}).groups.at(0).comparisons.at(0).change.ci());
}

TEST(GateFits, SaysWhatTheValueOfBaseRestsOn) {
  const auto basis = [](const GatePair& pair) {
    return gate_fits(std::vector{pair}).groups.at(0).comparisons.at(0).basis;
  };
  GatePair pair = runs_at(12, 1);
  EXPECT_EQ(basis(pair), GateBasis::kLaw);
  pair.base.runs_of = [](const GroupKey& /*group*/) { return point_cells(kNodes, kSeconds); };
  EXPECT_EQ(basis(pair), GateBasis::kMixture);
  EXPECT_EQ(basis(nights_at_8({10, 10.2})), GateBasis::kRuns);
}

}  // namespace
}  // namespace scalelaw
