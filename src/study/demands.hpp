#pragma once

#include <optional>
#include <string_view>

#include "scalelaw/render/predict_report.hpp"
#include "scalelaw/study/predict_request.hpp"

namespace scalelaw {

/// What the size of the job counts; nothing without one.
std::optional<WorkUnit> work_of_job(const PredictRequest& request);

/// Makes --samples and --steps what --tokens and --epochs are.
/// @throws DataError if y is neither the time nor the rate of such things.
void take_job(Response response, const StudyReport& study, PredictRequest& request);

/// The hours that one GPU is busy with a job whose time is 1 in the unit of y (or whose rate is 1);
/// empty if they are not known.
/// @throws DataError if y does not tell the time of such a job.
std::optional<double> hours_of_job(PredictRequest request, Response response,
                                   const StudyReport& study, std::optional<double> gpus_per_node);

/// The limit in seconds; empty if it is a number whose unit nothing tells.
/// @param unit  Of the response; empty if it is not known.
std::optional<double> seconds_of(const TimeLimit& limit, const std::string& unit);

/// Takes over what is asked of the responses of a study, and how the report names it. Says so where
/// a unit is assumed.
/// @param gpus_per_node  Empty if it is not known.
/// @throws DataError if the responses have no answer to a question.
void take_demands(const PredictRequest& request, Response response,
                  std::optional<double> gpus_per_node, PredictReport& report, const Messages& say);

/// @throws DataError if something is asked for that needs energy.
/// @param what_to_do  How the user can give one.
void refuse_without_energy(const OutlookOptions& options, std::string_view what_to_do);

}  // namespace scalelaw
