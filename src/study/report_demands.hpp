#pragma once

#include "scalelaw/study/report_analysis.hpp"

namespace scalelaw {

/// Takes over the deadline and the budget of GPU-hours as forecasts understand them.
/// @throws DataError if the responses of the study have no answer to them.
void take_report_demands(const ReportRequest& request, ReportOrigin& origin, const Messages& say);

/// Plans a training run within these limits, where the table has losses; else nothing.
std::optional<ReportBudget> training_plan(const ReportRequest& request, const ReportOrigin& origin,
                                          const CallConditions& conditions);

}  // namespace scalelaw
