#include "judge/nights.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/gate.hpp"
#include "support/comparison.hpp"

// Expectations: R 4.2.2, lme4 1.1-31 and lmerTest 3.1-3, lmer(log(t) ~ x + (x || night)) by REML
// with x = -(log N - its mean): standard deviations of the night effects on the curve at the middle
// and on beta, standard error and degrees of freedom of the intercept. Pooled ones: the maximum of
// the restricted likelihood of a common variance over both groups, by optimize().

namespace scalelaw {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

using Times = std::vector<std::vector<double>>;

const std::vector<double> kNightNodes{1, 2, 4, 8, 16};
const Times kNightsOfA{
    {96.292, 55.243, 31.793, 17.587, 9.970},  {98.248, 57.216, 32.298, 18.554, 10.787},
    {96.259, 54.495, 32.114, 18.379, 10.695}, {103.600, 58.665, 32.816, 18.883, 10.690},
    {98.358, 57.449, 33.660, 19.311, 11.219}, {100.860, 58.679, 34.614, 20.433, 11.584}};
const Times kNightsOfB{
    {98.943, 64.894, 40.512, 26.258, 16.786},  {100.240, 65.894, 41.248, 26.924, 17.126},
    {101.390, 67.395, 43.330, 29.795, 19.132}, {100.310, 64.567, 44.628, 29.183, 19.848},
    {100.290, 65.955, 43.985, 28.781, 19.482}, {99.120, 66.623, 41.918, 29.124, 18.785}};
const std::vector<double> kNew{104.020, 58.822, 34.143, 19.685, 11.523};

SavedFits study(std::vector<GroupFit> groups) {
  SavedFits fits;
  fits.source = "kept.db@nightly";
  fits.x = "nodes";
  fits.y = "seconds";
  fits.by = {"model"};
  fits.law = find_law("power");
  fits.groups = std::move(groups);
  return fits;
}

GroupFit fitted(const std::string& group, const std::vector<double>& seconds) {
  return {{group}, fit_law(point_cells(kNightNodes, seconds), {.figures = Figures::kEstimates})};
}

/// The nights of one group or two; `b` may be empty.
GatePair pair_of(const Times& a, const Times& b = {}) {
  std::vector<SavedFits> nights;
  for (std::size_t night = 0; night < a.size(); ++night) {
    nights.push_back(study({fitted("A", a[night])}));
    if (!b.empty()) nights.back().groups.push_back(fitted("B", b[night]));
  }
  GatePair pair{.base = {}, .current = study({fitted("A", kNew)})};
  if (!b.empty()) pair.current.groups.push_back(fitted("B", kNew));
  set_nights(pair, std::move(nights));
  return pair;
}

Gate gate_of(const GatePair& pair, const GateOptions& options = {}) {
  return gate_fits(std::vector{pair}, options);
}

TEST(GateNights, AGroupAloneAgreesWithLme4ToSixDigits) {
  const Gate gate = gate_of(pair_of(kNightsOfA));
  const GateComparison& beta = gate.groups[0].comparisons[0];
  const GateComparison& middle = gate.groups[0].comparisons[1];
  Comparison compare("group A", 6);
  compare.expect("sd of beta", beta.nights->sd, 0.0173716228253);
  compare.expect("sd at the middle", middle.nights->sd, 0.0345100016620);
  compare.expect("mean beta", beta.base.estimate, 0.79823107789);
  compare.expect("its se", beta.base.se, 0.00733390793132);
  compare.expect("relative se at the middle", middle.base.se, 0.01420718941272);
  compare.expect("its dof", middle.base.dof, 4.99999735402);
  EXPECT_FALSE(middle.nights->pooled);
  EXPECT_FALSE(middle.nights->pooled_sd);
}

// R: the spread times 1 + 1/6, plus what the variance of NEW's fit exceeds theirs by.
TEST(GateNights, TheChangeHoldsANightOfItsOwn) {
  const Gate gate = gate_of(pair_of(kNightsOfA));
  const GateComparison& middle = gate.groups[0].comparisons[1];
  Comparison compare("change at the middle", 9);
  compare.expect("estimate", middle.change.estimate, 0.0457475483355);
  compare.expect("se", middle.change.se, 0.0376159551133);
  compare.expect("dof", middle.change.dof, 5.0145088217);
  compare.expect("lower end", middle.change.ci()->lower, -0.050863253532);
  EXPECT_EQ(middle.verdict, GateVerdict::kInconclusive);
}

TEST(GateNights, PooledOverGroupsTheVarianceIsThatOfTheRestrictedLikelihood) {
  const Gate gate = gate_of(pair_of(kNightsOfA, kNightsOfB));
  const NightScatter& beta = *gate.groups[0].comparisons[0].nights;
  const NightScatter& middle = *gate.groups[1].comparisons[1].nights;
  Comparison compare("groups A and B", 7);
  compare.expect("sd at the middle", middle.pooled_sd, 0.03329248146);
  compare.expect("sd of beta", beta.pooled_sd, 0.02084299175);
  compare.expect("own sd of B", middle.own_sd, 0.0319537152570);
  compare.expect("dof of beta in A", beta.dof, 9.335492281);
  EXPECT_TRUE(middle.pooled);
  EXPECT_EQ(middle.sd, *middle.pooled_sd);
}

/// Figures of a group in nights 0, 1, ... with that standard error.
NightSeries series(const std::vector<double>& values, double se = 0.001) {
  std::vector<NightFigure> figures;
  for (std::size_t night = 0; night < values.size(); ++night) {
    figures.push_back({night, values[night], {.value = se * se, .dof = 20}, 8});
  }
  return NightSeries(figures);
}

std::vector<double> drawn(RandomStream& random, std::size_t nights, double sd) {
  std::vector<double> values(nights);
  for (double& value : values) value = sd * random.normal();
  return values;
}

TEST(NightVariances, GroupsThatAreSlowTogetherKnowNoMoreThanOne) {
  RandomStream random(3);
  std::vector<NightSeries> alike;
  std::vector<NightSeries> independent;
  const std::vector<double> effects = drawn(random, 8, 0.02);
  for (int group = 0; group < 30; ++group) {
    alike.push_back(series(effects));
    independent.push_back(series(drawn(random, 8, 0.02)));
  }
  EXPECT_NEAR(night_variances(alike)[0]->dof, 7, 0.01);
  EXPECT_NEAR(night_variances(independent)[0]->dof, 30 * 7, 40);
}

TEST(NightVariances, AGroupThatScattersMoreThanTheOthersIsJudgedByItself) {
  RandomStream random(4);
  std::vector<NightSeries> groups;
  for (int group = 0; group < 10; ++group) groups.push_back(series(drawn(random, 8, 0.01)));
  groups.push_back(series(drawn(random, 8, 0.2)));
  const auto variances = night_variances(groups);
  EXPECT_FALSE(variances[10]->is_pooled);
  EXPECT_NEAR(std::sqrt(variances[10]->value), 0.2, 0.1);
  EXPECT_TRUE(variances[0]->is_pooled);
  EXPECT_NEAR(std::sqrt(variances[0]->value), 0.01, 0.003);
}

TEST(NightVariances, AGroupOfOneNightTakesThatOfTheOthers) {
  const std::vector<NightSeries> groups{series({0.1, 0.2, 0.15}), series({0.3})};
  const auto variances = night_variances(groups);
  EXPECT_FALSE(variances[0]->is_pooled);
  EXPECT_TRUE(variances[1]->is_pooled);
  EXPECT_EQ(variances[1]->value, variances[0]->value);
  EXPECT_FALSE(night_variances(std::vector{series({0.3})})[0]);
}

TEST(NightVariances, IsZeroWhereFitsErrMoreThanNightsDiffer) {
  EXPECT_EQ(night_variances(std::vector{series({0.1, 0.1001, 0.0999}, 0.1)})[0]->value, 0);
  const auto exact = night_variances(std::vector{series({0.1, 0.1}, 0), series({0.2, 0.2}, 0)});
  EXPECT_EQ(exact[0]->value, 0);
}

TEST(SetNights, CountsRunsOnceAndKeepsTheNewestOfThem) {
  const Times repeated{kNightsOfA[0], kNightsOfA[1], kNightsOfA[0], kNew};
  std::vector<SavedFits> nights;
  for (const auto& night : repeated) nights.push_back(study({fitted("A", night)}));
  nights.push_back(study({fitted("A", kNightsOfA[3])}));
  nights[1].y = "joules";
  GatePair pair{.base = {}, .current = study({fitted("A", kNew)})};
  EXPECT_THAT(set_nights(pair, nights),
              ElementsAre(HasSubstr("1 night of other columns or another law"),
                          HasSubstr("2 fits of earlier nights left out: a later night or NEW")));
  EXPECT_EQ(pair.nights(), 2u);
}

TEST(SetNights, ANightThatIsAloneStaysThoughNewHasItsRuns) {
  const GatePair pair = pair_of({kNew});
  EXPECT_EQ(pair.nights(), 1u);
  EXPECT_EQ(gate_of(pair).groups[0].verdict, GateVerdict::kSame);
}

TEST(SetNights, TakesTheLastOnes) {
  std::vector<SavedFits> nights;
  for (const auto& night : kNightsOfA) nights.push_back(study({fitted("A", night)}));
  GatePair pair{.base = {}, .current = study({fitted("A", kNew)})};
  EXPECT_THAT(set_nights(pair, nights, 3), testing::IsEmpty());
  EXPECT_EQ(pair.nights(), 3u);
  EXPECT_EQ(std::get<Fit>(pair.base.groups[0].result).rss,
            std::get<Fit>(nights[5].groups[0].result).rss);
}

TEST(WarningsOfNights, NameTheirCodes) {
  const auto warnings = [](std::size_t nights) {
    Times times(nights, kNightsOfA[0]);
    for (std::size_t i = 0; i < nights; ++i) times[i][0] += static_cast<double>(i);
    return warnings_of_nights(gate_of(pair_of(times)));
  };
  EXPECT_THAT(warnings(1),
              ElementsAre(StartsWith("one-night: NEW is worse than BASE by more than runs")));
  EXPECT_THAT(warnings(4), ElementsAre(StartsWith("few-nights: BASE has 4 nights, and")));
  EXPECT_THAT(warnings(5), testing::IsEmpty());
  EXPECT_THAT(warnings_of_nights({}), testing::IsEmpty());
}

TEST(WarningsOfNights, OfVersionsAskForNightsOfBoth) {
  EXPECT_THAT(warnings_of_nights(gate_of(pair_of({kNightsOfA[0]})), {.named = "torch_version"}),
              ElementsAre(HasSubstr("Runs of both on several nights tell that.")));
}

TEST(WarningsOfNights, NameAColumnThatSeemsToNameNights) {
  EXPECT_THAT(warnings_of_nights(gate_of(pair_of({kNightsOfA[0]})), {.unasked = "date"}),
              ElementsAre(HasSubstr("If its column 'date' names nights, add --night date")));
}

/// Nights of A and of B; those of A are 30 % slower from the ninth of 14 on.
GatePair pair_with_a_change() {
  Times a;
  Times b;
  for (std::size_t night = 0; night < 14; ++night) {
    a.push_back(kNightsOfA[night % 6]);
    b.push_back(kNightsOfB[night % 6]);
    for (double& seconds : a.back()) {
      seconds *= (night < 8 ? 1 : 1.3) + 1e-3 * static_cast<double>(night);
    }
    for (double& seconds : b.back()) seconds *= 1 + 1e-3 * static_cast<double>(night);
  }
  GatePair pair = pair_of(a, b);
  pair.earlier[8].night = "2026-11-09";
  return pair;
}

TEST(BaseChange, IsSaidAsHistoryFindsIt) {
  const GatePair pair = pair_with_a_change();
  const Gate gate = gate_of(pair);
  ASSERT_TRUE(gate.base_change);
  EXPECT_EQ(gate.base_change->since, "2026-11-09");
  EXPECT_EQ(gate.base_change->nights, 6u);
  EXPECT_EQ(gate.base_change->groups, 1u);
  EXPECT_NEAR(gate.base_change->change, std::log(1.3), 0.02);
  EXPECT_THAT(codes_of_nights(gate), ElementsAre("base-changed"));
  EXPECT_THAT(
      warnings_of_nights(gate),
      ElementsAre(ContainsRegex(
          "base-changed: BASE itself changed on 2026-11-09 \\(seconds "
          "of A \\+3[01] % by the law at nodes = 4\\): .*--nights 6 takes the nights since")));
  EXPECT_FALSE(gate_of(pair, {.one_level = true}).base_change);
}

// scipy 1.10.1: log(1.05) + (t.ppf(1 - 0.05 / 3 / 2, 11) + t.ppf(0.8, 11)) * 0.0261.
TEST(FindableLoss, IsTheLimitAndWhatProofAndChanceTake) {
  GateComparison curve{.figure = "curve", .limit = std::log(1.05)};
  curve.change.se = 0.0261;
  curve.change.dof = 11;
  EXPECT_FALSE(findable_loss(curve, 3, 0.95));
  curve.nights = NightScatter{.nights = 12, .sd = 0.025, .dof = 11};
  EXPECT_NEAR(*findable_loss(curve, 3, 0.95), 0.145244376154, 1e-9);
  curve.change.se = 0;
  EXPECT_FALSE(findable_loss(curve, 3, 0.95));
}

// Nights are 1 %, -1 %, 2 %, -2 % and 0 off the same law in both groups, and NEW is 10 % faster.
// scipy: se = sqrt(0.001 / 4 * (1 + 1 / 5)), t.sf(0.1 / se, 4) * 2.
TEST(GateNights, ANightThatIsFasterInAllGroupsIsJudgedByTheirMeans) {
  const auto off_by = [](double change) {
    std::vector<double> seconds;
    for (const double n : kNightNodes)
      seconds.push_back(100 * std::pow(n, -0.8) * std::exp(change));
    return seconds;
  };
  Times nights;
  for (const double change : {0.01, -0.01, 0.02, -0.02, 0.0}) nights.push_back(off_by(change));
  GatePair pair = pair_of(nights, nights);
  pair.current = study({fitted("A", off_by(-0.1)), fitted("B", off_by(-0.1))});
  const Gate gate = gate_of(pair);
  ASSERT_EQ(gate.shared.size(), 1U);
  const SharedChange& shared = gate.shared[0];
  EXPECT_NEAR(shared.comparison.change.estimate, -0.1, 1e-9);
  EXPECT_NEAR(*shared.comparison.change.se, 0.017320508075688773, 1e-9);
  EXPECT_NEAR(*shared.p_better, 0.004468575556053289, 1e-8);
  EXPECT_EQ(*shared.p_worse, 1);
}

TEST(GateNights, AGroupThatOnlyANightBeforeHasIsNotMissing) {
  GatePair pair = pair_of(kNightsOfA);
  pair.earlier[0].groups.push_back(fitted("gone", kNew));
  EXPECT_EQ(gate_of(pair).groups.size(), 1u);
  pair.base.groups.push_back(fitted("missing", kNew));
  EXPECT_EQ(gate_of(pair).count(GateVerdict::kMissing), 1u);
}

/// Shares of 1,000 gates against `nights` nights, all of whose times have a common factor with a
/// standard deviation of 2 %.
struct Shares {
  double worse = 0;
  double better = 0;
  double changed = 0;  ///< In which BASE itself seems to have changed.
  double apart = 0;    ///< In which a night of BASE seems to stand apart.
};

Shares shares(std::size_t nights, double slowdown) {
  constexpr int kGates = 1000;
  RandomStream random(7, nights);
  const auto night = [&random](double factor) {
    const double effect = factor * std::exp(0.02 * random.normal());
    std::vector<double> seconds;
    for (const double n : kNightNodes)
      seconds.push_back(effect / n * std::exp(0.01 * random.normal()));
    return seconds;
  };
  Shares sum;
  for (int i = 0; i < kGates; ++i) {
    std::vector<SavedFits> all;
    for (std::size_t k = 0; k < nights; ++k) all.push_back(study({fitted("A", night(100))}));
    GatePair pair{.base = {}, .current = study({fitted("A", night(100 * slowdown))})};
    set_nights(pair, std::move(all));
    const Gate gate = gate_of(pair);
    sum.changed += gate.base_change ? 1.0 / kGates : 0;
    sum.apart += gate.nights_apart.empty() ? 0 : 1.0 / kGates;
    sum.worse += static_cast<double>(gate.count(GateVerdict::kWorse)) / kGates;
    sum.better += static_cast<double>(gate.count(GateVerdict::kBetter)) / kGates;
  }
  return sum;
}

// The Monte Carlo error of 2.5 % is 0.5 points.
TEST(GateNights, WithTenNightsAGateAtTheLimitSeldomFails) {
  EXPECT_LT(shares(10, 1.05).worse, 0.04);
  EXPECT_LT(shares(10, 1).better, 0.04);
  EXPECT_GT(shares(10, 1.2).worse, 0.9);
}

/// Ten nights of A and of B that differ by up to 1 %; of two of them all times are longer.
GatePair pair_with_slow_nights(double fifth, double eighth = 1) {
  const std::vector<double> effects{1, -0.5, 0.3, -1, 0, 0.6, -0.2, 0.9, -0.7, 0.4};
  Times a;
  Times b;
  for (std::size_t night = 0; night < 10; ++night) {
    const double slow = night == 4 ? fifth : night == 7 ? eighth : 1;
    for (Times* group : {&a, &b}) {
      std::vector<double>& seconds =
          group->emplace_back(group == &a ? kNightsOfA[0] : kNightsOfB[0]);
      for (double& one : seconds) one *= slow * (1 + 0.01 * effects[night]);
    }
  }
  GatePair pair = pair_of(a, b);
  for (std::size_t night = 0; night < 9; ++night) {
    pair.earlier[night].night = "2026-11-0" + std::to_string(night + 1);
  }
  pair.base.night = "2026-11-10";
  std::vector<double> slower_a = kNightsOfA[0];
  std::vector<double> slower_b = kNightsOfB[0];
  for (double& one : slower_a) one *= 1.12;
  for (double& one : slower_b) one *= 1.12;
  pair.current = study({fitted("A", slower_a), fitted("B", slower_b)});
  return pair;
}

TEST(NightsApart, ANightThatHidesARegressionIsNamed) {
  const GatePair pair = pair_with_slow_nights(1.4);
  const Gate of_all = gate_of(pair, {.one_level = true});
  EXPECT_EQ(outcome_of(of_all, FailOn::kWorse), GateOutcome::kUndecided);
  EXPECT_TRUE(of_all.nights_apart.empty());
  const Gate gate = gate_of(pair);
  EXPECT_TRUE(fails(gate, FailOn::kWorse));
  EXPECT_EQ(gate.left_out, 1U);
  ASSERT_EQ(gate.nights_apart.size(), 1U);
  EXPECT_EQ(gate.nights_apart[0].night, "2026-11-05");
  EXPECT_EQ(gate.nights_apart[0].place, 4U);
  EXPECT_EQ(gate.nights_apart[0].groups, 2U);
  EXPECT_NEAR(std::exp(gate.nights_apart[0].change), 1.4, 0.01);
  EXPECT_LT(gate.nights_apart[0].p, 0.025);
  EXPECT_THAT(codes_of_nights(gate), ElementsAre("night-apart"));
  EXPECT_THAT(
      warnings_of_nights(gate, {}, {.with = "undecided: 2 of 2 groups are inconclusive"}),
      ElementsAre(ContainsRegex(
          "^night-apart: 2026-11-05 \\(seconds.* \\+40 %\\) differs from the level of the "
          "other nights of BASE.*by all nights as one level the gate says \"undecided: 2 of "
          "2 groups are inconclusive\"")));
}

TEST(NightsApart, TwoSlowNightsDoNotHideOneAnother) {
  const Gate gate = gate_of(pair_with_slow_nights(1.3, 1.5));
  ASSERT_EQ(gate.nights_apart.size(), 2U);
  EXPECT_EQ(gate.nights_apart[0].night, "2026-11-05");
  EXPECT_EQ(gate.nights_apart[1].night, "2026-11-08");
}

TEST(NightsApart, ThoseOfAnotherLevelAreAChange) {
  const Gate gate = gate_of(pair_with_a_change());
  EXPECT_TRUE(gate.base_change);
  EXPECT_TRUE(gate.nights_apart.empty());
}

TEST(NightsApart, OneNightDoesNotHideThatNewIsTheSame) {
  GatePair pair = pair_with_slow_nights(1.4);
  pair.current = study({fitted("A", kNightsOfA[0]), fitted("B", kNightsOfB[0])});
  EXPECT_EQ(outcome_of(gate_of(pair, {.one_level = true}), FailOn::kWorse),
            GateOutcome::kUndecided);
  EXPECT_EQ(outcome_of(gate_of(pair), FailOn::kWorse), GateOutcome::kPassed);
}

/// Nights of A and B that differ by up to 1 % and are slower from `slow_from` on, as NEW is. One
/// night among them is 40 % slower.
GatePair pair_with_a_lasting_change(std::size_t nights, std::size_t slow_from) {
  const std::vector<double> effects{1, -0.5, 0.3, -1, 0, 0.6, -0.2, 0.9, -0.7, 0.4};
  Times a;
  Times b;
  for (std::size_t night = 0; night < nights; ++night) {
    const double slow = night == 4 ? 1.4 : night >= slow_from ? 1.12 : 1;
    for (Times* group : {&a, &b}) {
      std::vector<double>& seconds =
          group->emplace_back(group == &a ? kNightsOfA[0] : kNightsOfB[0]);
      const double effect = effects[night % effects.size()] + 0.01 * static_cast<double>(night);
      for (double& one : seconds) one *= slow * (1 + 0.01 * effect);
    }
  }
  GatePair pair = pair_of(a, b);
  for (std::size_t night = 0; night + 1 < nights; ++night) {
    pair.earlier[night].night = fmt::format("2026-11-{:02}", night + 1);
  }
  pair.base.night = fmt::format("2026-11-{:02}", nights);
  pair.current = pair_with_slow_nights(1).current;
  return pair;
}

TEST(NightsApart, LastNightsInARowAreTheChangeAndNotApart) {
  const GatePair pair = pair_with_a_lasting_change(24, 20);
  const Gate gate = gate_of(pair);
  ASSERT_EQ(gate.nights_apart.size(), 1U);
  EXPECT_EQ(gate.nights_apart[0].night, "2026-11-05");
  ASSERT_TRUE(gate.base_change);
  EXPECT_EQ(gate.base_change->since, "2026-11-21");
  EXPECT_EQ(gate.base_change->nights, 4U);
  const GateComparison& middle = gate.groups[0].comparisons[1];
  EXPECT_EQ(middle.nights->since, "2026-11-21");
  EXPECT_EQ(middle.nights->nights, 19U);  // Without the night that stands apart.
  EXPECT_EQ(middle.nights->of_new, 5U);
  EXPECT_EQ(outcome_of(gate, FailOn::kWorse), GateOutcome::kFailed);
}

TEST(BaseChange, ThatLastedStaysARegression) {
  const Gate gate = gate_of(pair_with_a_lasting_change(24, 10));
  ASSERT_TRUE(gate.base_change);
  EXPECT_TRUE(gate.base_change->is_worse);
  EXPECT_EQ(gate.base_change->nights, 14U);
  EXPECT_EQ(outcome_of(gate, FailOn::kWorse), GateOutcome::kFailed);
}

// The twelve nights since then are 12 % faster, and NEW is as slow as those before.
TEST(BaseChange, ForTheBetterIsTheMeasure) {
  GatePair pair = pair_with_a_lasting_change(24, 12);
  for (std::size_t i = 12; i < 24; ++i) {
    SavedFits& night = i == 23 ? pair.base : pair.earlier[i];
    const std::string name = night.night;
    std::vector<double> a = kNightsOfA[0];
    std::vector<double> b = kNightsOfB[0];
    for (double& one : a) one *= 0.88 * (1 + 0.005 * static_cast<double>(i % 3));
    for (double& one : b) one *= 0.88 * (1 + 0.005 * static_cast<double>(i % 3));
    night = study({fitted("A", a), fitted("B", b)});
    night.night = name;
  }
  pair.current = study({fitted("A", kNightsOfA[0]), fitted("B", kNightsOfB[0])});
  const Gate gate = gate_of(pair);
  ASSERT_TRUE(gate.base_change);
  EXPECT_FALSE(gate.base_change->is_worse);
  EXPECT_EQ(gate.left_out, 12U);
  EXPECT_EQ(outcome_of(gate, FailOn::kWorse), GateOutcome::kFailed);
}

/// Nights of one group, all of whose times have a factor each; the last one is NEW.
GatePair pair_of_factors(const std::vector<double>& factors) {
  std::vector<SavedFits> nights;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    std::vector<double> seconds;
    for (std::size_t k = 0; k < kNightNodes.size(); ++k) {
      seconds.push_back(factors[i] * 100 / kNightNodes[k] * (k % 2 == i % 2 ? 1.002 : 0.998));
    }
    nights.push_back(study({fitted("A", seconds)}));
    nights.back().night = fmt::format("{}", 100 + i);
  }
  GatePair pair{.base = {}, .current = nights.back()};
  nights.pop_back();
  set_nights(pair, std::move(nights));
  return pair;
}

/// Nights that differ by some 1 % about the levels.
std::vector<double> factors_of(const std::vector<std::pair<std::size_t, double>>& levels) {
  RandomStream random(5);
  std::vector<double> factors;
  for (const auto& [nights, level] : levels) {
    for (std::size_t i = 0; i < nights; ++i) {
      factors.push_back(level * std::exp(0.01 * random.normal()));
    }
  }
  return factors;
}

const GateComparison& middle_of(const Gate& gate) { return gate.groups[0].comparisons[1]; }

TEST(NightLevels, TheLevelOfNewIsHeldAgainstTheOneBefore) {
  const Gate gate = gate_of(pair_of_factors(factors_of({{20, 1.2}, {20, 0.9}, {20, 1}, {4, 1.1}})));
  const GateComparison& middle = middle_of(gate);
  EXPECT_EQ(middle.verdict, GateVerdict::kWorse);
  EXPECT_EQ(middle.nights->since, "night 160");
  EXPECT_EQ(middle.nights->nights, 20U);
  EXPECT_EQ(middle.nights->of_new, 4U);
  EXPECT_NEAR(*middle.ratio(), 1.1, 0.02);
}

// Ten nights later the regression of 20 % has become one of 15 %.
TEST(NightLevels, ARegressionThatIsMendedInPartStaysOne) {
  const Gate gate = gate_of(pair_of_factors(factors_of({{20, 1}, {10, 1.2}, {10, 1.15}})));
  EXPECT_EQ(middle_of(gate).verdict, GateVerdict::kWorse);
  EXPECT_EQ(middle_of(gate).nights->since, "night 120");
  const Gate mended = gate_of(pair_of_factors(factors_of({{20, 1}, {10, 1.2}, {10, 1}})));
  EXPECT_EQ(outcome_of(mended, FailOn::kWorse), GateOutcome::kPassed);
}

TEST(NightLevels, ADriftIsNoChangeUnlessABaselineIsPinned) {
  std::vector<double> factors = factors_of({{60, 1}});
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] *= 1 + 0.002 * static_cast<double>(i);
  const GatePair pair = pair_of_factors(factors);
  EXPECT_FALSE(fails(gate_of(pair), FailOn::kWorse));
  EXPECT_TRUE(fails(gate_of(pair, {.baseline_nights = 20}), FailOn::kWorse));
}

TEST(NightLevels, SinceIsTheFirstNightOfTheLevelOfNew) {
  GatePair pair = pair_of_factors(factors_of({{10, 1}, {4, 1.08}}));
  pair.since = 10;
  const GateComparison middle = middle_of(gate_of(pair));
  EXPECT_EQ(middle.nights->since, "night 110");
  EXPECT_EQ(middle.nights->of_new, 4U);
}

// Of a series that goes on, the next night tells whether one night that is slow stays alone.
TEST(NightLevels, OneSlowNightOfALongSeriesIsNoRegressionYet) {
  std::vector<double> factors = factors_of({{40, 1}, {1, 1.1}});
  GatePair pair = pair_of_factors(factors);
  EXPECT_TRUE(fails(gate_of(pair), FailOn::kWorse));
  pair.goes_on = true;
  EXPECT_FALSE(fails(gate_of(pair), FailOn::kWorse));
  EXPECT_TRUE(middle_of(gate_of(pair)).may_stand_apart());
  factors.push_back(1.1);
  pair = pair_of_factors(factors);
  pair.goes_on = true;
  EXPECT_TRUE(fails(gate_of(pair), FailOn::kWorse));
}

// What stood apart before is no regression when it comes again, until it lasts.
TEST(NightLevels, TwoNightsAsFarAsEarlierOnesMayStandApart) {
  std::vector<double> factors = factors_of({{30, 1}});
  factors[7] = 1.3;
  factors.insert(factors.end(), {1.29, 1.31});
  GatePair pair = pair_of_factors(factors);
  EXPECT_TRUE(fails(gate_of(pair), FailOn::kWorse));
  pair.goes_on = true;
  EXPECT_FALSE(fails(gate_of(pair), FailOn::kWorse));
  factors.push_back(1.32);
  pair = pair_of_factors(factors);
  pair.goes_on = true;
  EXPECT_TRUE(fails(gate_of(pair), FailOn::kWorse));
}

// Of three nights since then one is nearly as before: two may have stood apart.
TEST(NightLevels, OfThreeNightsNoneMayBeAsBefore) {
  std::vector<double> factors;
  for (const double factor : factors_of({{30, 1}})) factors.push_back(std::pow(factor, 3));
  factors.insert(factors.end(), {1.2, 1.19, 1.06});
  GatePair pair = pair_of_factors(factors);
  EXPECT_TRUE(fails(gate_of(pair), FailOn::kWorse));
  pair.goes_on = true;
  EXPECT_FALSE(fails(gate_of(pair), FailOn::kWorse));
  factors.back() = 1.18;
  pair = pair_of_factors(factors);
  pair.goes_on = true;
  EXPECT_TRUE(fails(gate_of(pair), FailOn::kWorse));
}

TEST(NightLevels, ANightThatIsStillWorseHidesNoLevelThatIsWorse) {
  GatePair pair = pair_of_factors(factors_of({{30, 1}, {6, 1.1}, {1, 1.3}}));
  pair.goes_on = true;
  EXPECT_TRUE(fails(gate_of(pair), FailOn::kWorse));
}

/// The share of series of that correlation without a change in which one is found.
double share_changed(double rho, std::size_t nights) {
  constexpr int kSeries = 1000;
  RandomStream random(9, nights);
  double changed = 0;
  for (int i = 0; i < kSeries; ++i) {
    std::vector<double> values(nights);
    double effect = random.normal();
    for (double& value : values) {
      value = effect;
      effect = rho * effect + std::sqrt(1 - rho * rho) * random.normal();
    }
    const double own = correlation_of(values, 0.2);
    const double used = shrunk_correlations(std::vector{own}, std::vector{nights})[0];
    changed += levels_of(values, NightNoise(used), 0.2).count() > 1 ? 1.0 / kSeries : 0;
  }
  return changed;
}

TEST(NightLevels, AreSeldomSeveralWhereNothingChanged) {
  for (const std::size_t nights : {5, 7, 10, 20, 40, 100}) {
    EXPECT_LT(share_changed(0, nights), 0.02) << nights;
    EXPECT_LT(share_changed(0.5, nights), 0.08) << nights;
  }
}

// Python: sums of the covariances 0.5^|i - j| over the squared numbers of nights.
TEST(NightNoise, TellsTheVarianceOfMeansAndOfTheirDifferences) {
  const NightNoise noise(0.5);
  EXPECT_NEAR(noise.of_mean(1), 1, 1e-12);
  EXPECT_NEAR(noise.of_mean(5), 0.445, 1e-12);
  EXPECT_NEAR(noise.of_step(5, 2), 0.904375, 1e-12);
  EXPECT_NEAR(NightNoise(0).of_mean(5), 0.2, 1e-12);
  EXPECT_NEAR(NightNoise(0).of_step(5, 2), 0.7, 1e-12);
}

/// The share of 400 gates that fail where NEW is slower than each night's level by the limit, and
/// one night of BASE is 40 % slower.
double share_failed_at_limit(std::size_t nights, double night_sd) {
  constexpr int kGates = 400;
  RandomStream random(11, nights);
  const auto night = [&](double factor) {
    const double effect = factor * std::exp(night_sd * random.normal());
    std::vector<double> seconds;
    for (const double n : kNightNodes)
      seconds.push_back(effect / n * std::exp(0.01 * random.normal()));
    return seconds;
  };
  double failed = 0;
  for (int i = 0; i < kGates; ++i) {
    std::vector<SavedFits> all;
    for (std::size_t k = 0; k < nights; ++k) {
      all.push_back(study({fitted("A", night(k == nights / 2 ? 140 : 100))}));
    }
    GatePair pair{.base = {}, .current = study({fitted("A", night(105))})};
    set_nights(pair, std::move(all));
    const Gate gate = gate_of(pair);
    failed += fails(gate, FailOn::kWorse) ? 1.0 / kGates : 0;
  }
  return failed;
}

// 2.5 % are allowed; the Monte Carlo error is 0.8 points.
TEST(NightsApart, AGateAtTheLimitSeldomFailsWithoutThem) {
  EXPECT_LT(share_failed_at_limit(10, 0.02), 0.04);
  EXPECT_LT(share_failed_at_limit(25, 0), 0.04);
}

TEST(NightsApart, AreSeldomNamedWhereNightsOnlyDiffer) {
  EXPECT_LT(shares(5, 1).apart, 0.065);
  EXPECT_LT(shares(10, 1).apart, 0.065);
}

TEST(BaseChange, IsSeldomSaidOfNightsThatOnlyDiffer) {
  EXPECT_LT(shares(6, 1).changed, 0.03);
  EXPECT_LT(shares(10, 1).changed, 0.03);
}

TEST(GateNights, WithOneNightItOftenDoes) { EXPECT_GT(shares(1, 1.05).worse, 0.15); }

}  // namespace
}  // namespace scalelaw
