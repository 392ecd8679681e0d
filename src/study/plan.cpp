#include "scalelaw/study/plan.hpp"

#include <fmt/format.h>

#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/study/read_study.hpp"
#include "study/demands.hpp"

namespace scalelaw {
namespace {

/// Saved fits to plan from, with the head of a report on them.
SavedFits saved_basis(const PredictRequest& request) {
  const std::string& path = request.study.inputs.front();
  SavedFits saved = read_fits(path);
  refuse_several_x(*saved.law, "plan");
  refuse_other_law(request.model, saved.law, path);
  if (saved.groups.empty()) throw DataError(fmt::format("{}: it holds no fit", path));
  saved.confidence = request.confidence.value_or(saved.confidence);
  for (GroupFit& group : saved.groups) {
    if (Fit* fit = std::get_if<Fit>(&group.result); fit != nullptr && request.confidence) {
      fit->confidence = saved.confidence;
    }
  }
  static_cast<StudyReport&>(saved) = report_on(saved);
  return saved;
}

PlanStudy plans_of_saved(const PredictRequest& request, PlanOptions plan) {
  SavedFits basis = saved_basis(request);
  plan.hours_per_unit =
      hours_of_job(request, basis.response, basis, gpus_per_node_of_saved(request.gpus_per_node));
  return {.report = {basis, basis.law, basis.response, basis.confidence, plan},
          .fits = std::move(basis.groups)};
}

/// Refuses groups of which the mixture of laws would take hours: it answers for hundreds of
/// imagined outcomes of each.
void refuse_hours_of_work(const GroupedCells& runs) {
  constexpr std::size_t kMost = 100'000;
  if (runs.size() <= kMost) return;
  throw DataError(
      fmt::format("plan: {} groups would take hours without a law, which is for at most {}: name "
                  "one with --law power, keep some groups with --where, or name fewer columns with "
                  "-b (now {})",
                  runs.size(), kMost, joined(runs.by(), ",")));
}

PlanStudy plans_of_runs(const PredictRequest& request, PlanOptions plan,
                        const CallConditions& conditions) {
  const ForecastModel model = request.model.value_or(ForecastModel{});
  FitOptions fit = fit_options(request.study);
  if (model.law != nullptr) fit.law = model.law;
  auto [head, runs] = read_study_by_nights(request.command, request.study, fit, conditions);
  plan.hours_per_unit =
      hours_of_job(request, fit.response, head,
                   gpus_per_node(request.gpus_per_node, request.study, head, runs, conditions));
  if (model.law == nullptr) refuse_hours_of_work(runs);
  fit.figures = Figures::kEstimates;
  fit.intervals = Intervals::kWald;
  return {.report = {std::move(head), model.law, fit.response, fit.confidence, plan},
          .runs = std::move(runs),
          .fit = fit,
          .kind = model.kind};
}

}  // namespace

PlanStudy read_plan(const PlanRequest& request, const CallConditions& conditions) {
  if (!(request.plan.target > 0)) {
    throw DataError("plan: name the scale that you want to forecast, such as --target 1024");
  }
  const std::vector<std::string>& inputs = request.forecast.study.inputs;
  const bool is_saved = inputs.size() == 1 && holds_saved_fits(inputs.front());
  return is_saved ? plans_of_saved(request.forecast, request.plan)
                  : plans_of_runs(request.forecast, request.plan, conditions);
}

void plan_each(const PlanStudy& study, const CallConditions& conditions,
               const std::function<void(GroupPlan&&)>& sink) {
  const PlanOptions& plan = study.report.options;
  if (!study.runs) {
    for (const GroupFit& fit : study.fits) sink(plan_for(fit, plan));
  } else if (study.kind == ForecastKind::kLaw) {
    fit_each(*study.runs, study.fit, conditions.threads,
             [&](GroupFit&& group) { sink(plan_for(group, plan)); });
  } else {
    const ForecastOptions how{.kind = study.kind,
                              .response = study.fit.response,
                              .rate_of_one = study.fit.rate_of_one,
                              .confidence = study.fit.confidence,
                              .priors = usual_priors(study.runs->quantity().kind)};
    plan_each(*study.runs, how, plan, conditions.threads, sink);
  }
}

}  // namespace scalelaw
