#include "scalelaw/judge/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fit/cells_of.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

const std::vector<double> kPlanX{2, 4, 8, 16, 32, 64};
const std::vector<double> kPlanY{105, 61, 33.5, 19.8, 11.6, 6.4};

Fit power_fit(const std::vector<double>& x = kPlanX, const std::vector<double>& y = kPlanY) {
  return fit_law(point_cells(x, y), FitOptions{});
}

const Addition& addition(const Plan& plan, double x, std::uint32_t repeats) {
  for (const Addition& each : plan.additions) {
    if (each.x == x && each.repeats == repeats) return each;
  }
  throw std::logic_error("no such addition");
}

TEST(PlanRuns, NowIsWhatTheFitKnows) {
  // statsmodels OLS of ln y on ln x: standard error of the slope and of the mean at ln 256.
  const Plan plan = plan_runs(power_fit(), {.target = 256});
  EXPECT_NEAR(*plan.now.exponent_se, 0.007307448499967666, 1e-9);
  EXPECT_NEAR(plan.now.curve_se, 0.02437939922902175, 1e-9);
}

TEST(PlanRuns, AnAdditionIsTheFitWithThatRowMore) {
  // (X'X + r x x')^-1 of the same design in NumPy, times the sigma of the fit.
  const Plan plan = plan_runs(power_fit(), {.target = 256, .candidates = {128}, .repeats = {2}});
  EXPECT_NEAR(*addition(plan, 128, 2).after.exponent_se, 0.005103743417153427, 1e-9);
  EXPECT_NEAR(addition(plan, 128, 2).after.curve_se, 0.014851791944209868, 1e-9);
  EXPECT_NEAR(addition(plan, 128, 2).gain, 1 - 0.014851791944209868 / 0.02437939922902175, 1e-9);
}

TEST(PlanRuns, MeasuringAtTheTargetHelpsMost) {
  const Plan plan = plan_runs(power_fit(), {.target = 256, .repeats = {1}});
  EXPECT_EQ(plan.additions.front().x, 256);
  for (std::size_t i = 1; i < plan.additions.size(); ++i) {
    EXPECT_LE(plan.additions[i].gain, plan.additions[i - 1].gain);
  }
}

TEST(PlanRuns, TheCostIsGpusTimesTime) {
  const Fit fit = power_fit();
  const Plan plan = plan_runs(fit, {.target = 256, .candidates = {16}, .repeats = {3}});
  EXPECT_NEAR(plan.additions.front().gpu_time, 3 * 16 * fit.curve(16), 1e-9);
}

TEST(PlanRuns, ASmallerChangeNeedsMoreRuns) {
  const Plan plan = plan_runs(power_fit(), {.target = 64, .candidates = {2, 64}, .repeats = {8}});
  EXPECT_LT(*addition(plan, 2, 8).after.detectable_exponent, *plan.now.detectable_exponent);
  EXPECT_GT(*plan.now.detectable_exponent, 3 * *plan.now.exponent_se);
}

TEST(PlanRuns, ExactFitsAndBoundsHaveNoPlan) {
  std::vector<double> exact;
  for (const double x : kPlanX) exact.push_back(100 / x);
  EXPECT_THROW(plan_runs(power_fit(kPlanX, exact), {.target = 128}), FitError);
  FitOptions floor;
  floor.law = find_law("floor");
  EXPECT_THROW(plan_runs(fit_law(point_cells(kPlanX, kPlanY), floor), {.target = 128}), FitError);
}

TEST(PlanRuns, OfTheMixtureStartsFromTheIntervalThatPredictReports) {
  const auto cells = point_cells(kPlanX, kPlanY);
  const Plan plan = plan_runs(cells, ForecastOptions{}, {.target = 256});
  const Prediction at = predict(make_forecast(cells, {}), 256);
  constexpr double kNormal = 2 * 1.959963984540054;
  EXPECT_NEAR(plan.now.curve_se, std::log(at.ci->upper / at.ci->lower) / kNormal, 1e-12);
  EXPECT_NEAR(plan.now.run_se, std::log(at.pi->upper / at.pi->lower) / kNormal, 1e-12);
  EXPECT_FALSE(plan.now.exponent_se);
}

TEST(PlanRuns, OfTheMixtureForeseesTheIntervalsWithTheRunsMade) {
  // The mean over many outcomes drawn from where the forecast says that a run may lie.
  const auto cells = point_cells(kPlanX, kPlanY);
  const Plan plan =
      plan_runs(cells, ForecastOptions{}, {.target = 256, .candidates = {128}, .repeats = {1}});
  const Forecast now = make_forecast(cells, {});
  LogTimes times(*now.mixture, std::log(128 / now.x_max));
  times.of_runs(1);
  double sum = 0;
  constexpr int kOutcomes = 200;
  for (int i = 0; i < kOutcomes; ++i) {
    std::vector<double> x = kPlanX;
    std::vector<double> y = kPlanY;
    x.push_back(128);
    y.push_back(std::exp(times.quantile((i + 0.5) / kOutcomes)));
    const Prediction at = predict(make_forecast(point_cells(x, y), {}), 256);
    sum += std::log(at.ci->upper / at.ci->lower) / (2 * 1.959963984540054);
  }
  EXPECT_NEAR(plan.additions.front().after.curve_se / (sum / kOutcomes), 1, 0.1);
}

TEST(PlanRuns, OfTheMixtureGainsLessFromRunsThatTellLess) {
  const Plan plan = plan_runs(point_cells(kPlanX, kPlanY), ForecastOptions{}, {.target = 256});
  EXPECT_EQ(plan.additions.front().x, 256);
  EXPECT_LT(addition(plan, 4, 1).gain, addition(plan, 256, 1).gain);
  EXPECT_LE(addition(plan, 256, 1).gain, addition(plan, 256, 4).gain + 0.02);
}

TEST(PlanRuns, OfTheMixtureDoesNotDependOnTheUnitOfWeights) {
  std::vector<Cell> cells = point_cells(kPlanX, kPlanY);
  const PlanOptions options{.target = 256, .candidates = {64}, .repeats = {1}};
  const double one = plan_runs(cells, ForecastOptions{}, options).additions.front().gain;
  for (Cell& cell : cells) cell.weight = 400;
  EXPECT_NEAR(plan_runs(cells, ForecastOptions{}, options).additions.front().gain, one, 1e-9);
}

TEST(PlanRuns, ExactRunsNeedNoPlan) {
  std::vector<double> exact;
  for (const double x : kPlanX) exact.push_back(100 / x);
  EXPECT_THROW(plan_runs(point_cells(kPlanX, exact), ForecastOptions{}, {.target = 128}), FitError);
}

TEST(PlanRuns, RefusesWhatIsNoPlace) {
  EXPECT_THROW(plan_runs(power_fit(), {.target = 0}), std::invalid_argument);
  EXPECT_THROW(plan_runs(power_fit(), {.target = 8, .power = 0.4}), std::invalid_argument);
}

}  // namespace
}  // namespace scalelaw
