#pragma once

#include <optional>
#include <string_view>

#include "scalelaw/study/job.hpp"

namespace scalelaw {

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
