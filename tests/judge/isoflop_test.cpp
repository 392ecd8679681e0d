#include "scalelaw/judge/isoflop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/runs/surface_runs.hpp"
#include "support/places.hpp"

namespace scalelaw {
namespace {

/// E + 406.4 n^-alpha + 410.7 d^-beta.
struct Truth {
  double alpha = 0.34;
  double beta = 0.28;

  double exponent() const { return beta / (alpha + beta); }
  double best(double compute) const {
    return std::pow(alpha * 406.4 / (beta * 410.7), 1 / (alpha + beta)) *
           std::pow(compute / 6, exponent());
  }
  double loss(double n, double d) const {
    return 1.69 + 406.4 * std::pow(n, -alpha) + 410.7 * std::pow(d, -beta);
  }
};

void add_run(SurfaceRuns& runs, const Truth& truth, double n, double compute, double error = 0) {
  const double d = compute / 6 / n;
  runs.n.push_back(n);
  runs.d.push_back(d);
  runs.y.push_back(truth.loss(n, d) * std::exp(error));
}

/// Five budgets from 1e17 to 1e21, each with sizes up to `reach` times from its best one.
SurfaceRuns centred_runs(const Truth& truth, double reach, int sizes) {
  SurfaceRuns runs;
  for (int j = 0; j < 5; ++j) {
    const double compute = std::pow(10, 17 + j);
    for (int i = 0; i < sizes; ++i) {
      add_run(runs, truth, truth.best(compute) * std::pow(reach, 2.0 * i / (sizes - 1) - 1),
              compute);
    }
  }
  return runs;
}

/// The runs of tests/judge/oracle/isoflop_oracle.py.
SurfaceRuns oracle_runs(bool clustered) {
  SurfaceRuns runs;
  for (int j = 0; j < 5; ++j) {
    for (int i = 0; i < 9; ++i) {
      const double error = 0.001 * std::sin(1.7 * std::pow(9 * j + i, 2));
      add_run(runs, {}, 5e6 * std::pow(2, i + j), 1e18 * std::pow(4, j), error);
      if (clustered) runs.cluster.push_back(static_cast<std::uint32_t>(i + j));
    }
  }
  return runs;
}

IsoflopOptions options_at(double compute, StandardError se = StandardError::kSandwich) {
  IsoflopOptions options;
  options.at_compute = {compute};
  options.surface.law = find_law("chinchilla");
  options.surface.robust = Robust::kHuber;
  options.surface.intervals = Intervals::kWald;
  options.surface.se = se;
  return options;
}

double error_at_target(const IsoflopPath& path, const Truth& truth) {
  const IsoflopOptimum& target = path.optima.back();
  return target.n / truth.best(target.compute) - 1;
}

TEST(JudgeIsoflop, ParabolasHaveTheKnownBiasAndPowersAndSurfaceHaveNone) {
  struct Bias {
    Truth truth;
    double share;
  };
  for (const auto& [truth, share] :
       std::array{Bias{{0.31, 0.31}, 0}, Bias{{0.34, 0.28}, 0.0537}, Bias{{0.465, 0.155}, 0.301}}) {
    const Isoflop found = judge_isoflop(centred_runs(truth, 16, 15), options_at(1e24));
    const IsoflopPath& parabolas = found.path_of(IsoflopApproach::kParabolas);
    EXPECT_NEAR(parabolas.n_exponent->estimate, truth.exponent(), 1e-9);
    EXPECT_NEAR(error_at_target(parabolas, truth), share, 0.0005);
    for (const auto approach : {IsoflopApproach::kPowers, IsoflopApproach::kSurface}) {
      EXPECT_NEAR(found.path_of(approach).n_exponent->estimate, truth.exponent(), 1e-7);
      EXPECT_NEAR(error_at_target(found.path_of(approach), truth), 0, 1e-5);
    }
  }
}

TEST(JudgeIsoflop, TheSurfaceIsShownAlongTheSizesOfEachBudget) {
  const Truth truth;
  const Isoflop found = judge_isoflop(centred_runs(truth, 16, 15), options_at(1e24));
  ASSERT_EQ(found.budgets.size(), 5U);
  for (const IsoflopBudget& budget : found.budgets) {
    const IsoflopPath& path = found.path_of(IsoflopApproach::kSurface);
    const auto& profile = path.optimum_of_budget(budget.compute)->profile;
    EXPECT_NEAR(profile.front().first / budget.n_range.lower, 1, 1e-12);
    EXPECT_NEAR(profile.back().first / budget.n_range.upper, 1, 1e-12);
    const auto& [n, loss] = profile[10];
    EXPECT_NEAR(loss, truth.loss(n, budget.compute / 6 / n), 1e-6);
  }
}

struct Reference {
  IsoflopApproach approach;
  double exponent;
  double log_n;
  double se;
  double clustered_se;
  double clustered_dof;
  double f;  ///< Of a square beside the line.
};

/// By SciPy (tests/judge/oracle/isoflop_oracle.py).
constexpr std::array kReferences{Reference{IsoflopApproach::kParabolas, 0.4505681217, 22.4097203565,
                                           0.00221779, 0.00279604, 7.299965, 0.00215525},
                                 Reference{IsoflopApproach::kPowers, 0.4518565957, 22.3708030667,
                                           0.00085838, 0.00075191, 7.134378, 0.04380800}};

TEST(JudgeIsoflop, AgreesWithSciPyOnTheLineThroughAllMinima) {
  const Isoflop found = judge_isoflop(oracle_runs(false), options_at(1e22));
  for (const Reference& reference : kReferences) {
    const IsoflopPath& path = found.path_of(reference.approach);
    EXPECT_NEAR(path.n_exponent->estimate, reference.exponent, 1e-8);
    EXPECT_NEAR(std::log(path.optima.back().n), reference.log_n, 1e-7);
    EXPECT_NEAR(*path.n_exponent->se, reference.se, 1e-7);
    EXPECT_NEAR(path.line->statistic, reference.f, 1e-5);
    EXPECT_FALSE(path.line->is_broken);
    EXPECT_NEAR(path.line->range.upper, 2.56e20, 1e12);
  }
}

/// The best size grows as compute^0.4516 to 1e20 and as compute^0.3016 beyond.
SurfaceRuns bent_runs(int budgets) {
  SurfaceRuns runs;
  for (int j = 0; j < budgets; ++j) {
    const double compute = 3e18 * std::pow(3.0, j);
    const double bent = std::pow(std::max(1.0, compute / 1e20), 0.15);
    for (int i = 0; i < 7; ++i) {
      const double error = 0.001 * std::sin(1.7 * std::pow(7 * j + i, 2));
      add_run(runs, {}, Truth().best(compute) * std::pow(2, i - 3), compute, error);
      runs.n.back() /= bent;
      runs.d.back() *= bent;
    }
  }
  return runs;
}

double bent_best(double compute) {
  return Truth().best(compute) / std::pow(std::max(1.0, compute / 1e20), 0.15);
}

TEST(JudgeIsoflop, WhereTheLineIsBrokenItsLastStraightPartIsExtended) {
  IsoflopOptions options = options_at(1e23);
  options.at_compute = {1e19, 1e23};
  const Isoflop found = judge_isoflop(bent_runs(8), options);
  const IsoflopPath& path = found.path_of(IsoflopApproach::kPowers);
  ASSERT_TRUE(path.line->is_broken);
  EXPECT_GT(path.line->statistic, 100);
  EXPECT_EQ(path.line->budgets, 4U);  // 2.4e20 to 6.6e21.
  EXPECT_NEAR(path.line->range.lower, 2.43e20, 1e10);
  EXPECT_NEAR(path.n_exponent->estimate, 0.3016, 0.008);
  ASSERT_EQ(path.optima.size(), 10U);
  EXPECT_NEAR(path.optima[8].n / bent_best(1e19), 1, 0.02);
  EXPECT_NEAR(path.optima[9].n / bent_best(1e23), 1, 0.05);
}

/// Eight budgets of seven sizes whose scatter is `least` at 1e18, and `greatest` at 1e21.
SurfaceRuns scattered_runs(double least, double greatest, std::uint64_t seed) {
  SurfaceRuns runs;
  RandomStream stream(seed);
  for (int j = 0; j < 8; ++j) {
    const double compute = 1e18 * std::pow(1e3, j / 7.0);
    const double scatter = least * std::pow(greatest / least, j / 7.0);
    for (int i = 0; i < 7; ++i) {
      const double size = Truth().best(compute) * std::pow(4, i / 3.0 - 1);
      add_run(runs, {}, size, compute, scatter * stream.normal());
    }
  }
  return runs;
}

TEST(JudgeIsoflop, BudgetsThatScatterLessCountMore) {
  constexpr std::uint64_t kStudies = 40;
  int unequal = 0;
  int held = 0;
  double exponent = 0;
  for (std::uint64_t seed = 0; seed < kStudies; ++seed) {
    const Isoflop found = judge_isoflop(scattered_runs(0.009, 0.001, seed), options_at(1e22));
    const IsoflopPath& path = found.path_of(IsoflopApproach::kPowers);
    unequal += path.scatter->is_unequal ? 1 : 0;
    exponent += path.scatter->exponent / kStudies;
    const Interval ci = path.n_exponent->ci.value();
    held += ci.lower <= Truth().exponent() && Truth().exponent() <= ci.upper ? 1 : 0;
    EXPECT_LT(*path.n_exponent->dof, 38);  // The weights were estimated, too.
  }
  EXPECT_GE(unequal, 38);
  EXPECT_NEAR(exponent, -std::log(9) / std::log(1e3), 0.03);
  EXPECT_GE(held, 35);
}

TEST(JudgeIsoflop, BudgetsThatScatterAlikeCountAlike) {
  int unequal = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Isoflop found = judge_isoflop(scattered_runs(0.002, 0.002, seed), options_at(1e22));
    const IsoflopPath& path = found.path_of(IsoflopApproach::kPowers);
    unequal += path.scatter->is_unequal ? 1 : 0;
    if (!path.scatter->is_unequal) EXPECT_EQ(*path.n_exponent->dof, 56 - 2 * 8 - 4);
  }
  EXPECT_LE(unequal, 5);
  EXPECT_FALSE(judge_isoflop(centred_runs({}, 4, 7), options_at(1e22)).path().scatter);  // Exact.
  EXPECT_FALSE(judge_isoflop(oracle_runs(true), options_at(1e22)).path().scatter);  // Clusters.
}

TEST(JudgeIsoflop, OfManyBudgetsABrokenLineLeavesTheirMinimaAlone) {
  const Isoflop found = judge_isoflop(bent_runs(24), options_at(1e31));
  const IsoflopPath& path = found.path_of(IsoflopApproach::kPowers);
  ASSERT_TRUE(path.line->is_broken);
  for (std::size_t j = 0; j < 24; ++j) {
    EXPECT_NEAR(path.optima[j].n / bent_best(path.optima[j].compute), 1, 0.1) << j;
  }
}

TEST(JudgeIsoflop, AgreesWithTheDefinitionOfCr2WhereRunsShareErrors) {
  const Isoflop found = judge_isoflop(oracle_runs(true), options_at(1e22, StandardError::kCr2));
  for (const Reference& reference : kReferences) {
    const Estimate& exponent = found.path_of(reference.approach).n_exponent.value();
    EXPECT_NEAR(exponent.estimate, reference.exponent, 1e-8);
    EXPECT_NEAR(*exponent.se, reference.clustered_se, 1e-7);
    EXPECT_NEAR(*exponent.dof, reference.clustered_dof, 1e-3);
  }
}

/// Six runs on y = 1 + t^2 of a budget, with errors: its minimum has Fieller's interval.
TEST(JudgeIsoflop, IntervalOfAParabolasMinimumIsFiellers) {
  SurfaceRuns runs;
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 6; ++i) {
      const double t = i - 2.5;
      runs.n.push_back(std::exp(18 + j + t));
      runs.d.push_back(std::exp(40 + 2 * j) / 6 / runs.n.back());
      runs.y.push_back(3 + 0.05 * t * t + (i % 2 == 0 ? 0.01 : -0.01));
    }
  }
  IsoflopOptions options = options_at(1e18);
  options.within = std::numeric_limits<double>::infinity();
  const Isoflop found = judge_isoflop(runs, options);
  const IsoflopOptimum& first = found.path_of(IsoflopApproach::kParabolas).optima.front();
  // {x : |b + 2 c x| <= t_6 se(b + 2 c x)} by NumPy from the normal equations.
  EXPECT_NEAR(std::log(first.n) - 18, 0.01714285714, 1e-8);
  EXPECT_NEAR(std::log(first.n_ci->lower) - 18, -0.06224, 1e-5);
  EXPECT_NEAR(std::log(first.n_ci->upper) - 18, 0.09693, 1e-5);
}

bool warns(const IsoflopBudget& budget, BudgetWarning warning) {
  return std::find(budget.warnings.begin(), budget.warnings.end(), warning) !=
         budget.warnings.end();
}

TEST(JudgeIsoflop, MarksBudgetsWhoseMinimumLiesBadly) {
  const Truth truth;
  SurfaceRuns runs = centred_runs(truth, 4, 6);
  for (const double place : {1.2, 2.0, 4.0, 8.0}) {
    add_run(runs, truth, place * truth.best(1e22), 1e22);      // In the outer quarter.
    add_run(runs, truth, 2 * place * truth.best(1e23), 1e23);  // Outside.
  }
  add_run(runs, truth, 0.7 * truth.best(1e22), 1e22);
  for (const double place : {0.5, 1.0, 2.0}) add_run(runs, truth, place * truth.best(1e24), 1e24);
  const Isoflop found = judge_isoflop(runs, options_at(1e25));
  ASSERT_EQ(found.budgets.size(), 8U);
  EXPECT_TRUE(found.budgets[0].warnings.empty());
  EXPECT_TRUE(warns(found.budgets[5], BudgetWarning::kAsymmetric));
  EXPECT_TRUE(warns(found.budgets[6], BudgetWarning::kEdge));
  EXPECT_TRUE(warns(found.budgets[7], BudgetWarning::kFewSizes));
  EXPECT_EQ(found.path_of(IsoflopApproach::kPowers).budgets, 7U);
}

TEST(JudgeIsoflop, RunsOfOneBudgetHaveNearlyOneComputeOrOneValueOfItsColumn) {
  const Truth truth;
  SurfaceRuns runs = centred_runs(truth, 4, 6);
  for (std::size_t i = 0; i < runs.n.size(); ++i) runs.d[i] *= i % 2 == 0 ? 1.03 : 0.97;
  EXPECT_EQ(judge_isoflop(runs, options_at(1e22)).budgets.size(), 5U);
  for (std::size_t i = 0; i < runs.n.size(); ++i) runs.d[i] *= i % 2 == 0 ? 1.3 : 0.7;
  EXPECT_EQ(judge_isoflop(runs, options_at(1e22)).budgets.size(), 10U);
  for (std::size_t i = 0; i < runs.n.size(); ++i) runs.budget.push_back(std::pow(10, 17 + i / 6));
  const Isoflop found = judge_isoflop(runs, options_at(1e22));
  ASSERT_EQ(found.budgets.size(), 5U);
  EXPECT_EQ(found.budgets[1].rows.size(), 6U);
  EXPECT_NEAR(found.budgets[1].compute, 1e18 * std::sqrt(1.03 * 1.3 * 0.97 * 0.7), 1e9);
}

TEST(JudgeIsoflop, WithinLeavesOutSizesFarFromTheBest) {
  IsoflopOptions options = options_at(1e22);
  options.within = 4;
  const Isoflop found = judge_isoflop(centred_runs({}, 16, 9), options);
  EXPECT_EQ(found.budgets.front().sizes, 5U);
  EXPECT_EQ(found.budgets.front().too_far, 4U);
  EXPECT_EQ(found.in_budgets, 45U);
}

TEST(JudgeIsoflop, SizesFarAwayAreLeftOutUnlessAllAreAskedFor) {
  const SurfaceRuns runs = centred_runs({}, 40, 15);
  const Isoflop narrow = judge_isoflop(runs, options_at(1e22));
  EXPECT_EQ(narrow.within, 8);
  EXPECT_NEAR(narrow.farthest, 40, 1e-6);
  EXPECT_EQ(narrow.budgets.front().sizes, 7U);
  IsoflopOptions options = options_at(1e22);
  options.within = std::numeric_limits<double>::infinity();
  EXPECT_EQ(judge_isoflop(runs, options).budgets.front().sizes, 15U);
  EXPECT_EQ(judge_isoflop(centred_runs({}, 16, 15), options_at(1e22)).budgets.front().sizes, 15U);
  // Three sizes would be left, which are too few.
  EXPECT_EQ(judge_isoflop(centred_runs({}, 40, 5), options_at(1e22)).budgets.front().sizes, 5U);
}

/// A far size whose loss is so great that a parabola through all sizes has its minimum elsewhere.
TEST(JudgeIsoflop, ABudgetWithItsLeastLossBetweenSizesIsNoEdge) {
  const Truth truth;
  SurfaceRuns runs;
  for (int j = 0; j < 4; ++j) {
    const double compute = std::pow(10, 18 + j);
    for (const double place : {0.6, 1.0, 1.7, 3.0, 5.0, 9.0, 16.0}) {
      add_run(runs, truth, place * truth.best(compute), compute, place > 4 ? 0.3 * place / 16 : 0);
    }
  }
  const Isoflop found = judge_isoflop(runs, options_at(1e22));
  EXPECT_EQ(found.path_of(IsoflopApproach::kPowers).budgets, 4U);
  for (const IsoflopBudget& budget : found.budgets) {
    EXPECT_FALSE(warns(budget, BudgetWarning::kEdge));
    EXPECT_FALSE(warns(budget, BudgetWarning::kNoMinimum));
  }
}

TEST(JudgeIsoflop, ARunThatDivergedIsNamedAndRulesNothing) {
  const Isoflop clean = judge_isoflop(oracle_runs(false), options_at(1e22));
  EXPECT_TRUE(clean.outliers.empty());
  SurfaceRuns runs = oracle_runs(false);
  runs.y[17] = 9;
  runs.y[30] = 7;
  const Isoflop found = judge_isoflop(runs, options_at(1e22));
  ASSERT_EQ(found.outliers.size(), 2U);
  EXPECT_EQ(found.outliers[0].row, 17U);
  EXPECT_EQ(found.outliers[0].loss, 9);
  EXPECT_NEAR(found.outliers[0].compute, 4e18, 1e10);
  EXPECT_EQ(found.outliers[1].row, 30U);
  const IsoflopPath& path = found.path_of(IsoflopApproach::kPowers);
  EXPECT_EQ(path.runs, 43U);
  EXPECT_NEAR(path.n_exponent->estimate, 0.4519, 0.002);
}

TEST(JudgeIsoflop, OneBudgetHasItsOptimumAndNoExponents) {
  const Truth truth;
  SurfaceRuns runs;
  for (int i = 0; i < 9; ++i) add_run(runs, truth, truth.best(1e20) * std::pow(1.5, i - 3), 1e20);
  const Isoflop found = judge_isoflop(runs, options_at(1e22));
  EXPECT_EQ(found.chosen, IsoflopApproach::kPowers);
  EXPECT_EQ(found.reason, IsoflopReason::kOnlyPossible);
  EXPECT_FALSE(found.path().n_exponent);
  ASSERT_EQ(found.path().optima.size(), 1U);
  EXPECT_NEAR(found.path().optima[0].n / truth.best(1e20), 1, 1e-5);
}

TEST(JudgeIsoflop, TheApproachDoesNotDependOnClustersOrTheComputeAskedFor) {
  SurfaceRuns runs = oracle_runs(true);
  for (std::size_t i = 0; i < runs.y.size(); ++i) {
    runs.y[i] *= 1 + 0.01 * std::sin(2.3 * static_cast<double>(i * i));
  }
  for (const double compute : {1e19, 1e22, 1e26}) {
    for (const auto se : {StandardError::kSandwich, StandardError::kCr2}) {
      const Isoflop found = judge_isoflop(runs, options_at(compute, se));
      EXPECT_EQ(found.chosen, IsoflopApproach::kPowers);
      EXPECT_EQ(found.reason, IsoflopReason::kMostRuns);
    }
  }
}

TEST(JudgeIsoflop, TwoBudgetsTakenAsOneAreTold) {
  const Truth truth;
  SurfaceRuns runs;
  for (const double compute : {1e18, 1.14e18, 1e20, 1e22}) {
    for (int i = 0; i < 6; ++i) {
      add_run(runs, truth, truth.best(compute) * std::pow(2, i - 2.5), compute);
    }
  }
  const Isoflop found = judge_isoflop(runs, options_at(1e23));
  ASSERT_EQ(found.budgets.size(), 3U);
  EXPECT_TRUE(warns(found.budgets[0], BudgetWarning::kMixed));
  EXPECT_NEAR(found.budgets[0].computes.upper / found.budgets[0].computes.lower, 1.14, 1e-9);
  EXPECT_FALSE(warns(found.budgets[1], BudgetWarning::kMixed));
}

/// Rows that repeat a size share their fitted value: their means and counts say the same.
TEST(JudgeIsoflop, RepeatedRowsOfASizeAreAsGoodAsTheirNearbySizes) {
  for (const auto se : {StandardError::kSandwich, StandardError::kCr2}) {
    SurfaceRuns same;
    SurfaceRuns near;
    const SurfaceRuns runs = oracle_runs(true);
    for (std::size_t i = 0; i < runs.n.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        for (SurfaceRuns* copy : {&same, &near}) {
          const double moved = copy == &near ? 1 + 1e-9 * k : 1;
          copy->n.push_back(runs.n[i] * moved);
          copy->d.push_back(runs.d[i] / moved);
          copy->y.push_back(runs.y[i] * (1 + 0.001 * (k - 1)));
          if (se == StandardError::kCr2) copy->cluster.push_back(runs.cluster[i]);
        }
      }
    }
    const auto exponent = [&](const SurfaceRuns& of) {
      return *judge_isoflop(of, options_at(1e22, se)).path_of(IsoflopApproach::kPowers).n_exponent;
    };
    EXPECT_NEAR(exponent(same).estimate, exponent(near).estimate, 1e-6);
    EXPECT_NEAR(*exponent(same).se / *exponent(near).se, 1, 1e-4);
    EXPECT_NEAR(*exponent(same).dof / *exponent(near).dof, 1, 1e-4);
  }
}

TEST(JudgeIsoflop, FindsTheBestRunsOfTrainingCurves) {
  const Truth truth;
  SurfaceRuns runs;
  for (int i = 0; i < 16; ++i) {
    const double n = 1e7 * std::pow(1.6, i);
    for (int k = 0; k < 30; ++k) add_run(runs, truth, n, 6 * n * n * std::pow(1.25, k));
  }
  const Isoflop found = judge_isoflop(runs, options_at(1e22));
  const IsoflopPath& curves = found.path_of(IsoflopApproach::kCurves);
  EXPECT_NEAR(curves.n_exponent->estimate, truth.exponent(), 0.03);
  EXPECT_GE(curves.n_exponent->ci->upper, truth.exponent());
  EXPECT_LE(curves.n_exponent->ci->lower, truth.exponent());
}

TEST(JudgeIsoflop, OfManyBudgetsTheMinimaLieOnTheLine) {
  const Truth truth;
  SurfaceRuns runs;
  for (int j = 0; j < 24; ++j) {
    const double compute = 1e18 * std::pow(1.5, j);
    for (int i = 0; i < 5; ++i) {
      add_run(runs, truth, truth.best(compute) * std::pow(2, i - 2), compute,
              0.002 * std::sin(17.0 * (5 * j + i)));
    }
  }
  const Isoflop found = judge_isoflop(runs, options_at(1e24));
  const IsoflopPath& path = found.path_of(IsoflopApproach::kPowers);
  ASSERT_EQ(path.budgets, 24U);
  const double steps = std::log(path.optima[23].n / path.optima[0].n) / std::log(1.5) / 23;
  EXPECT_NEAR(steps, path.n_exponent->estimate, 1e-9);
  EXPECT_NEAR(std::log(path.optima[7].n / path.optima[6].n) / std::log(1.5), steps, 1e-9);
}

/// More points in each cluster than its leverages are kept for as one matrix.
TEST(JudgeIsoflop, ManyBudgetsInFewClustersHaveTheErrorOfIndependentRuns) {
  const Truth truth;
  SurfaceRuns runs;
  std::uint64_t state = 1;
  for (int j = 0; j < 900; ++j) {
    const double compute = 1e18 * std::pow(1.02, j);
    for (int i = 0; i < 5; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const double error = 0.002 * (static_cast<double>(state >> 11U) * 0x1p-52 - 1);
      add_run(runs, truth, truth.best(compute) * std::pow(2, i - 2), compute, error);
      runs.cluster.push_back(static_cast<std::uint32_t>((state >> 40U) % 12));
    }
  }
  for (int j = 0; j < 900; ++j) {
    for (int i = 0; i < 5; ++i) runs.budget.push_back(j);
  }
  const auto exponent = [&](StandardError se, const SurfaceRuns& of) {
    return *judge_isoflop(of, options_at(1e30, se)).path_of(IsoflopApproach::kPowers).n_exponent;
  };
  const Estimate clustered = exponent(StandardError::kCr2, runs);
  SurfaceRuns apart = runs;
  apart.cluster.clear();
  const Estimate independent = exponent(StandardError::kSandwich, apart);
  EXPECT_NEAR(clustered.estimate, independent.estimate, 1e-9);
  EXPECT_NEAR(*clustered.se / *independent.se, 1, 0.5);
  EXPECT_GT(*clustered.dof, 5);
  EXPECT_LT(*clustered.dof, 12);
}

TEST(JudgeIsoflop, NamesApproachesThatDisagree) {
  SurfaceRuns runs = centred_runs({0.465, 0.155}, 16, 15);
  for (std::size_t i = 0; i < runs.y.size(); ++i) {
    runs.y[i] *= 1 + 0.001 * std::sin(1.7 * static_cast<double>(i * i));
  }
  const Isoflop found = judge_isoflop(runs, options_at(1e24));
  EXPECT_EQ(found.chosen, IsoflopApproach::kPowers);
  EXPECT_EQ(found.disagreeing, std::vector{IsoflopApproach::kParabolas});
}

/// Runs drawn at random, a few of which happen to lie at one compute.
TEST(JudgeIsoflop, TakesTheSurfaceWhereFewRunsBelongToBudgets) {
  const Truth truth;
  SurfaceRuns runs;
  std::uint64_t state = 12345;
  const auto uniform = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 11U) * 0x1p-53;
  };
  for (int i = 0; i < 80; ++i) {
    const double n = 3e7 * std::pow(10, 2.5 * uniform());
    const double compute = 6 * n * 1e9 * std::pow(10, 2.5 * uniform());
    add_run(runs, truth, n, compute, 0.01 * (uniform() - 0.5));
  }
  const Isoflop found = judge_isoflop(runs, options_at(1e23));
  EXPECT_GT(found.in_budgets, 20U);
  EXPECT_EQ(found.chosen, IsoflopApproach::kSurface);
}

/// Six sizes with each of six numbers of tokens: the diagonals are budgets, of few runs each.
TEST(JudgeIsoflop, TakesTheSurfaceOfAGrid) {
  const Truth truth;
  SurfaceRuns runs;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      const double n = 5e7 * std::pow(2, i);
      const double d = 1e9 * std::pow(2, j);
      add_run(runs, truth, n, 6 * n * d, 0.002 * std::sin(2.3 * (6 * i + j) * (6 * i + j)));
    }
  }
  const Isoflop found = judge_isoflop(runs, options_at(1e21));
  EXPECT_EQ(found.chosen, IsoflopApproach::kSurface);
  EXPECT_EQ(found.reason, IsoflopReason::kGrid);
}

TEST(JudgeIsoflop, AGroupWithoutBudgetsAndSurfaceHasTheReason) {
  SurfaceRuns runs;
  for (int i = 0; i < 2; ++i) add_run(runs, {}, 1e8 * (i + 1), 1e19);
  const std::array groups{runs, centred_runs({}, 4, 6)};
  const auto judged = judge_isoflops(groups, options_at(1e22), 2);
  EXPECT_TRUE(std::holds_alternative<NoFit>(judged[0].result));
  EXPECT_TRUE(std::holds_alternative<Isoflop>(judged[1].result));
}

/// Porian et al. (2024): their exponents lie in the intervals of approach 2 on their points.
TEST(JudgeIsoflop, HoldsTheExponentsThatPorianEtAlPublished) {
  const auto path = source_folder() / "../shared/data/llm/porian/isoflop.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  RunOptions rows;
  rows.y = "loss";
  rows.by = {"experiment"};
  rows.by_chosen = true;
  rows.run = "params";
  rows.runs_are_clusters = true;
  const SurfaceTable table =
      read_surface_runs(std::array{path.string()}, {.n = "params", .d = "tokens"}, rows);
  ASSERT_EQ(table.groups.size(), 3U);
  IsoflopOptions options = options_at(1e20, StandardError::kCr2);
  options.within = 8;
  const auto judged = judge_isoflops(table.groups, options, 2);
  constexpr std::array kPublished{0.8337679321842748, 0.7008992037256913, 0.5714248897446623};
  for (std::size_t i = 0; i < judged.size(); ++i) {
    for (const auto approach : {IsoflopApproach::kParabolas, IsoflopApproach::kPowers}) {
      const IsoflopPath& path = std::get<Isoflop>(judged[i].result).path_of(approach);
      // Their counts without embeddings bend the line (Porian et al., section 3); theirs is of all.
      EXPECT_EQ(path.line->is_broken, i == 0);
      if (path.line->budgets < path.budgets) continue;
      const Estimate exponent = path.n_exponent.value();
      EXPECT_LE(exponent.ci->lower, kPublished[i]);
      EXPECT_GE(exponent.ci->upper, kPublished[i]);
    }
  }
}

}  // namespace
}  // namespace scalelaw
