#pragma once

#include <span>
#include <string>

#include "study/gate_sides.hpp"

namespace scalelaw {

/// Tells of every group whether NEW is worse. Frees the tables once they are judged and not needed
/// again: judge_without may follow where BASE has several nights.
/// @throws DataError if a side cannot be used: no fit in BASE, other columns than the other side.
Gate judge_responses(GateResponses& responses, const GateOptions& options, int threads);

/// What the gate says without these nights of BASE, as they are called in sentences.
Gate judge_without(GateResponses responses, std::span<const std::string> nights,
                   GateOptions options, int threads);

}  // namespace scalelaw
