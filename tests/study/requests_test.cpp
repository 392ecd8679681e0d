// Plans, forecasts and comparisons as a program asks for them: by typed requests, without the words
// of a command. Numbers are those of the stored outputs of the same questions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/study/budget.hpp"
#include "scalelaw/study/energy_studies.hpp"
#include "scalelaw/study/plan.hpp"
#include "scalelaw/study/predict.hpp"
#include "support/places.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kClose = 1e-6;  // Relative: processors round differently.

std::string data(const char* path) { return (source_folder() / "data" / path).string(); }

/// The demo's runs of BERT under one power cap.
StudyOptions runs_of_bert() {
  StudyOptions study;
  study.inputs = {data("demo/runs.csv")};
  study.where = {"model=BERT", "power_cap_w=250"};
  return study;
}

BudgetRequest a_week_on_64_gpus() {
  BudgetRequest request;
  request.study.inputs = {data("budget/runs.csv")};
  request.limits.seconds = 7 * 86400;
  request.limits.gpus = 64;
  return request;
}

TEST(BudgetRequest, AWeekOn64GpusTrainsSixBillionParameters) {
  const BudgetStudy study = plan_budget(a_week_on_64_gpus(), {});
  EXPECT_EQ(study.head.time, "time: tokens_per_second, GPUs: gpus, power of one GPU: power_w");
  ASSERT_EQ(study.groups.size(), 1U);
  const Budget& budget = std::get<Budget>(study.groups.front().result);
  EXPECT_NEAR(budget.plan.n, 6198395135.619466, kClose * 6e9);
  EXPECT_NEAR(budget.plan.d, 178096315021.67596, kClose * 2e11);
  EXPECT_NEAR(budget.plan.loss, 2.1640128228484037, kClose);
  EXPECT_NEAR(*budget.plan.kwh, 3801.846423390137, kClose * 4e3);
  EXPECT_EQ(budget.frontier.size(), 10U);
  EXPECT_THAT(budget.warnings,
              ElementsAre(PlanWarning::kParametersBeyond, PlanWarning::kTokensBeyond));
}

TEST(BudgetRequest, LimitsThatNothingMeasuresAreAnError) {
  BudgetRequest request;
  request.study.inputs = {data("isoflop/runs.csv")};
  request.limits.seconds = 86400;
  try {
    plan_budget(request, {});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("nothing tells how long training takes"));
  }
}

TEST(BudgetRequest, PricesHaveOneCurrency) {
  BudgetRequest request = a_week_on_64_gpus();
  request.gpu_price = Price{2, {"$", ""}};
  request.footprint.price = Price{0.2, {"", " EUR"}};
  EXPECT_THROW(plan_budget(request, {}), DataError);
}

TEST(PredictRequest, AJobOfEpochsHasADeadlineAndAPrice) {
  PredictRequest request;
  request.study = runs_of_bert();
  request.study.by_chosen = true;  // One group: clocks are taken together.
  request.outlook.at = {512};
  request.outlook.epochs = 90;
  request.deadline = TimeLimit{7200};
  request.gpu_price = Price{2.5, {"", " EUR"}};
  const PredictStudy study = read_forecasts(request, {});
  EXPECT_EQ(study.report.job, "the job of 90 epochs");
  EXPECT_EQ(study.report.deadline, "2 h");
  std::vector<Outlook> outlooks;
  forecast_each(study, {}, [&](GroupOutlook&& group) {
    outlooks.push_back(std::get<Outlook>(std::move(group.result)));
  });
  ASSERT_EQ(outlooks.size(), 1U);
  const Outlook& outlook = outlooks.front();
  ASSERT_EQ(outlook.scales.size(), 1U);
  EXPECT_NEAR(outlook.scales[0].job->median, 8197.849026078582, kClose * 8e3);
  EXPECT_NEAR(outlook.scales[0].gpu_cost->amount, 2914.7907648279402, kClose * 3e3);
  EXPECT_EQ(outlook.deadline->x->x, 594);
}

TEST(PlanRequest, FourRunsAtTheTargetSharpenTheForecastMost) {
  PlanRequest request;
  request.forecast.study = runs_of_bert();
  request.forecast.study.where.emplace_back("clock_mhz=1380");
  request.plan.target = 1024;
  std::vector<Plan> plans;
  const PlanStudy study = read_plan(request, {});
  plan_each(study, {},
            [&](GroupPlan&& group) { plans.push_back(std::get<Plan>(std::move(group.result))); });
  ASSERT_EQ(plans.size(), 1U);
  const Addition& best = plans.front().additions.front();
  EXPECT_EQ(best.x, 1024);
  EXPECT_EQ(best.repeats, 4U);
  EXPECT_NEAR(best.gain, 0.45012592939838658, kClose);
  EXPECT_NEAR(*best.gpu_hours, 56.301309736069975, kClose * 60);
}

TEST(PlanRequest, WithoutATargetItIsAnError) {
  PlanRequest request;
  request.forecast.study = runs_of_bert();
  EXPECT_THROW(read_plan(request, {}), DataError);
}

TEST(CapsRequest, ASmallerCapTakesLessEnergyAndMoreTime) {
  CapsRequest request;
  request.study.inputs = {data("demo/runs.csv")};
  request.study.where = {"model=BERT", "clock_mhz=1380", "gpus=2,16,256"};
  request.study.factors = {"power_cap_w"};
  request.caps.reference = "250";
  const CapsStudy study = read_caps(request, {});
  std::vector<Caps> caps;
  comparisons_of(study, {}).for_each(
      [&](const GroupCaps& group) { caps.push_back(std::get<Caps>(group.result)); });
  ASSERT_EQ(caps.size(), 1U);
  const RelativeSetting* const least = caps.front().overall.find("100");
  ASSERT_NE(least, nullptr);
  EXPECT_NEAR(least->time.ratio, 1.4113001957421516, kClose);
  EXPECT_NEAR(least->energy.ratio, 0.5920157298207831, kClose);
}

}  // namespace
}  // namespace scalelaw
