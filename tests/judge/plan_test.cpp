#include "scalelaw/judge/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fit/cells_of.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

const std::vector<double> kX{2, 4, 8, 16, 32, 64};
const std::vector<double> kY{105, 61, 33.5, 19.8, 11.6, 6.4};

Fit power_fit(const std::vector<double>& x = kX, const std::vector<double>& y = kY) {
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
  EXPECT_NEAR(plan.now.exponent_se, 0.007307448499967666, 1e-9);
  EXPECT_NEAR(plan.now.curve_se, 0.02437939922902175, 1e-9);
}

TEST(PlanRuns, AnAdditionIsTheFitWithThatRowMore) {
  // (X'X + r x x')^-1 of the same design in NumPy, times the sigma of the fit.
  const Plan plan = plan_runs(power_fit(), {.target = 256, .candidates = {128}, .repeats = {2}});
  EXPECT_NEAR(addition(plan, 128, 2).after.exponent_se, 0.005103743417153427, 1e-9);
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
  EXPECT_LT(addition(plan, 2, 8).after.detectable_exponent, plan.now.detectable_exponent);
  EXPECT_GT(plan.now.detectable_exponent, 3 * plan.now.exponent_se);
}

TEST(PlanRuns, ExactFitsAndBoundsHaveNoPlan) {
  std::vector<double> exact;
  for (const double x : kX) exact.push_back(100 / x);
  EXPECT_THROW(plan_runs(power_fit(kX, exact), {.target = 128}), FitError);
  FitOptions floor;
  floor.law = find_law("floor");
  EXPECT_THROW(plan_runs(fit_law(point_cells(kX, kY), floor), {.target = 128}), FitError);
}

TEST(PlanRuns, RefusesWhatIsNoPlace) {
  EXPECT_THROW(plan_runs(power_fit(), {.target = 0}), std::invalid_argument);
  EXPECT_THROW(plan_runs(power_fit(), {.target = 8, .power = 0.4}), std::invalid_argument);
}

}  // namespace
}  // namespace scalelaw
