#include "scalelaw/judge/budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "scalelaw/base/error.hpp"
#include "scalelaw/fit/surface.hpp"

namespace scalelaw {
namespace {

constexpr double kDay = 86400;

/// The laws of tests/judge/oracle/budget_oracle.py, known without error but for the scatter that
/// `errors` asks for.
BudgetLaws oracle_laws() {
  BudgetLaws laws;
  laws.loss.law = find_law("chinchilla");
  for (const double value : {406.4, 410.7, 1.69, 0.34, 0.28}) {
    Parameter parameter;
    parameter.estimate = value;
    laws.loss.parameters.push_back(parameter);
  }
  laws.loss.surface = std::make_shared<SurfaceFigures>(
      SurfaceFigures{.x_range = {Interval{7e7, 2.8e9}, Interval{2e9, 1e11}},
                     .objective = 0,
                     .starts = 1,
                     .met = 1,
                     .gradient = 0});
  laws.gpu_seconds = known_resource(Resource::kTime, 7.5e-14, 0.95);
  laws.gpu_seconds->gpu_exponent.estimate = 0.08;
  laws.gpu_seconds->gpu_range = {8, 64};
  laws.watts = known_resource(Resource::kPower, 400, 0);
  laws.watts->gpu_exponent.estimate = -0.03;
  return laws;
}

BudgetOptions within(BudgetLimit limit, double amount) {
  BudgetOptions options;
  options.limit(limit) = amount;
  options.footprint = {.pue = 1.2, .carbon_intensity = 56, .price = 0.25};
  options.gpu_price = 2;
  return options;
}

/// The same with 16 GPUs, neither more nor fewer.
BudgetLaws on_16_gpus() {
  BudgetLaws laws = oracle_laws();
  laws.gpu_seconds->gpu_range = {16, 16};
  return laws;
}

void expect_plan(const BudgetPlan& plan, double n, double d, double gpus, double loss) {
  EXPECT_NEAR(plan.n / n, 1, 1e-5);
  EXPECT_NEAR(plan.d / d, 1, 1e-5);
  EXPECT_EQ(plan.gpus, gpus);
  EXPECT_NEAR(plan.loss, loss, 1e-9);
}

// Expected values: tests/judge/oracle/budget_oracle.py.

TEST(PlanBudget, TakesAllGpusForADeadline) {
  const Budget budget = plan_budget(oracle_laws(), within(BudgetLimit::kDeadline, 7 * kDay));
  expect_plan(budget.plan, 4.69716e9, 2.39879e11, 64, 2.1665632812);
  EXPECT_NEAR(*budget.plan.seconds, 7 * kDay, 1e-3);
  EXPECT_NEAR(*budget.plan.gpu_hours, 7 * 24 * 64, 1e-6);
  EXPECT_NEAR(*budget.plan.kwh, 1.2 * 0.4 * std::pow(64, -0.03) * 7 * 24 * 64, 1e-6);
  EXPECT_NEAR(*budget.plan.co2_kg, 0.056 * *budget.plan.kwh, 1e-9);
  EXPECT_NEAR(*budget.plan.cost, 2 * 7 * 24 * 64 + 0.25 * *budget.plan.kwh, 1e-6);
  EXPECT_DOUBLE_EQ(budget.plan.flop, 6 * budget.plan.n * budget.plan.d);
}

TEST(PlanBudget, TakesTheFewestGpusForABudgetOfGpuHours) {
  const Budget budget = plan_budget(oracle_laws(), within(BudgetLimit::kGpuHours, 5000));
  expect_plan(budget.plan, 3.56105e9, 1.71382e11, 8, 2.2136103229);
  EXPECT_EQ(budget.warnings.back(), PlanWarning::kNoIntervals);
  EXPECT_NE(std::find(budget.warnings.begin(), budget.warnings.end(), PlanWarning::kNoDeadline),
            budget.warnings.end());
}

TEST(PlanBudget, TakesAsManyGpusAsTheDeadlineNeeds) {
  BudgetOptions options = within(BudgetLimit::kGpuHours, 5000);
  options.limit(BudgetLimit::kDeadline) = 7 * kDay;
  const BudgetPlan plan = plan_budget(oracle_laws(), options).plan;
  // 29.7619 GPUs are the best, and 30 the best whole number.
  EXPECT_EQ(plan.gpus, 30);
  EXPECT_NEAR(plan.n / 3.39225e9, 1, 1e-3);
  EXPECT_NEAR(plan.loss, 2.2223275431, 1e-4);
  EXPECT_GE(plan.loss, 2.2223275431 - 1e-9);
  EXPECT_LE(*plan.gpu_hours, 5000 * (1 + 1e-9));
  EXPECT_LE(*plan.seconds, 7 * kDay * (1 + 1e-9));
}

TEST(PlanBudget, StaysWithinEnergyMoneyAndCo2) {
  expect_plan(plan_budget(on_16_gpus(), within(BudgetLimit::kKwh, 3000)).plan, 3.9987e9, 1.97284e11,
              16, 2.1933759149);
  expect_plan(plan_budget(on_16_gpus(), within(BudgetLimit::kCost, 10000)).plan, 3.38584e9,
              1.61198e11, 16, 2.2226696638);
  expect_plan(plan_budget(on_16_gpus(), within(BudgetLimit::kCo2, 100)).plan, 3.14641e9, 1.47463e11,
              16, 2.2361193359);
}

TEST(PlanBudget, TrainsASmallerModelForLongerIfItServesMuch) {
  BudgetOptions options = within(BudgetLimit::kFlop, 1e22);
  expect_plan(plan_budget(on_16_gpus(), options).plan, 5.16047e9, 3.22968e11, 16, 2.1386140845);
  options.inference_tokens = 1e12;
  const BudgetPlan served = plan_budget(on_16_gpus(), options).plan;
  expect_plan(served, 1.91029e9, 5.39136e11, 16, 2.1871726938);
  EXPECT_NEAR(served.flop, 1e22, 1e14);
}

TEST(PlanBudget, ABudgetOfComputeIsTheOptimumOfTheSurface) {
  BudgetLaws laws = oracle_laws();
  laws.gpu_seconds.reset();
  laws.watts.reset();
  const Budget budget = plan_budget(laws, within(BudgetLimit::kFlop, 1e21));
  // Hoffmann et al. (2022), eq. 4.
  const double ratio = std::pow(0.34 * 406.4 / (0.28 * 410.7), 1 / 0.62);
  EXPECT_NEAR(budget.plan.n / (ratio * std::pow(1e21 / 6, 0.28 / 0.62)), 1, 1e-6);
  EXPECT_FALSE(budget.plan.gpus);
  EXPECT_EQ(budget.frontier.front().first, BudgetLimit::kFlop);
}

/// The same laws where tokens beyond the unique ones are worth less.
BudgetLaws laws_of_repeats() {
  BudgetLaws laws = oracle_laws();
  laws.loss.law = find_law("data-constrained");
  for (const double value : {15, 5}) {
    Parameter parameter;
    parameter.estimate = value;
    laws.loss.parameters.push_back(parameter);
  }
  return laws;
}

BudgetOptions week_of(double unique_tokens) {
  BudgetOptions options = within(BudgetLimit::kDeadline, 7 * kDay);
  options.unique_tokens = unique_tokens;
  return options;
}

bool has(const Budget& budget, PlanWarning warning) {
  return std::find(budget.warnings.begin(), budget.warnings.end(), warning) !=
         budget.warnings.end();
}

TEST(PlanBudget, RepeatedTokensCountLess) {
  const Budget budget = plan_budget(laws_of_repeats(), week_of(5e10));
  expect_plan(budget.plan, 3.85688e9, 2.89276e11, 64, 2.1893056466);
  EXPECT_NEAR(*budget.plan.effective_d / 2.54862e11, 1, 1e-5);
  EXPECT_NEAR(*budget.plan.epochs, 5.78552, 1e-4);
  EXPECT_FALSE(budget.one_epoch);
  EXPECT_FALSE(has(budget, PlanWarning::kTokensRepeated));
  expect_plan(plan_budget(laws_of_repeats(), week_of(1e10)).plan, 3.56767e9, 3.11509e11, 64,
              2.3020177203);
  BudgetOptions compute = within(BudgetLimit::kFlop, 1e22);
  compute.unique_tokens = 5e10;
  BudgetLaws laws = laws_of_repeats();
  laws.gpu_seconds.reset();
  laws.watts.reset();
  const BudgetPlan plan = plan_budget(laws, compute).plan;
  EXPECT_NEAR(plan.n / 4.34581e9, 1, 1e-5);
  EXPECT_NEAR(plan.loss, 2.1666244183, 1e-9);
}

TEST(PlanBudget, ConstantsThatAreKnownTellWhatRepeatedTokensAreWorth) {
  BudgetLaws laws = oracle_laws();
  laws.repeats = RepeatConstants{15, 5};
  expect_plan(plan_budget(laws, week_of(5e10)).plan, 3.85688e9, 2.89276e11, 64, 2.1893056466);
}

TEST(PlanBudget, TokensThatSufficeAreSeenOnce) {
  // R_N takes a little where n is above the best one for these tokens.
  const BudgetPlan plan = plan_budget(laws_of_repeats(), week_of(1e12)).plan;
  EXPECT_NEAR(plan.loss, 2.1665632812, 1e-3);
  EXPECT_EQ(plan.epochs, 1);
  EXPECT_DOUBLE_EQ(*plan.effective_d, plan.d);
}

// A law of fresh tokens alone does not know what repeated ones are worth: at best as much as fresh
// ones, at worst nothing.
TEST(PlanBudget, ALawOfFreshTokensTellsWhatOneEpochWouldGive) {
  const Budget budget = plan_budget(oracle_laws(), week_of(5e10));
  expect_plan(budget.plan, 4.69716e9, 2.39879e11, 64, 2.1665632812);
  EXPECT_NEAR(*budget.plan.epochs, 4.79758, 1e-4);
  ASSERT_TRUE(budget.one_epoch);
  EXPECT_NEAR(budget.one_epoch->n / 2.44737854e10, 1, 1e-6);
  EXPECT_NEAR(budget.one_epoch->d, 5e10, 1e5);
  EXPECT_NEAR(budget.one_epoch->loss, 2.2241180546, 1e-9);
  EXPECT_LE(*budget.one_epoch->seconds, 7 * kDay * (1 + 1e-6));
  EXPECT_TRUE(has(budget, PlanWarning::kTokensRepeated));
  const Budget enough = plan_budget(oracle_laws(), week_of(2.4e11));
  EXPECT_FALSE(enough.one_epoch);
  EXPECT_EQ(enough.plan.epochs, 1);
  EXPECT_FALSE(has(enough, PlanWarning::kTokensRepeated));
}

TEST(PlanBudget, WarnsOfMoreEpochsThanAnyRunSaw) {
  BudgetLaws laws = laws_of_repeats();
  laws.most_epochs = 4;
  const Budget budget = plan_budget(laws, week_of(5e10));
  EXPECT_NEAR(budget.epochs_beyond, 5.78552 / 4, 1e-4);
  EXPECT_TRUE(has(budget, PlanWarning::kEpochsBeyond));
  laws.most_epochs = 6;
  EXPECT_FALSE(has(plan_budget(laws, week_of(5e10)), PlanWarning::kEpochsBeyond));
}

TEST(PlanBudget, TheMostGpusOfRunsAreAWholeNumber) {
  BudgetLaws laws = oracle_laws();
  laws.gpu_seconds->gpu_range.upper = std::nextafter(64, 0);
  EXPECT_EQ(plan_budget(laws, within(BudgetLimit::kDeadline, 7 * kDay)).plan.gpus, 64);
}

TEST(PlanBudget, GpusComeInWholeNodes) {
  BudgetOptions options = within(BudgetLimit::kGpuHours, 5000);
  options.limit(BudgetLimit::kDeadline) = 7 * kDay;
  options.gpu_step = 8;
  EXPECT_EQ(plan_budget(oracle_laws(), options).plan.gpus, 32);
  options.limit(BudgetLimit::kGpus) = 30;  // 24, as 32 are too many.
  EXPECT_EQ(plan_budget(oracle_laws(), options).plan.gpus, 24);
}

TEST(PlanBudget, TellsWhatMoreOfALimitBuys) {
  BudgetOptions options = within(BudgetLimit::kDeadline, 7 * kDay);
  options.limit(BudgetLimit::kGpus) = 64;
  options.limit(BudgetLimit::kKwh) = 1e6;
  const Budget budget = plan_budget(oracle_laws(), options);
  ASSERT_EQ(budget.gains.size(), 3);
  EXPECT_EQ(budget.gains[0].limit, BudgetLimit::kDeadline);
  options.limit(BudgetLimit::kDeadline) = 7.7 * kDay;
  const double longer = plan_budget(oracle_laws(), options).plan.loss;
  EXPECT_NEAR(budget.gains[0].gain, budget.plan.loss - longer, 1e-9);
  // More GPUs bring less than more time, because they work less well together.
  EXPECT_GT(budget.gains[0].gain, budget.gains[1].gain);
  EXPECT_GT(budget.gains[1].gain, 0.9 * budget.gains[0].gain);
  EXPECT_EQ(budget.gains[2].gain, 0);
}

TEST(PlanBudget, TheFrontierFallsAndPassesThroughThePlan) {
  const Budget budget = plan_budget(oracle_laws(), within(BudgetLimit::kDeadline, 7 * kDay));
  ASSERT_EQ(budget.frontier.size(), 10);
  EXPECT_EQ(budget.frontier[0].first, BudgetLimit::kDeadline);
  EXPECT_NEAR(budget.frontier[2].second.loss, budget.plan.loss, 1e-12);
  EXPECT_EQ(budget.frontier[5].first, BudgetLimit::kKwh);
  // Without a deadline fewer GPUs reach less loss with the same energy.
  EXPECT_LT(budget.frontier[7].second.loss, budget.plan.loss);
  for (const std::size_t i : {1, 2, 3, 4, 6, 7, 8, 9}) {
    EXPECT_LT(budget.frontier[i].second.loss, budget.frontier[i - 1].second.loss);
  }
}

TEST(PlanBudget, WarnsBeyondTheData) {
  BudgetOptions options = within(BudgetLimit::kDeadline, 7 * kDay);
  options.limit(BudgetLimit::kGpus) = 512;
  const Budget budget = plan_budget(oracle_laws(), options);
  EXPECT_EQ(budget.plan.gpus, 512);
  EXPECT_DOUBLE_EQ(budget.gpus_beyond, 8);
  EXPECT_GT(budget.n_beyond, 2);
  const std::vector<PlanWarning> expected{PlanWarning::kParametersBeyond,
                                          PlanWarning::kTokensBeyond, PlanWarning::kGpusBeyond,
                                          PlanWarning::kNoIntervals};
  EXPECT_EQ(budget.warnings, expected);
}

TEST(PlanBudget, HasAReasonWhereNoSizeIsTheBest) {
  BudgetLaws laws = oracle_laws();
  laws.gpu_seconds->n_exponent.estimate = -0.1;
  try {
    plan_budget(laws, within(BudgetLimit::kDeadline, kDay));
    FAIL();
  } catch (const FitError& error) {
    EXPECT_NE(std::string(error.what()).find("does not grow"), std::string::npos);
  }
  laws = oracle_laws();
  laws.loss.parameters[3].estimate = -0.1;
  EXPECT_THROW(plan_budget(laws, within(BudgetLimit::kDeadline, kDay)), FitError);
  laws = oracle_laws();
  laws.watts.reset();
  EXPECT_THROW(plan_budget(laws, within(BudgetLimit::kKwh, 1)), std::invalid_argument);
}

/// Runs with 0.4 % of scatter.
SurfaceRuns scattered_runs() {
  SurfaceRuns runs;
  for (int i = 0; i < 40; ++i) {
    const double n = 7e7 * std::pow(2, i % 6);
    const double d = 2e9 * std::pow(3, i / 6 % 5);
    const double loss = 1.69 + 406.4 * std::pow(n, -0.34) + 410.7 * std::pow(d, -0.28);
    runs.n.push_back(n);
    runs.d.push_back(d);
    runs.y.push_back(loss * std::exp(0.004 * std::sin(1.7 * (i + 1) * (i + 1))));
  }
  return runs;
}

Fit scattered_loss() {
  FitOptions options;
  options.law = find_law("chinchilla");
  options.robust = Robust::kHuber;
  options.se = StandardError::kSandwich;
  options.intervals = Intervals::kWald;
  return fit_surface(scattered_runs(), options);
}

TEST(PlanBudget, DrawsAgreeWithTheDeltaMethodWhereErrorsAreSmall) {
  BudgetLaws laws{scattered_loss(), {}, {}};
  for (double& value : laws.loss.covariance) value *= 0.01;
  const auto delta = surface_optimum(laws.loss, 1e20 / 6, 0.95);
  const Budget budget = plan_budget(laws, within(BudgetLimit::kFlop, 1e20));
  EXPECT_NEAR(budget.plan.n / delta->point.n, 1, 1e-6);
  const double width = std::log(budget.n_ci->upper / budget.n_ci->lower);
  EXPECT_NEAR(width / std::log(delta->n_ci->upper / delta->n_ci->lower), 1, 0.05);
  EXPECT_EQ(budget.lost_draws, 0);
  // The best split moves the loss in second order only, so a run scatters as at that place.
  EXPECT_NEAR(budget.loss_pi->lower, delta->point.pi->lower, 1e-4);
  EXPECT_NEAR(budget.loss_pi->upper, delta->point.pi->upper, 1e-4);
  EXPECT_GT(budget.loss_pi->upper - budget.plan.loss,
            5 * (budget.loss_ci->upper - budget.plan.loss));
}

TEST(PlanBudget, TheResultDoesNotDependOnThreads) {
  BudgetLaws laws = oracle_laws();
  laws.loss = scattered_loss();
  const BudgetOptions options = within(BudgetLimit::kDeadline, 7 * kDay);
  const Budget one = plan_budget(laws, options, 3, 1);
  const Budget four = plan_budget(laws, options, 3, 4);
  EXPECT_EQ(one.n_ci->lower, four.n_ci->lower);
  EXPECT_EQ(one.loss_ci->upper, four.loss_ci->upper);
  EXPECT_EQ(one.seconds_pi->upper, four.seconds_pi->upper);
  EXPECT_LT(one.n_ci->lower, one.plan.n);
  EXPECT_GT(one.n_ci->upper, one.plan.n);
}

/// The points of the oracle: four sizes on three numbers of GPUs.
struct ResourceRows {
  std::vector<double> n;
  std::vector<double> gpus;
  std::vector<double> y;
};

ResourceRows oracle_rows() {
  ResourceRows rows;
  for (int i = 0; i < 12; ++i) {
    rows.n.push_back(1e8 * std::pow(2, i % 4));
    rows.gpus.push_back(8 * std::pow(2, i / 4));
    rows.y.push_back(7.5e-14 * std::pow(rows.n.back(), 0.95) * std::pow(rows.gpus.back(), 0.08) *
                     std::exp(0.05 * std::sin(1.7 * (i + 1) * (i + 1))));
  }
  return rows;
}

TEST(FitResource, AgreesWithNumPy) {
  const ResourceRows rows = oracle_rows();
  const ResourceLaw law = fit_resource(Resource::kTime, rows.n, rows.gpus, rows.y, {}, 0.95);
  EXPECT_NEAR(law.n_exponent.estimate, 0.96621464, 1e-8);
  EXPECT_NEAR(*law.n_exponent.se, 0.0129519, 1e-7);
  EXPECT_NEAR(law.gpu_exponent.estimate, 0.04249184, 1e-8);
  EXPECT_NEAR(*law.gpu_exponent.se, 0.01773513, 1e-8);
  EXPECT_NEAR(law.sigma, 0.03477000346893069, 1e-12);
  EXPECT_EQ(law.dof, 9);
  EXPECT_EQ(law.gpu_range.upper, 32);
  EXPECT_NEAR(*law.correlation, 0, 1e-12);
}

// NumPy 1.24 and SciPy 1.10: F test of the design (1, ln n, ln g) against the one with their
// squares and product.
TEST(FitResource, TellsWhetherTimesBendAwayFromTheLaw) {
  ResourceRows rows = oracle_rows();
  const auto p_of = [&rows](std::span<const std::uint32_t> run) {
    return *fit_resource(Resource::kTime, rows.n, rows.gpus, rows.y, run, 0.95).misfit_p;
  };
  EXPECT_NEAR(p_of({}), 0.97296634999750, 1e-8);
  for (std::size_t i = 0; i < rows.y.size(); ++i)
    rows.y[i] *= 1 + 0.002 * rows.gpus[i] * rows.gpus[i];
  EXPECT_NEAR(p_of({}), 0.00106258002085, 1e-10);
  std::vector<std::uint32_t> run;  // Of one size each.
  for (std::uint32_t i = 0; i < 12; ++i) run.push_back(i % 4);
  EXPECT_NEAR(p_of(run), 0.00177943517975, 1e-8);
}

TEST(FitResource, APowerDoesNotDependOnTheSize) {
  ResourceRows rows = oracle_rows();
  for (std::size_t i = 0; i < 12; ++i) rows.y[i] /= rows.n[i];
  const ResourceLaw law = fit_resource(Resource::kPower, rows.n, rows.gpus, rows.y, {}, 0.95);
  EXPECT_EQ(law.n_exponent.estimate, 0);
  EXPECT_FALSE(law.n_exponent.se);
  EXPECT_NEAR(law.gpu_exponent.estimate, 0.04249184, 1e-8);
  EXPECT_NEAR(*law.gpu_exponent.se, 0.02229581, 1e-8);
  EXPECT_NEAR(law.sigma, 0.04371129873964445, 1e-12);
}

TEST(FitResource, NoGpuGetsMoreEfficientThanItWasMeasured) {
  ResourceLaw law = known_resource(Resource::kTime, 1, 0.8);
  law.gpu_exponent.estimate = -0.1;
  law.n_range = {1e8, 1e9};
  law.gpu_range = {8, 64};
  const auto at = [&law](double n, double gpus) { return law.log_at(std::log(n), std::log(gpus)); };
  EXPECT_NEAR(at(1e9, 8) - at(1e8, 8), 0.8 * std::log(10), 1e-12);
  EXPECT_NEAR(at(1e10, 8) - at(1e9, 8), std::log(10), 1e-12);
  EXPECT_NEAR(at(1e9, 64) - at(1e9, 8), -0.1 * std::log(8), 1e-12);
  EXPECT_NEAR(at(1e9, 512) - at(1e9, 64), 0, 1e-12);
}

/// A saved fit of the power law with these parameters.
Fit power_fit(double alpha, double beta, Response response) {
  Fit fit;
  fit.law = find_law("power");
  fit.response = response;
  fit.n = 12;
  fit.dof = 10;
  fit.x_min = 1;
  fit.x_max = 8;
  fit.sigma = 0.03;
  for (const double value : {alpha, beta}) {
    Parameter parameter;
    parameter.estimate = value;
    parameter.ci = Interval{value - 0.1, value + 0.1};
    fit.parameters.push_back(parameter);
  }
  fit.covariance = {0.04, 0.01, 0.01, 0.0025};
  return fit;
}

TEST(ResourceOf, TheSameTimesGiveTheSameLawInEveryForm) {
  // 2M tokens per step take 4 x^-0.9 s on x nodes of 8 GPUs.
  const ResourceLaw step =
      resource_of(power_fit(4, 0.9, Response::kTime), {.n = 1e9, .tokens = 2e6, .gpus_per_x = 8});
  const ResourceLaw rate =
      resource_of(power_fit(5e5, 0.9, Response::kRate), {.n = 1e9, .gpus_per_x = 8});
  // A power of 16 GPUs: 2 nodes.
  const double expected = std::log(4 * std::pow(2, -0.9) * 16 / 2e6);
  EXPECT_NEAR(step.log_at(std::log(1e9), std::log(16)), expected, 1e-12);
  EXPECT_NEAR(rate.log_at(std::log(1e9), std::log(16)), expected, 1e-12);
  EXPECT_NEAR(rate.log_at(std::log(2e9), std::log(16)), expected + std::log(2), 1e-12);
  EXPECT_NEAR(step.gpu_exponent.estimate, 0.1, 1e-12);
  EXPECT_NEAR(step.gpu_exponent.ci->upper, 0.2, 1e-12);
  EXPECT_EQ(step.gpu_range.upper, 64);
  EXPECT_EQ(step.covariance[2], -0.01);
  EXPECT_EQ(rate.covariance[2], 0.01);
  EXPECT_EQ(rate.dof, 10);
  const ResourceLaw one =
      resource_of(power_fit(31250, -0.1, Response::kRate), {.n = 1e9, .of_one_gpu = true});
  EXPECT_NEAR(one.log_at(std::log(1e9), std::log(16)), std::log(std::pow(16, 0.1) / 31250), 1e-12);
  Fit other = power_fit(1, 1, Response::kTime);
  other.law = find_law("amdahl");
  EXPECT_THROW(resource_of(other, {.n = 1e9}), FitError);
}

TEST(ResourceOf, ReadsEnergiesAndPowers) {
  // 2M tokens per step take 30 x^0.1 kJ on x nodes of 8 GPUs.
  const ResourceLaw energy = resource_of(
      power_fit(30, -0.1, Response::kTime),
      {.kind = Resource::kEnergy, .n = 1e9, .tokens = 2e6, .unit = 1e3, .gpus_per_x = 8});
  const double joules = 30e3 * std::pow(2, 0.1) / 2e6;
  EXPECT_NEAR(energy.log_at(std::log(1e9), std::log(16)), std::log(joules), 1e-12);
  EXPECT_NEAR(energy.log_at(std::log(3e9), std::log(16)), std::log(3 * joules), 1e-12);
  // 400 x^-0.03 W of one GPU, for any model; and 400 x^0.97 W of all.
  const ResourceLaw one = resource_of(power_fit(400, 0.03, Response::kTime),
                                      {.kind = Resource::kPower, .n = 1, .of_one_gpu = true});
  const ResourceLaw all = resource_of(power_fit(400, -0.97, Response::kTime),
                                      {.kind = Resource::kPower, .n = 1, .of_one_gpu = false});
  for (const ResourceLaw& law : {one, all}) {
    EXPECT_NEAR(law.log_at(std::log(1e9), std::log(16)), std::log(400 * std::pow(16, -0.03)),
                1e-12);
  }
}

TEST(PlanBudget, TheEnergyOfATokenDoesAsWellAsThePowerOfAGpu) {
  BudgetLaws laws = on_16_gpus();
  const BudgetPlan by_power = plan_budget(laws, within(BudgetLimit::kKwh, 3000)).plan;
  laws.joules = known_resource(Resource::kEnergy, 7.5e-14 * 400, 0.95);
  laws.joules->gpu_exponent.estimate = 0.08 - 0.03;
  laws.watts.reset();
  const BudgetPlan by_energy = plan_budget(laws, within(BudgetLimit::kKwh, 3000)).plan;
  EXPECT_NEAR(by_energy.n / by_power.n, 1, 1e-6);
  EXPECT_NEAR(*by_energy.kwh, 3000, 1e-6);
}

TEST(PlanBudget, TellsWhatABudgetOfComputeTakesWhereTimesAreKnown) {
  const Budget budget = plan_budget(oracle_laws(), within(BudgetLimit::kFlop, 1e22));
  expect_plan(budget.plan, 5.16047e9, 3.22968e11, 64, 2.1386140845);
  const double gpu_seconds = 7.5e-14 * std::pow(5.16047e9, 0.95) * std::pow(64, 0.08) * 3.22968e11;
  EXPECT_NEAR(*budget.plan.seconds * 64 / gpu_seconds, 1, 1e-4);
  EXPECT_EQ(budget.frontier.front().first, BudgetLimit::kFlop);
  EXPECT_EQ(std::count(budget.warnings.begin(), budget.warnings.end(), PlanWarning::kNoDeadline),
            0);
  // Nothing tells how many GPUs there are, and the budget does not need to know.
  BudgetLaws laws = oracle_laws();
  laws.gpu_seconds->gpu_range = {0, 0};
  EXPECT_FALSE(plan_budget(laws, within(BudgetLimit::kFlop, 1e22)).plan.gpus);
  EXPECT_THROW(plan_budget(laws, within(BudgetLimit::kDeadline, kDay)), FitError);
}

TEST(PlanBudget, TwoLimitsBindTogetherWhereMoreOfOneBuysNothing) {
  BudgetOptions options = within(BudgetLimit::kDeadline, 7 * kDay);
  options.limit(BudgetLimit::kGpuHours) = 7 * 24 * 16;
  options.limit(BudgetLimit::kFlop) = 1e30;
  const Budget budget = plan_budget(on_16_gpus(), options);
  ASSERT_EQ(budget.gains.size(), 4);  // Time, GPUs, GPU-hours, FLOP.
  EXPECT_EQ(budget.gains[0].gain, 0);
  EXPECT_EQ(budget.gains[2].gain, 0);
  EXPECT_TRUE(budget.gains[0].binds);
  EXPECT_FALSE(budget.gains[1].binds);
  EXPECT_TRUE(budget.gains[2].binds);
  EXPECT_FALSE(budget.gains[3].binds);
  // tests/judge/oracle/budget_oracle.py: 2,688 and 2,956.8 GPU-hours on 16 GPUs.
  EXPECT_NEAR(*budget.gain_together, 0.008653494, 1e-9);
  EXPECT_FALSE(plan_budget(on_16_gpus(), within(BudgetLimit::kGpuHours, 5000)).gain_together);
}

/// A law of time from many runs that scatter by 5 %.
BudgetLaws scattered_times() {
  BudgetLaws laws = oracle_laws();
  laws.gpu_seconds->points = 1000;
  laws.gpu_seconds->dof = 1e6;
  laws.gpu_seconds->sigma = 0.05;
  return laws;
}

/// Times on 8, 16, 32 and 64 GPUs of four sizes by Amdahl's law: a token takes
/// 7.5e-14 n^0.95 (1 + 0.002 g) GPU-seconds, with a scatter of 1 %.
ResourceLaw amdahl_times() {
  ResourceRows rows;
  for (int i = 0; i < 16; ++i) {
    rows.n.push_back(1e8 * std::pow(3, i % 4));
    rows.gpus.push_back(8 * std::pow(2, i / 4));
    rows.y.push_back(7.5e-14 * std::pow(rows.n.back(), 0.95) * (1 + 0.002 * rows.gpus.back()) *
                     std::exp(0.01 * std::sin(1.7 * (i + 1) * (i + 1))));
  }
  return fit_resource(Resource::kTime, rows.n, rows.gpus, rows.y, {}, 0.95);
}

TEST(FitResource, WeighsLawsOfTheTimeBeyondTheMostGpus) {
  const ResourceLaw law = amdahl_times();
  ASSERT_TRUE(law.beyond);
  const auto at = [](const ResourceLaw& of, double gpus) { return of.log_at(20, std::log(gpus)); };
  // ln((1 + 0.002 * 512) / (1 + 0.002 * 64)); a power that goes on says a quarter of it.
  const double truth = 0.5848;
  EXPECT_NEAR(at(law, 512) - at(law, 64), truth, 0.35);
  ResourceLaw power = law;
  power.beyond = nullptr;
  EXPECT_LT(at(power, 512) - at(power, 64), 0.2);
  // Inside the data it is the power.
  EXPECT_EQ(at(law, 64), at(power, 64));
  EXPECT_EQ(at(law, 20), at(power, 20));
}

TEST(PlanBudget, PlansBeyondTheMeasuredGpusAreSafeFromATimeThatBends) {
  BudgetLaws laws = oracle_laws();
  laws.gpu_seconds = amdahl_times();
  laws.loss = scattered_loss();
  BudgetOptions options = within(BudgetLimit::kDeadline, 7 * kDay);
  options.draws = 2000;
  options.limit(BudgetLimit::kGpus) = 512;
  const Budget budget = plan_budget(laws, options);
  EXPECT_EQ(budget.plan.gpus, 512);
  const auto true_seconds = [](const BudgetPlan& plan) {
    const double of_n = std::min(1.0, std::pow(2.7e9 / plan.n, 0.05));  // In proportion beyond.
    return 7.5e-14 * std::pow(plan.n, 0.95) / of_n * (1 + 0.002 * *plan.gpus) * plan.d / *plan.gpus;
  };
  EXPECT_GT(budget.seconds_pi->upper, true_seconds(budget.plan));
  EXPECT_LT(budget.seconds_pi->lower, true_seconds(budget.plan));
  ASSERT_TRUE(budget.safe);
  EXPECT_LT(true_seconds(*budget.safe), 7 * kDay);
  // The interval is that of many laws, and the loss is as unsure.
  laws.gpu_seconds->beyond = nullptr;
  const Budget power = plan_budget(laws, options);
  EXPECT_GT(true_seconds(power.plan), power.seconds_pi->upper);
  EXPECT_GT(budget.loss_ci->upper - budget.loss_ci->lower,
            power.loss_ci->upper - power.loss_ci->lower);
}

TEST(PlanBudget, CallsNoPlanSafeWhereAPowerOfTheGpusGoesOn) {
  BudgetLaws laws = scattered_times();
  laws.loss = scattered_loss();
  BudgetOptions options = within(BudgetLimit::kDeadline, 7 * kDay);
  options.draws = 2000;
  options.limit(BudgetLimit::kGpus) = 2 * laws.gpu_seconds->gpu_range.upper;
  const Budget budget = plan_budget(laws, options);
  EXPECT_NEAR(budget.gpus_beyond, 2, 1e-9);
  EXPECT_GT(*budget.over_limits, 0.3);
  EXPECT_FALSE(budget.safe);
}

TEST(PlanBudget, HalfOfTheRunsMissADeadlineAndFewOfTheSafePlan) {
  BudgetLaws laws = scattered_times();
  laws.loss = scattered_loss();
  BudgetOptions options = within(BudgetLimit::kDeadline, 7 * kDay);
  options.draws = 20000;
  const Budget budget = plan_budget(laws, options);
  EXPECT_NEAR(*budget.over_limits, 0.5, 0.02);
  ASSERT_TRUE(budget.safe);
  // The 95 % quantile of a log-normal scatter of 0.05.
  EXPECT_NEAR(*budget.safe->seconds / (7 * kDay), std::exp(-1.6448536 * 0.05), 0.003);
  EXPECT_LT(budget.safe->n, budget.plan.n);
  EXPECT_GT(budget.safe->loss, budget.plan.loss);
  // The same for energy, whose power is known without error.
  const Budget energy = plan_budget(laws, within(BudgetLimit::kKwh, 3000));
  EXPECT_NEAR(*energy.safe->kwh / 3000, std::exp(-1.6448536 * 0.05), 0.01);
  // Compute has no scatter.
  EXPECT_FALSE(plan_budget(laws, within(BudgetLimit::kFlop, 1e22)).over_limits);
}

TEST(PlanBudget, SaysThatEachSizeRanOnOneNumberOfGpus) {
  const std::vector<double> n{1e8, 2e8, 4e8, 8e8, 8e8};
  const std::vector<double> y{1e-5, 2.1e-5, 4.4e-5, 9e-5, 9.1e-5};
  const auto warnings_on = [&](const std::vector<double>& gpus) {
    BudgetLaws laws = oracle_laws();
    laws.gpu_seconds = fit_resource(Resource::kTime, n, gpus, y, {}, 0.95);
    return plan_budget(laws, within(BudgetLimit::kDeadline, 7 * kDay)).warnings;
  };
  const auto has = [](const std::vector<PlanWarning>& warnings, PlanWarning warning) {
    return std::find(warnings.begin(), warnings.end(), warning) != warnings.end();
  };
  EXPECT_TRUE(has(warnings_on({8, 16, 32, 64, 64}), PlanWarning::kConfounded));
  EXPECT_TRUE(has(warnings_on({64, 8, 32, 16, 16}), PlanWarning::kConfounded));
  EXPECT_FALSE(has(warnings_on({8, 16, 32, 64, 8}), PlanWarning::kConfounded));
  EXPECT_FALSE(has(warnings_on({8, 8, 8, 8, 8}), PlanWarning::kConfounded));
}

TEST(FitResource, PointsOfOneRunShareErrors) {
  ResourceRows rows = oracle_rows();
  std::vector<std::uint32_t> run;
  for (std::uint32_t i = 0; i < 12; ++i) {
    run.push_back(i % 4);
    rows.y[i] *= std::exp(i % 2 == 0 ? 0.1 : -0.1);  // Shared by runs of one size.
  }
  const ResourceLaw law = fit_resource(Resource::kTime, rows.n, rows.gpus, rows.y, run, 0.95);
  EXPECT_EQ(law.points, 12);
  EXPECT_EQ(law.clusters, 4);
  EXPECT_NEAR(law.n_exponent.estimate, 0.90850684, 1e-8);
  EXPECT_NEAR(*law.n_exponent.se, 0.05312448, 1e-8);
  EXPECT_NEAR(*law.gpu_exponent.se, 0.01110494, 1e-8);
  EXPECT_NEAR(law.dof_at(std::log(1e9), std::log(64)), 2.500958765, 1e-6);
  EXPECT_NEAR(law.sigma, 0.12954799155, 1e-10);  // Without clusters it would be 0.108.
}

TEST(FitResource, AConstantPowerIsKnownWithoutError) {
  ResourceRows rows = oracle_rows();
  rows.y.assign(12, 412.5);
  const std::vector<std::uint32_t> run{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
  const ResourceLaw law = fit_resource(Resource::kPower, rows.n, rows.gpus, rows.y, run, 0.95);
  EXPECT_NEAR(law.log_at(20, std::log(16)), std::log(412.5), 1e-12);
  EXPECT_GT(law.dof, 0);  // Without degrees of freedom a plan has no intervals.
}

TEST(FitResource, LeavesOutRowsWithoutGpus) {
  ResourceRows rows = oracle_rows();
  rows.n.insert(rows.n.end(), {1e8, 2e8});
  rows.gpus.insert(rows.gpus.end(), {std::numeric_limits<double>::quiet_NaN(), 0});
  rows.y.insert(rows.y.end(), {1, 1});
  const ResourceLaw law = fit_resource(Resource::kTime, rows.n, rows.gpus, rows.y, {}, 0.95);
  EXPECT_EQ(law.points, 12);
  EXPECT_EQ(law.left_out, 2);
  EXPECT_NEAR(law.gpu_exponent.estimate, 0.04249184, 1e-8);
}

TEST(FitResource, RowsOfOneRunAreOnePoint) {
  ResourceRows rows = oracle_rows();
  std::vector<std::uint32_t> run;
  for (std::uint32_t i = 0; i < 12; ++i) run.push_back(i);
  for (int i = 0; i < 12; ++i) {  // A second row of each, and one that tells nothing.
    rows.n.insert(rows.n.end(), {rows.n[i], rows.n[i]});
    rows.gpus.insert(rows.gpus.end(), {rows.gpus[i], rows.gpus[i]});
    rows.y.insert(rows.y.end(), {rows.y[i], std::numeric_limits<double>::quiet_NaN()});
    run.insert(run.end(), {run[i], run[i]});
  }
  const ResourceLaw law = fit_resource(Resource::kTime, rows.n, rows.gpus, rows.y, run, 0.95);
  EXPECT_EQ(law.points, 12);
  EXPECT_NEAR(law.n_exponent.estimate, 0.96621464, 1e-8);
  // Points of a curve repeat the time of their run, whether a column tells runs or not.
  EXPECT_EQ(fit_resource(Resource::kTime, rows.n, rows.gpus, rows.y, {}, 0.95).points, 12);
  rows.y[0] *= 1.01;
  EXPECT_EQ(fit_resource(Resource::kTime, rows.n, rows.gpus, rows.y, {}, 0.95).points, 13);
}

TEST(FitResource, AssumesWhatTheRunsDoNotTell) {
  const std::vector<double> n{1e8, 1e8, 1e8};
  const std::vector<double> gpus{8, 8, 8};
  const std::vector<double> y{1e-5, 2e-5, 4e-5};
  const std::vector<std::uint32_t> run{0, 1, 2};
  const ResourceLaw level = fit_resource(Resource::kTime, n, gpus, y, run, 0.95);
  EXPECT_EQ(level.n_exponent.estimate, 1);
  EXPECT_EQ(level.gpu_exponent.estimate, 0);
  EXPECT_NEAR(std::exp(level.log_at(std::log(2e8), std::log(64))), 4e-5, 1e-18);
  EXPECT_EQ(level.dof, 2);
  // Larger models on more GPUs, always in the same ratio: one exponent is all that they tell.
  const std::vector<double> sizes{1e8, 2e8, 4e8, 8e8, 16e8};
  const std::vector<double> more{8, 16, 32, 64, 128};
  const std::vector<double> times{1e-5, 2.1e-5, 4.4e-5, 9e-5, 19e-5};
  const ResourceLaw one = fit_resource(Resource::kTime, sizes, more, times, {}, 0.95);
  EXPECT_FALSE(one.n_exponent.se);
  EXPECT_TRUE(one.gpu_exponent.se);
  EXPECT_THROW(fit_resource(Resource::kTime, {}, {}, {}, {}, 0.95), FitError);
}

}  // namespace
}  // namespace scalelaw
