#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "scalelaw/judge/plan.hpp"
#include "scalelaw/render/plan_report.hpp"
#include "scalelaw/study/predict_request.hpp"

namespace scalelaw {

/// What a plan of further runs is asked for.
struct PlanRequest {
  PlanOptions plan;
  PredictRequest forecast;  ///< That is to be sharper: its inputs, its model, and the job of a run.
};

/// What plans are made from, and the head of a report on them.
struct PlanStudy {
  PlanReport report;
  std::optional<GroupedCells> runs = {};   ///< Empty of saved fits,
  std::vector<GroupFit> fits = {};         ///< which are these.
  FitOptions fit = {};                     ///< Of the law that runs are fitted by,
  ForecastKind kind = ForecastKind::kLaw;  ///< or else of what forecasts from them are by.
};

/// Reads the inputs of plans, be they runs or saved fits, and says what was chosen and left out.
/// @throws DataError if the request has no target, or the inputs cannot answer it.
PlanStudy read_plan(const PlanRequest& request, const CallConditions& conditions);

/// Hands the plan of every group to `sink`, in group order and one call at a time.
void plan_each(const PlanStudy& study, const CallConditions& conditions,
               const std::function<void(GroupPlan&&)>& sink);

}  // namespace scalelaw
