#pragma once

#include <optional>
#include <string>

#include "scalelaw/render/predict_report.hpp"
#include "scalelaw/study/predict_request.hpp"

namespace scalelaw {

/// The hours that one GPU is busy with a job whose time is 1 in the unit of y (or whose rate is 1);
/// empty if they are not known.
/// @throws DataError if y does not tell the time of such a job.
std::optional<double> hours_of_job(PredictRequest request, Response response,
                                   const StudyReport& study, std::optional<double> gpus_per_node);

/// What the size of the job counts; nothing without one.
std::optional<WorkUnit> work_of_job(const PredictRequest& request);

/// Makes --samples and --steps what --tokens and --epochs are.
/// @throws DataError if y is neither the time nor the rate of such things.
void take_job(Response response, const StudyReport& study, PredictRequest& request);

/// @throws DataError if a question does not fit the kind of response.
void check_questions(const PredictRequest& request, Response response, const StudyReport& study);

/// What the tokens of a job are in the outlook; nothing without any.
void take_tokens(const PredictRequest& request, const StudyReport& study, OutlookOptions& outlook);

/// What machines take for one unit of y, or for a second of a job of tokens.
void take_machines(const PredictRequest& request, const StudyReport& study, Response response,
                   std::optional<double> gpus_per_node, OutlookOptions& outlook);

/// Takes over what the report calls the job.
void take_job_words(const PredictRequest& request, PredictReport& report);

/// Whether y is a time by its name, whose unit nothing tells.
bool is_time_without_unit(const StudyReport& study);

/// Whether the deadline is a duration and y such a time.
bool takes_seconds(const PredictRequest& request, const StudyReport& study);

}  // namespace scalelaw
