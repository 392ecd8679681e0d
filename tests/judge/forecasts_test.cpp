#include "scalelaw/judge/forecasts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/cells_of.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/judge/plan.hpp"

namespace scalelaw {
namespace {

const std::vector<double> kFewGpus{1, 2, 4, 8};

Fit power_fit(const std::vector<double>& y) {
  return fit_law(point_cells(kFewGpus, y), {.law = find_law("power")});
}

/// Times that halve exactly as GPUs double, of the group "A"; the group "B" has no fit.
std::vector<GroupFit> times() {
  return {{{"A"}, power_fit({800, 400, 200, 100})},
          {{"B"}, NoFit{FailureCode::kTooFewX, "one scale"}}};
}

OutlookOptions at_16_gpus() {
  OutlookOptions options;
  options.at = {16};
  return options;
}

SavedFits document(const std::string& source, const std::string& y) {
  SavedFits fits;
  fits.source = source;
  fits.x = "gpus";
  fits.y = y;
  fits.by = {"model"};
  fits.law = find_law("power");
  return fits;
}

TEST(EnergySource, OfAPowerIsProportionalToTheTimeOfAllGpus) {
  const Forecast time = forecast_of(power_fit({800, 400, 200, 100}));
  const auto energy = energy_from_power(250)({"A"}, time);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(predict_energy(*energy, 16).median, 200000, 1e-6);  // 16 GPUs, 50 s, 250 W.
}

TEST(EnergySource, OfFitsKnowsTheGroupsThatHaveOne) {
  const Forecast time = forecast_of(power_fit({800, 400, 200, 100}));
  const std::vector<GroupFit> fits{{{"A"}, power_fit({9, 9, 9, 9})},
                                   {{"B"}, NoFit{FailureCode::kTooFewX, ""}}};
  const EnergySource source = energy_from_fits(fits, 1000);
  ASSERT_TRUE(source({"A"}, time));
  EXPECT_NEAR(predict_energy(*source({"A"}, time), 64).median, 9000, 1e-6);
  EXPECT_FALSE(source({"B"}, time));
  EXPECT_FALSE(source({"C"}, time));
}

std::vector<GroupOutlook> outlooks(const std::vector<GroupFit>& fits, double confidence,
                                   const OutlookOptions& options, const EnergySource& energy) {
  std::vector<GroupOutlook> all;
  outlook_each(fits, confidence, options, energy,
               [&all](GroupOutlook&& group) { all.push_back(std::move(group)); });
  return all;
}

TEST(OutlookEach, FitsKeepTheReasonOfAGroupWithoutOne) {
  const auto all = outlooks(times(), 0.5, at_16_gpus(), {});
  ASSERT_EQ(all.size(), 2U);
  const auto& outlook = std::get<Outlook>(all[0].result);
  EXPECT_NEAR(outlook.scales.at(0).y.median, 50, 1e-9);
  EXPECT_EQ(outlook.forecast.confidence, 0.5);
  EXPECT_EQ(std::get<NoFit>(all[1].result).message, "one scale");
}

TEST(OutlookEach, ABudgetOfEnergyNeedsItsForecast) {
  OutlookOptions options = at_16_gpus();
  options.budget_kwh = 1;
  const auto all = outlooks(times(), 0.95, options, {});
  EXPECT_EQ(std::get<NoFit>(all[0].result).message, "its energy has no forecast");
}

TEST(OutlookEach, AJobOfSeveralEpochsHasTheirTimeAndTheirCost) {
  OutlookOptions options = at_16_gpus();  // 50 s each.
  options.epochs = 90;
  options.deadline = 4501;
  options.hours_per_unit = 1.0 / 3600;
  options.gpu_price = 2.5;
  options.budget_gpu_hours = 21;  // The law takes 20 GPU-hours at every scale.
  const auto all = outlooks(times(), 0.95, options, energy_from_power(100));
  const auto& outlook = std::get<Outlook>(all[0].result);
  const ScaleOutlook& at = outlook.scales.at(0);
  EXPECT_NEAR(at.y.median, 50, 1e-9);
  EXPECT_NEAR(at.job->median, 4500, 1e-7);
  EXPECT_NEAR(*at.gpu_hours, 20, 1e-9);
  EXPECT_NEAR(at.gpu_cost->amount, 50, 1e-8);
  EXPECT_NEAR(at.kwh->median, 2, 1e-9);  // 16 GPUs, 4500 s, 100 W.
  EXPECT_EQ(outlook.deadline->x->x, 16);
  EXPECT_NEAR(outlook.deadline_cost->amount, 50, 1e-8);
  EXPECT_TRUE(outlook.budget_gpu_hours->x->open);
  EXPECT_NEAR(outlook.budget_gpu_hours->best, 20, 1e-6);
}

TEST(OutlookEach, AThroughputIsMetFromALeastScaleOn) {
  OutlookOptions options = at_16_gpus();
  options.throughput = 2;
  const Fit fit = fit_law(point_cells(kFewGpus, std::vector<double>{0.1, 0.2, 0.4, 0.8}),
                          {.law = find_law("power"), .response = Response::kRate});
  const Outlook outlook = outlook_of(forecast_of(fit), {}, options);
  EXPECT_EQ(outlook.throughput->x->x, 20);
}

/// @param least  That meets a deadline; 0: none does.
/// @param greatest  Within a budget; 0: none is.
ScalesWithin within(double least, double greatest) {
  Outlook outlook{.forecast = forecast_of(power_fit({800, 400, 200, 100})), .energy = {}};
  outlook.deadline = Demand{.x = {}, .lower = {}, .upper = {}, .best = 1};
  if (least > 0) outlook.deadline->x = DemandedScale{.x = least};
  outlook.budget_kwh = Demand{.x = {}, .lower = {}, .upper = {}, .best = 1};
  if (greatest > 0) outlook.budget_kwh->x = DemandedScale{.x = greatest};
  return scales_within_all(outlook);
}

TEST(ScalesWithinAll, AreThoseThatMeetEveryLimit) {
  const ScalesWithin both = within(91, 97);
  EXPECT_EQ(both.limits, 2U);
  EXPECT_FALSE(both.has_none);
  EXPECT_EQ(both.least, 91);
  EXPECT_EQ(both.greatest, 97);
}

TEST(ScalesWithinAll, AreNoneWhereTheLimitsExcludeEachOther) {
  EXPECT_TRUE(within(121, 7).has_none);
  EXPECT_FALSE(within(121, 7).one_is_out);
  EXPECT_TRUE(within(121, 0).one_is_out);
  EXPECT_TRUE(within(0, 7).has_none);
}

TEST(ScalesWithinAll, KnowWhereScalingTurnsBackAndBudgetsSetNoLimit) {
  Outlook outlook{.forecast = forecast_of(power_fit({800, 400, 200, 100})), .energy = {}};
  outlook.deadline =
      Demand{.x = DemandedScale{.x = 10}, .lower = {}, .upper = {}, .best = 1, .until = 40};
  outlook.budget_kwh =
      Demand{.x = DemandedScale{.x = 4000, .open = true}, .lower = {}, .upper = {}, .best = 1};
  const ScalesWithin both = scales_within_all(outlook);
  EXPECT_EQ(both.greatest, 40);
  outlook.deadline->until.reset();
  EXPECT_FALSE(scales_within_all(outlook).greatest);
}

TEST(OutlookOf, ShowsTheScalesOfTheAnswers) {
  const Forecast forecast = forecast_of(power_fit({800, 400, 200, 100}));
  const auto places = [&](std::vector<double> at, std::optional<double> deadline) {
    OutlookOptions options;
    options.at = std::move(at);
    options.deadline = deadline;
    std::vector<double> shown;
    for (const ScaleOutlook& scale : outlook_of(forecast, {}, options).scales) {
      shown.push_back(scale.y.x);
    }
    return shown;
  };
  EXPECT_EQ(places({}, {}), std::vector<double>{16});
  EXPECT_EQ(places({}, 80), std::vector<double>{10});
  EXPECT_EQ(places({64}, 80), std::vector<double>{64});
  EXPECT_EQ(places({}, 1e-9), std::vector<double>{16});  // No scale meets it.
}

TEST(HoursPerUnit, AreKnownForTimesOfGpus) {
  EXPECT_EQ(hours_per_unit("gpus", "min", Response::kTime), 1.0 / 60);
  EXPECT_EQ(hours_per_unit("gpu_ranks", "min", Response::kTime), 1.0 / 60);
  EXPECT_EQ(hours_per_unit("n", "min", Response::kTime), 1.0 / 60);  // Nobody knows, users may.
  for (const char* other : {"nodes", "NNodes", "AllocNodes", "NTasks", "NCPUS", "cores", "threads",
                            "mpi_procs", "ranks", "workers", "hosts", "gpus_per_node"}) {
    EXPECT_FALSE(hours_per_unit(other, "min", Response::kTime)) << other;
  }
  EXPECT_FALSE(hours_per_unit("gpus", "J", Response::kTime));
  EXPECT_FALSE(hours_per_unit("gpus", "s", Response::kRate));
}

TEST(MachineHours, NodesAndGpusTellOneAnotherByTheGpusOfANode) {
  const MachineHours nodes = machine_hours("nodes", 0.5, 8);
  EXPECT_EQ(nodes.per_x, 4);
  EXPECT_EQ(nodes.per_node, 0.5);
  EXPECT_EQ(nodes.x_per_node, 1);
  EXPECT_FALSE(machine_hours("nodes", 0.5, std::nullopt).per_x);
  const MachineHours gpus = machine_hours("gpus", 0.5, 8);
  EXPECT_EQ(gpus.per_x, 0.5);
  EXPECT_EQ(gpus.x_per_node, 8);
  EXPECT_FALSE(machine_hours("gpus", 0.5, std::nullopt).x_per_node);
  EXPECT_FALSE(machine_hours("ranks", 0.5, std::nullopt).per_node);
  EXPECT_THROW(machine_hours("ranks", 0.5, 8), DataError);
}

/// The outlook at 20 GPUs of a rate of 100 tokens per second and GPU.
Outlook job_of_tokens(OutlookOptions options) {
  std::vector<Cell> cells;
  for (const double x : {1.0, 2.0, 4.0, 8.0}) {
    for (const double y : {99 * x, 101 * x})
      cells.push_back({.x = x, .count = 1, .mean_log = std::log(y), .mean = y, .min = y, .max = y});
  }
  Forecast forecast = make_forecast(
      cells, {.kind = ForecastKind::kLaw, .law = find_law("power"), .response = Response::kRate});
  options.at = {20};
  options.tokens = 7.2e6;
  options.hours_per_unit = options.node_hours_per_unit = 1.0 / 3600;
  options.x_per_node = 8;
  return outlook_of(std::move(forecast), std::nullopt, options);
}

TEST(OutlookOf, AJobOfTokensTakesTheirNumberOverTheRate) {
  OutlookOptions priced;
  priced.deadline = 7200;
  priced.node_price = 10;
  const Outlook outlook = job_of_tokens(priced);
  const ScaleOutlook& at = outlook.scales.at(0);
  EXPECT_NEAR(at.job->median, 3600, 1);
  EXPECT_LT(at.job->pi->lower, at.job->median);
  EXPECT_GT(at.job->pi->upper, at.job->median);
  EXPECT_FALSE(at.job->mean);
  EXPECT_NEAR(*at.gpu_hours, 20, 0.01);
  EXPECT_NEAR(*at.node_hours, 3, 0.01);  // A part of a node costs as a whole one.
  EXPECT_NEAR(at.node_cost->amount, 30, 0.1);
  // It is proportional to the time, and so is its interval.
  EXPECT_NEAR(at.node_cost->pi->upper, 30 * at.job->pi->upper / at.job->median, 0.1);
  EXPECT_NEAR(outlook.deadline->x->x, 11, 1);
  OutlookOptions per_minute;
  per_minute.seconds_of_rate = 60;
  const Outlook of_minutes = job_of_tokens(per_minute);
  EXPECT_NEAR(of_minutes.scales.at(0).job->median, 216000, 60);
}

TEST(NeedsEnergy, WhereCo2CostOrABudgetIsAskedFor) {
  OutlookOptions options = at_16_gpus();
  options.budget_gpu_hours = 1;
  EXPECT_FALSE(needs_energy(options));
  options.footprint.pue = 1.2;
  EXPECT_TRUE(needs_energy(options));
  options.footprint.pue = 1;
  options.budget_kwh = 1;
  EXPECT_TRUE(needs_energy(options));
}

TEST(IsFarBeyond, FromFourTimesTheGreatestScaleOn) {
  const Forecast forecast = forecast_of(power_fit({800, 400, 200, 100}));
  EXPECT_FALSE(is_far_beyond(32, forecast.x_max));
  EXPECT_TRUE(is_far_beyond(33, forecast.x_max));
}

TEST(SavedStudy, TellsTimesFromEnergyInAnyOrder) {
  const SavedStudy study =
      saved_study({document("e.json", "energy_kj"), document("t.json", "epoch_seconds")});
  EXPECT_EQ(study.fits.source, "t.json");
  EXPECT_EQ(study.energy->source, "e.json");
  EXPECT_EQ(unit_of(*study.energy), "kJ");
}

TEST(SavedStudy, RefusesDocumentsThatDoNotGoTogether) {
  SavedFits other = document("e.json", "energy_kj");
  other.by = {"model", "cap"};
  EXPECT_THROW(saved_study({document("t.json", "seconds"), other}), DataError);
  EXPECT_THROW(saved_study({document("t.json", "seconds"), document("u.json", "seconds")}),
               DataError);
  SavedFits floor = document("e.json", "energy_kj");
  floor.law = find_law("floor");
  EXPECT_THROW(saved_study({document("t.json", "seconds"), floor}), DataError);
}

TEST(PlanFor, CountGpuHoursWhereTheUnitIsKnown) {
  Fit fit = power_fit({810, 390, 205, 99});
  const std::vector<GroupFit> fits{{{"A"}, fit}, {{"B"}, NoFit{FailureCode::kTooFewX, "one"}}};
  const PlanOptions options{
      .target = 64, .candidates = {16}, .repeats = {2}, .hours_per_unit = 1.0 / 3600};
  const GroupPlan plan = plan_for(fits[0], options);
  const Addition& addition = std::get<Plan>(plan.result).additions.at(0);
  EXPECT_NEAR(*addition.gpu_hours, addition.gpu_time / 3600, 1e-15);
  EXPECT_EQ(std::get<NoFit>(plan_for(fits[1], options).result).message, "one");
}

}  // namespace
}  // namespace scalelaw
