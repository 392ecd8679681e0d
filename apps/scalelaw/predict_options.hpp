#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "scalelaw/study/predict_request.hpp"

namespace scalelaw::cli {

/// The choices of --law, the usual one first.
std::vector<Named<ForecastModel>> models(const std::vector<Named<const Law*>>& laws);

/// A deadline: a number above 0 in the unit of y, or a duration.
/// @throws DataError if the text is neither.
std::optional<TimeLimit> time_limit_of(const std::string& option, const std::string& text);

/// Adds --epochs, --steps, --tokens and --samples. `request` must outlive the parsing.
/// @param effect  What they change: "the GPU-hours are then those of such runs".
void add_job_options(Options& command, PredictRequest& request, const std::string& effect);

}  // namespace scalelaw::cli
