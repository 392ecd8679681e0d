#include "scalelaw/judge/gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>

#include "fit/cells_of.hpp"
#include "judge/gate_cases.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/judge/predict.hpp"
#include "support/comparison.hpp"
#include "support/json.hpp"
#include "support/places.hpp"

// Expectations of the studies: statsmodels 0.13.5 and scipy 1.10.1, through
// oracle/make_gate_oracle.py.

namespace scalelaw {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Fails, OnlyFromTheVerdictThatIsAskedFor) {
  EXPECT_TRUE(fails(GateVerdict::kMissing, FailOn::kWorse));
  EXPECT_TRUE(fails(GateVerdict::kWorse, FailOn::kWorse));
  EXPECT_FALSE(fails(GateVerdict::kInconclusive, FailOn::kWorse));
  EXPECT_TRUE(fails(GateVerdict::kInconclusive, FailOn::kInconclusive));
  EXPECT_FALSE(fails(GateVerdict::kBetter, FailOn::kInconclusive));
  EXPECT_FALSE(fails(GateVerdict::kNew, FailOn::kInconclusive));
}

TEST(CheckBaseline, SaysWhyNoGroupHasAFit) {
  const NoFit failure{FailureCode::kTooFewX, "all 3 points lie at 1 value of x"};
  const auto check = [](std::vector<GroupFit> groups) {
    check_baseline({study("base.json", std::move(groups)), study("new.json", {})});
  };
  EXPECT_THAT(
      [&] {
        check({{{"A"}, failure}});
      },
      ThrowsMessage<DataError>(
          "base.json: the baseline holds no fit: all 3 points lie at 1 value of x. A gate "
          "judges by the law of BASE, or by its runs at the same nodes: let BASE have runs "
          "at several nodes, or at that of NEW"));
  EXPECT_THAT([&] { check({}); }, ThrowsMessage<DataError>(HasSubstr("it holds no group")));
  check({fitted("A", kNodes, kSeconds)});
}

TEST(CheckOneStudy, RefusesResponsesOverDifferentX) {
  std::vector<GatePair> pairs{{study("times.json", {}), study("new.csv", {})},
                              {study("energy.json", {}), study("new.csv", {})}};
  check_one_study(pairs);
  pairs[1].base.x = "gpus";
  EXPECT_THAT([&] { check_one_study(pairs); },
              ThrowsMessage<DataError>(HasSubstr("times.json and energy.json: one gate judges")));
}

TEST(DifferencesOfMethods, NamesTheOptionsThatDiffer) {
  GatePair pair{study("base.json", {}), study("new.json", {})};
  EXPECT_THAT(differences_of_methods(std::vector{pair}), testing::IsEmpty());
  pair.current.se = StandardError::kHc3;
  pair.current.run = "run";
  EXPECT_THAT(differences_of_methods(std::vector{pair}),
              ElementsAre("base.json and new.json were fitted with different --se, --run: their "
                          "standard errors differ in meaning"));
}

TEST(GateFits, ComparesTheExponentAndTheCurveAtTheMiddleAndTheLargestCommonX) {
  const GateGroup group =
      gate_of({fitted("A", kNodes, kSeconds)}, {fitted("A", {2, 4, 8, 16, 32}, kSeconds)})
          .groups.at(0);
  ASSERT_EQ(group.comparisons.size(), 3);
  EXPECT_EQ(group.comparisons[0].figure, "beta");
  EXPECT_FALSE(group.comparisons[0].x);
  EXPECT_EQ(group.comparisons[1].figure, "curve");
  EXPECT_NEAR(*group.comparisons[1].x, std::sqrt(2 * 16), 1e-12);
  EXPECT_EQ(group.comparisons[2].x, 16);
}

TEST(GateFits, TellsSlowerFromFasterFromUnchangedRuns) {
  EXPECT_EQ(group_slower_by(1.25).verdict, GateVerdict::kWorse);
  EXPECT_THAT(verdicts_of(group_slower_by(0.8)), ElementsAre("same", "better", "better"));
  EXPECT_THAT(verdicts_of(group_slower_by(1)), ElementsAre("same", "same", "same"));
  EXPECT_THAT(verdicts_of(group_slower_by(1.06)),
              ElementsAre("same", "inconclusive", "inconclusive"));
}

TEST(GateFits, AGroupIsBetterOnlyIfNothingIsWorseOrOpen) {
  EXPECT_EQ(group_slower_by(1).verdict, GateVerdict::kSame);
  EXPECT_EQ(group_slower_by(0.8).verdict, GateVerdict::kBetter);
  const GateGroup open = group_slower_by(0.8, {.max_beta_drop = 0.01});
  EXPECT_THAT(verdicts_of(open), ElementsAre("inconclusive", "better", "better"));
  EXPECT_EQ(open.verdict, GateVerdict::kInconclusive);
}

TEST(GateFits, ALowerRateIsWorse) {
  const FitOptions rate{.response = Response::kRate};
  const std::vector<double> images{100.5, 197, 402, 790, 1610};
  const auto judged = [&](double factor) {
    SavedFits base = study("base.json", {fitted("A", kNodes, images, rate)});
    SavedFits current = study("new.json", {fitted("A", kNodes, times(images, factor), rate)});
    base.response = current.response = Response::kRate;
    return gate_fits(std::vector{GatePair{base, current}}).groups.at(0);
  };
  EXPECT_EQ(judged(0.8).verdict, GateVerdict::kWorse);
  EXPECT_THAT(verdicts_of(judged(1.25)), ElementsAre("same", "better", "better"));
  EXPECT_NEAR(judged(0.8).comparisons[1].loss(), std::log(1.25), 1e-12);
}

TEST(GateFits, CurvesUnderNormalErrorsAreComparedByTheirRatioToo) {
  const FitOptions normal{.errors = Errors::kNormal};
  SavedFits base = study("base.json", {fitted("A", kNodes, kSeconds, normal)});
  SavedFits current = study("new.json", {fitted("A", kNodes, times(kSeconds, 1.25), normal)});
  base.errors = current.errors = Errors::kNormal;
  const GateGroup group =
      gate_fits(std::vector{GatePair{base, current}}, {.at_largest = false}).groups.at(0);
  EXPECT_THAT(verdicts_of(group), ElementsAre("same", "worse"));
  EXPECT_NEAR(*group.comparisons[1].ratio(), 1.25, 1e-9);
  // Both relative standard errors are equal, because the unit of the times cannot matter.
  EXPECT_NEAR(*group.comparisons[1].change.se, std::sqrt(2.0) * *group.comparisons[1].base.se,
              1e-9);
}

TEST(GateFits, DegreesOfFreedomAreThoseOfTheStandardError) {
  const FitOptions options{.se = StandardError::kHc2Bm};
  const GroupFit fit = fitted("A", kNodes, kSeconds, options);
  const double dof = *std::get<Fit>(fit.result).parameters[1].dof;
  EXPECT_LT(dof, 3);
  EXPECT_NEAR(*gate_of({fit}, {fit}).groups.at(0).comparisons[0].change.dof, 2 * dof, 1e-9);
}

TEST(GateFits, GroupsWithoutACounterpartAreMissingOrNew) {
  const Gate gate =
      gate_of({fitted("A", kNodes, kSeconds), fitted("B", kNodes, kSeconds)},
              {fitted("C", kNodes, kSeconds), {{"B"}, NoFit{FailureCode::kTooFewX, "one x"}}});
  ASSERT_EQ(gate.groups.size(), 3);
  EXPECT_EQ(gate.groups[0].verdict, GateVerdict::kMissing);
  EXPECT_EQ(*gate.groups[0].reason, "NEW has no such group");
  EXPECT_EQ(gate.groups[1].verdict, GateVerdict::kNoFit);
  EXPECT_EQ(*gate.groups[1].reason, "no fit in NEW: one x (too-few-x)");
  EXPECT_TRUE(fails(gate.groups[1].verdict, FailOn::kWorse));
  EXPECT_EQ(gate.groups[2].verdict, GateVerdict::kNew);
  EXPECT_EQ(gate.family, 0);
}

/// Groups that are all slower by that factor, each with its own errors.
Gate groups_slower_by(double factor, std::size_t groups) {
  std::vector<GroupFit> base;
  std::vector<GroupFit> current;
  for (std::size_t i = 0; i < groups; ++i) {
    std::vector<double> before = kSeconds;
    std::vector<double> after = times(kSeconds, factor);
    for (std::size_t k = 0; k < kNodes.size(); ++k) {
      before[k] *= std::exp(0.05 * std::sin(static_cast<double>(7 * i + 3 * k)));
      after[k] *= std::exp(0.05 * std::cos(static_cast<double>(5 * i + 2 * k)));
    }
    base.push_back(fitted(std::to_string(i), kNodes, before));
    current.push_back(fitted(std::to_string(i), kNodes, after));
  }
  return gate_of(std::move(base), std::move(current));
}

TEST(GateFits, AChangeThatAllGroupsShareIsFoundWhereNoneIsShownAlone) {
  const Gate gate = groups_slower_by(1.13, 20);
  EXPECT_EQ(gate.count(GateVerdict::kWorse), 0U);
  ASSERT_EQ(gate.shared.size(), 1U);
  EXPECT_EQ(gate.shared[0].groups, 20U);
  const GateComparison& shared = gate.shared[0].comparison;
  EXPECT_NEAR(*shared.ratio(), 1.13, 0.03);
  EXPECT_TRUE(shared.ratio_ci()->lower < 1.13 && 1.13 < shared.ratio_ci()->upper);
  EXPECT_EQ(shared.verdict, GateVerdict::kWorse);
  EXPECT_TRUE(fails(gate, FailOn::kWorse));
  EXPECT_EQ(outcome_of(gate, FailOn::kWorse), GateOutcome::kFailed);
}

TEST(GateFits, AChangeWithinTheLimitIsNotWorseBecauseGroupsShareIt) {
  const Gate gate = groups_slower_by(1.02, 20);
  ASSERT_EQ(gate.shared.size(), 1U);
  EXPECT_EQ(gate.shared[0].comparison.verdict, GateVerdict::kSame);
  EXPECT_EQ(outcome_of(gate, FailOn::kWorse), GateOutcome::kPassed);
}

/// Groups that are slower by one percent per letter of the alphabet.
GatePair pair_of_letters(const std::vector<std::string>& names) {
  GatePair pair{study("base.json", {}), study("new.json", {})};
  for (const std::string& name : names) {
    const double own = 1 + 0.01 * static_cast<double>(name.front() - 'A');
    pair.base.groups.push_back(fitted(name, kNodes, kSeconds));
    pair.current.groups.push_back(fitted(name, kNodes, times(kSeconds, own)));
  }
  return pair;
}

TEST(GateJudge, PartsAreJudgedAsTheWhole) {
  GateJudge judge({});
  judge.begin(pair_of_letters({}));
  judge.add(GatePart(pair_of_letters({"A", "B"}), {}));
  judge.add(GatePart(pair_of_letters({"C", "D", "E"}), {}));
  const Gate parts = judge.finish();
  const Gate whole = gate_fits(std::vector{pair_of_letters({"A", "B", "C", "D", "E"})});
  ASSERT_EQ(parts.groups.size(), 5U);
  EXPECT_EQ(parts.family, whole.family);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(parts.groups[i].group, whole.groups[i].group);
    EXPECT_EQ(parts.groups[i].comparisons[0].p_worse_holm,
              whole.groups[i].comparisons[0].p_worse_holm);
  }
  ASSERT_EQ(parts.shared.size(), 1U);
  EXPECT_EQ(parts.shared[0].groups, 5U);
  EXPECT_EQ(parts.shared[0].comparison.ratio(), whole.shared[0].comparison.ratio());
  EXPECT_EQ(parts.shared[0].p_worse, whole.shared[0].p_worse);
}

TEST(GateJudge, PartsOfSeveralThreadsComeInTheirOrder) {
  GateJudge judge({});
  judge.begin(pair_of_letters({}));
  judge.add(26, 4, [](std::size_t part) {
    return GatePart(pair_of_letters({std::string(1, static_cast<char>('A' + part))}), {});
  });
  const Gate gate = judge.finish();
  ASSERT_EQ(gate.groups.size(), 26U);
  for (std::size_t i = 0; i < gate.groups.size(); ++i) {
    EXPECT_EQ(gate.groups[i].group.front().front(), static_cast<char>('A' + i));
  }
  EXPECT_EQ(gate.shared.at(0).groups, 26U);
}

TEST(GateComparison, AMillionGroupsTakeFewBytesEach) {
  EXPECT_LE(sizeof(GateComparison), 160U);  // A group has three.
  EXPECT_LE(sizeof(GateGroup), 104U);
}

TEST(GateComparison, ShowsACurveAndNotItsLogarithm) {
  const GateComparison curve{.figure = "curve", .base = {std::log(100), 0.01, 50.0}};
  EXPECT_NEAR(curve.shown(curve.base).estimate, 100, 1e-12);
  EXPECT_NEAR(*curve.shown(curve.base).se, 1, 1e-12);
  // R: 100 * exp(qt(0.975, 50) * 0.01).
  EXPECT_NEAR(curve.shown_interval(curve.base, 0.95)->upper, 102.028866, 1e-5);
  EXPECT_FALSE(curve.shown_interval(curve.current, 0.95));
  const GateComparison beta{.figure = "beta", .base = {0.8, 0.0}};
  EXPECT_EQ(beta.shown(beta.base).estimate, 0.8);
  EXPECT_EQ(beta.shown_interval(beta.base, 0.95)->upper, 0.8) << "an exact value is a point";
}

TEST(GateFits, OneGroupSharesNothing) {
  EXPECT_TRUE(
      gate_of({fitted("A", kNodes, kSeconds)}, {fitted("A", kNodes, kSeconds)}).shared.empty());
}

TEST(GateFits, WithinTheLimitIsShownThoughTheVerdictIsOpen) {
  // The interval ends before +5 %, and reaches beyond -5 %.
  GateComparison comparison{.figure = "curve", .less_is_better = true, .limit = std::log(1.05)};
  EXPECT_FALSE(comparison.is_within_limit());
  comparison.change = {{.estimate = -0.025}, 0.035};  // From -0.06 to 0.01.
  EXPECT_TRUE(comparison.is_within_limit());
  comparison.less_is_better = false;  // Of a rate, less is worse.
  EXPECT_FALSE(comparison.is_within_limit());
  comparison.change.estimate = 0.025;
  EXPECT_TRUE(comparison.is_within_limit());

  GateGroup group{.y = "seconds", .group = {"A"}, .comparisons = {comparison}};
  Gate gate{.groups = {group}};
  EXPECT_EQ(outcome_of(gate, FailOn::kWorse), GateOutcome::kPassed);
  EXPECT_EQ(outcome_of(gate, FailOn::kInconclusive), GateOutcome::kFailed);
  gate.groups[0].comparisons.push_back({.figure = "beta"});
  EXPECT_FALSE(gate.groups[0].is_within_limits());
  EXPECT_EQ(outcome_of(gate, FailOn::kWorse), GateOutcome::kUndecided);
}

TEST(GateFits, ASlowdownWithinTheLimitIsShown) {
  const std::vector<GroupFit> base{fitted("A", kNodes, kSeconds), fitted("B", kNodes, kSeconds)};
  const auto slower = [&](double factor) {
    return gate_of(base,
                   {fitted("A", kNodes, kSeconds), fitted("B", kNodes, times(kSeconds, factor))},
                   {.max_slowdown = 0.3});
  };
  const Gate gate = slower(1.2);
  ASSERT_TRUE(gate.shown_loss);
  EXPECT_EQ(gate.groups[gate.shown_loss->group].group, GroupKey{"B"});
  const GateGroup& group = gate.groups[gate.shown_loss->group];
  EXPECT_TRUE(group.comparisons.at(gate.shown_loss->comparison).is_of_response());
  EXPECT_FALSE(slower(0.8).shown_loss);
  EXPECT_FALSE(slower(1).shown_loss);
  EXPECT_FALSE(slower(2).shown_loss) << "what exceeds the limit is told as worse";
}

TEST(GateFits, ASlowdownIsShownIfNoChanceAmongTheComparisonsExplainsIt) {
  // An interval of one comparison without 0 in it, about one twentieth of which are by chance.
  std::vector<GroupFit> base;
  std::vector<GroupFit> current;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "m" + std::to_string(10 + i);
    base.push_back(fitted(name, kNodes, kSeconds));
    current.push_back(fitted(name, kNodes, times(kSeconds, i == 0 ? 1.025 : 1)));
  }
  const GateOptions wide{.max_slowdown = 0.3};
  const Gate alone = gate_of({base[0]}, {current[0]}, wide);
  EXPECT_TRUE(alone.shown_loss);
  const Gate among_others = gate_of(base, current, wide);
  EXPECT_TRUE(among_others.groups[0].comparisons[1].has_loss());
  EXPECT_FALSE(among_others.shown_loss);
}

TEST(GateFits, WithoutAnythingShownTheGateIsUndecided) {
  const Gate gate = gate_of({fitted("A", {1, 2}, {100, 50})}, {fitted("A", kNodes, kSeconds)});
  EXPECT_EQ(outcome_of(gate, FailOn::kWorse), GateOutcome::kUndecided);
  EXPECT_EQ(outcome_of(gate, FailOn::kInconclusive), GateOutcome::kFailed);
  EXPECT_FALSE(fails(gate, FailOn::kWorse));
}

TEST(GateFits, ABaselineGroupWithoutAFitDecidesNothing) {
  const Gate gate =
      gate_of({{{"A"}, NoFit{FailureCode::kTooFewX, "one x"}}}, {fitted("A", kNodes, kSeconds)});
  EXPECT_EQ(gate.groups.at(0).verdict, GateVerdict::kInconclusive);
  EXPECT_EQ(*gate.groups.at(0).reason, "no fit in BASE: one x (too-few-x)");
}

TEST(GateFits, WithoutDegreesOfFreedomNothingIsShown) {
  const GateGroup group =
      gate_of({fitted("A", {1, 2}, {100, 50})}, {fitted("A", kNodes, times(kSeconds, 3))})
          .groups.at(0);
  EXPECT_EQ(group.verdict, GateVerdict::kInconclusive);
  for (const GateComparison& comparison : group.comparisons) {
    EXPECT_FALSE(comparison.change.se);
    EXPECT_FALSE(comparison.change.ci());
    EXPECT_FALSE(comparison.p_worse());
    EXPECT_EQ(*comparison.reason, "BASE has no degrees of freedom: 2 points for 2 parameters");
  }
}

TEST(GateFits, ExactFitsAreComparedByTheirValues) {
  const std::vector<double> halves{100, 50, 25, 12.5, 6.25};
  const auto judged = [&](double factor) {
    return gate_of({fitted("A", kNodes, halves)}, {fitted("A", kNodes, times(halves, factor))})
        .groups.at(0);
  };
  EXPECT_THAT(verdicts_of(judged(1)), ElementsAre("same", "same", "same"));
  EXPECT_THAT(verdicts_of(judged(1.1)), ElementsAre("same", "worse", "worse"));
  EXPECT_THAT(verdicts_of(judged(0.99)), ElementsAre("same", "better", "better"));
  EXPECT_FALSE(judged(1.1).comparisons[1].p_worse());
}

TEST(GateFits, WithoutACommonRangeThereIsNoMiddleAndNoLargest) {
  const GateGroup group =
      gate_of({fitted("A", {1, 2, 4}, {100, 52, 27})}, {fitted("A", {8, 16, 32}, {14, 7.5, 3.6})})
          .groups.at(0);
  ASSERT_EQ(group.comparisons.size(), 2);
  EXPECT_EQ(group.comparisons[1].verdict, GateVerdict::kInconclusive);
  EXPECT_EQ(*group.comparisons[1].reason,
            "BASE was measured from 1 to 4, NEW from 8 to 32: no common range");
  EXPECT_FALSE(group.comparisons[1].ratio());
}

TEST(GateFits, WithoutACommonRangeExponentsShowNothingUnlessTheLawIsChosen) {
  // With a floor under the law the same machine has another exponent at larger x.
  const auto gate = [](const GateOptions& options) {
    return gate_of({fitted("A", {1, 2, 4, 8}, {100, 50.1, 25.2, 12.6})},
                   {fitted("A", {32, 64, 128, 256}, {4, 2.9, 2.1, 1.5})}, options);
  };
  const GateComparison open = gate({}).groups.at(0).comparisons.at(0);
  EXPECT_EQ(open.figure, "beta");
  EXPECT_EQ(open.verdict, GateVerdict::kInconclusive);
  EXPECT_THAT(*open.reason, HasSubstr("no common range, and the slope of one is not that of the"));
  const GateComparison chosen = gate({.law_is_chosen = true}).groups.at(0).comparisons.at(0);
  EXPECT_EQ(chosen.verdict, GateVerdict::kWorse);
}

TEST(GateFits, ChosenXAreComparedInOrderAndMarkedWhereExtrapolated) {
  const GateOptions options{.at_middle = false, .at_largest = true, .at = {64, 2, 16}};
  const GateGroup group = group_slower_by(1, options);
  ASSERT_EQ(group.comparisons.size(), 4);
  EXPECT_EQ(group.comparisons[1].x, 2);
  EXPECT_EQ(group.comparisons[2].x, 16);
  EXPECT_EQ(group.comparisons[3].x, 64);
  EXPECT_FALSE(group.comparisons[2].extrapolated);
  EXPECT_TRUE(group.comparisons[3].extrapolated);
}

TEST(GateFits, ALineBelowZeroHasNoRatio) {
  const FitOptions linear{.law = find_law("linear")};
  SavedFits base = study("base.json", {fitted("A", {1, 2, 3, 4}, {9, 6.1, 2.9, 0.1}, linear)});
  base.law = linear.law;
  const GateGroup group = gate_fits(std::vector{GatePair{base, base}}, {.at = {10}}).groups.at(0);
  ASSERT_EQ(group.comparisons.size(), 3);  // A line has no exponent.
  EXPECT_EQ(*group.comparisons[2].reason, "the curve of BASE is not positive there");
  EXPECT_FALSE(group.comparisons[2].ratio());
  EXPECT_EQ(group.comparisons[2].verdict, GateVerdict::kInconclusive);
}

TEST(GateFits, RefusesToCompareWhatIsNotTheSame) {
  const SavedFits base = study("base.json", {fitted("A", kNodes, kSeconds)});
  const auto message_if = [&base](auto change) {
    SavedFits current = base;
    current.source = "new.json";
    change(current);
    return [base, current] { gate_fits(std::vector{GatePair{base, current}}); };
  };
  EXPECT_THAT(message_if([](SavedFits& fits) { fits.x = "gpus"; }),
              ThrowsMessage<DataError>("base.json and new.json cannot be compared: x is 'nodes' in "
                                       "the first, 'gpus' in the second"));
  EXPECT_THAT(message_if([](SavedFits& fits) { fits.y = "joules"; }),
              ThrowsMessage<DataError>(HasSubstr("y is 'seconds'")));
  EXPECT_THAT(message_if([](SavedFits& fits) {
                fits.by = {"model", "cap"};
              }),
              ThrowsMessage<DataError>(HasSubstr("by is 'model' in the first, 'model, cap'")));
  EXPECT_THAT(message_if([](SavedFits& fits) { fits.law = find_law("linear"); }),
              ThrowsMessage<DataError>(HasSubstr("law is 'power'")));
  EXPECT_THAT(message_if([](SavedFits& fits) { fits.response = Response::kRate; }),
              ThrowsMessage<DataError>(HasSubstr("response is 'time'")));
  EXPECT_THAT(message_if([](SavedFits& fits) { fits.errors = Errors::kNormal; }),
              ThrowsMessage<DataError>(HasSubstr("errors is 'lognormal'")));
  EXPECT_THAT(message_if([](SavedFits& fits) { fits.groups.push_back(fits.groups[0]); }),
              ThrowsMessage<DataError>("new.json: the group 'A' appears twice"));
}

TEST(GateFits, RefusesLimitsThatMakeNoSense) {
  for (const double limit : {0.0, -0.1, 1.01, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(gate_of({}, {}, {.max_slowdown = limit}), std::invalid_argument) << limit;
    EXPECT_THROW(gate_of({}, {}, {.max_beta_drop = limit}), std::invalid_argument) << limit;
  }
  EXPECT_THROW(gate_of({}, {}, {.at = {0}}), std::invalid_argument);
  EXPECT_THROW(gate_of({}, {}, {.confidence = 1}), std::invalid_argument);
}

json gate_studies() {
  std::ifstream in(source_folder().string() + "/tests/judge/oracle/gate.json");
  return parse_json(in);
}

/// Both sides of a study, with its groups in any order.
GatePair pair_of(const json& study_json, const std::vector<std::size_t>& order) {
  FitOptions options;
  if (study_json["response"] == "rate") options.response = Response::kRate;
  GatePair pair{study("base", {}), study("new", {})};
  pair.base.response = pair.current.response = options.response;
  for (const std::size_t i : order) {
    const json& group = study_json["groups"][i];
    for (auto [side, fits] : {std::pair{"base", &pair.base}, {"new", &pair.current}}) {
      fits->groups.push_back(
          fitted(std::to_string(i), group[side]["x"], group[side]["y"], options));
    }
  }
  return pair;
}

std::vector<std::size_t> in_order(std::size_t size) {
  std::vector<std::size_t> order(size);
  for (std::size_t i = 0; i < size; ++i) order[i] = i;
  return order;
}

void expect_comparison(Comparison& compare, const GateComparison& found, const json& expected) {
  const double se = expected["se"];
  EXPECT_EQ(std::string(found.figure), expected["figure"]);
  compare.expect("change", found.change.estimate / se + 10,
                 expected["change"].get<double>() / se + 10);
  compare.expect("se", found.change.se, se);
  compare.expect("dof", found.change.dof, expected["dof"]);
  const double centre = expected["change"];
  compare.expect("lower", found.change.ci()->lower - found.change.estimate,
                 expected["ci"][0].get<double>() - centre);
  compare.expect("upper", found.change.ci()->upper - found.change.estimate,
                 expected["ci"][1].get<double>() - centre);
  for (const auto& [name, p] : {std::pair{"p_worse", found.p_worse()},
                                {"p_worse_holm", found.p_worse_holm},
                                {"p_better", found.p_better()},
                                {"p_better_holm", found.p_better_holm}}) {
    compare.expect(name, p, expected[name]);
  }
  EXPECT_EQ(name_of(found.verdict), expected["verdict"]);
}

TEST(GateFits, AgreesWithStatsmodelsAndScipyToEightDigits) {
  Comparison compare("", 8);
  int number = 0;
  for (const json& study_json : gate_studies()) {
    compare.at("study " + std::to_string(number++));
    const json& expected = study_json["expected"];
    const auto pair = pair_of(study_json, in_order(expected.size()));
    const Gate gate = gate_fits(std::vector{pair});
    ASSERT_EQ(gate.groups.size(), expected.size());
    for (std::size_t g = 0; g < expected.size(); ++g) {
      EXPECT_EQ(name_of(gate.groups[g].verdict), expected[g]["verdict"]);
      const json& comparisons = expected[g]["comparisons"];
      ASSERT_EQ(gate.groups[g].comparisons.size(), comparisons.size());
      for (std::size_t i = 0; i < comparisons.size(); ++i) {
        expect_comparison(compare, gate.groups[g].comparisons[i], comparisons[i]);
      }
    }
  }
  EXPECT_EQ(number, 20);
  report(compare);
}

TEST(GateFits, VerdictsDoNotDependOnTheOrderOfGroups) {
  for (const json& study_json : gate_studies()) {
    auto order = in_order(study_json["groups"].size());
    const Gate first = gate_fits(std::vector{pair_of(study_json, order)});
    std::reverse(order.begin(), order.end());
    GatePair reversed = pair_of(study_json, order);
    std::reverse(reversed.current.groups.begin(), reversed.current.groups.end());
    const Gate second = gate_fits(std::vector{reversed});
    ASSERT_EQ(first.groups.size(), second.groups.size());
    for (std::size_t g = 0; g < first.groups.size(); ++g) {
      EXPECT_EQ(first.groups[g].group, second.groups[g].group);
      EXPECT_EQ(verdicts_of(first.groups[g]), verdicts_of(second.groups[g]));
      for (std::size_t i = 0; i < first.groups[g].comparisons.size(); ++i) {
        EXPECT_EQ(first.groups[g].comparisons[i].p_worse_holm,
                  second.groups[g].comparisons[i].p_worse_holm);
      }
    }
  }
}

TEST(GateFits, SeveralResponsesShareOneFamily) {
  const SavedFits seconds = study("base.json", {fitted("A", kNodes, kSeconds)});
  SavedFits joules = seconds;
  joules.y = "joules";
  const Gate gate = gate_fits(std::vector{GatePair{seconds, seconds}, GatePair{joules, joules}});
  ASSERT_EQ(gate.groups.size(), 2);
  EXPECT_EQ(gate.groups[1].y, "joules");
  EXPECT_EQ(gate.family, 6);
}

}  // namespace
}  // namespace scalelaw
