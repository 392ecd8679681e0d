// The figure of plans: the least loss over the time and over the energy, and the plan among them.

#include <fmt/format.h>

#include "render/budget_words.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/duration.hpp"
#include "scalelaw/render/result_figures.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// What the axis of a panel shows.
double abscissa_of(BudgetLimit limit, const BudgetPlan& plan) {
  switch (limit) {
    case BudgetLimit::kDeadline:
      return *plan.seconds / kSecondsPerDay;
    case BudgetLimit::kKwh:
      return *plan.kwh;
    case BudgetLimit::kGpuHours:
      return *plan.gpu_hours;
    default:
      return plan.flop;
  }
}

std::string axis_of(BudgetLimit limit, const BudgetReport& report, const Budget& budget) {
  switch (limit) {
    case BudgetLimit::kDeadline:
      return "time of training [days], on up to " +
             place_on_scale("gpus", report.options.limit(BudgetLimit::kGpus)
                                        .value_or(budget.laws.gpu_seconds->gpu_range.upper));
    case BudgetLimit::kKwh:
      return "energy [kWh], whatever the time";
    case BudgetLimit::kGpuHours:
      return "GPU-hours, whatever the time";
    default:
      return "compute [FLOP]";
  }
}

std::string note_on_plan(const BudgetReport& report, const BudgetPlan& plan) {
  std::string note = fmt::format("{} {}, {} {}: {} {}", report.study.scales[0], short_count(plan.n),
                                 report.study.scales[1], short_count(plan.d), report.study.y,
                                 with_significant_digits(plan.loss, 4));
  if (plan.gpus) note += ", on " + place_on_scale("gpus", *plan.gpus);
  return note;
}

FigurePanel frontier_panel(const BudgetReport& report, const Budget& budget, BudgetLimit limit) {
  FigurePanel panel{
      .title = "Least loss",
      .x = {.label = axis_of(limit, report, budget), .scale = AxisScale::kLogarithmic},
      .y = {.label = report.study.y}};
  FigureSeries series{.label = "least loss"};
  FigureCurve curve;
  std::size_t number = 0;
  constexpr std::size_t kNoted = 8;  ///< Places with a model beside them are so many apart.
  for (const auto& [of, plan] : budget.frontier) {
    if (of != limit) continue;
    curve.add(abscissa_of(limit, plan), plan.loss);
    if (number++ % kNoted != 0) continue;
    series.points.add(abscissa_of(limit, plan), plan.loss, note_on_plan(report, plan));
    series.points.words.push_back(short_count(plan.n));
  }
  series.points.label = "best model, with its " + report.study.scales[0];
  series.curves.push_back(std::move(curve));
  FigureSeries chosen{.label = "the plan", .style = 1};
  chosen.points.bars = percent_text(report.options.confidence) + " interval";
  chosen.points.add(abscissa_of(limit, budget.plan), budget.plan.loss,
                    note_on_plan(report, budget.plan), budget.loss_ci);
  panel.series = {std::move(series), std::move(chosen)};
  return panel;
}

}  // namespace

Figure budget_figure(const BudgetReport& report, const GroupKey& group, const Budget& budget) {
  Figure figure;
  figure.caption = fmt::format("{}: {}", group_name(report.study.by, group),
                               budget_sentences(report, budget).front());
  std::optional<BudgetLimit> last;
  for (const auto& [limit, plan] : budget.frontier) {
    if (limit == last) continue;
    last = limit;
    figure.panels.push_back(frontier_panel(report, budget, limit));
  }
  return figure;
}

}  // namespace scalelaw
