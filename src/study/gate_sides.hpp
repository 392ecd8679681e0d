#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/judge/gate.hpp"
#include "scalelaw/study/gate_request.hpp"
#include "study/gate_parts.hpp"

namespace scalelaw {

/// All responses, each before and after.
struct GateResponses {
  std::vector<GatePair> pairs;
  /// Where the fits of a pair are made as they are judged: it has no groups yet. Else empty.
  std::vector<std::optional<GateParts>> parts;
  std::vector<NewBaseline> baselines;  ///< Under GateRequest::update.
  std::vector<std::string> warnings;  ///< What was left out of the nights of BASE, and what NEW is.
  std::string
      mixed_nights;  ///< Column of NEW of which several nights are taken as one; else empty.
  /// Where NEW is the newest night of the table that BASE is, how many others it has; else 0.
  std::size_t others = 0;
  std::string night;   ///< Column of the nights of BASE; empty: none, or one that nobody named.
  std::string newest;  ///< What NEW is, where it is of the table that BASE is: "date 2026-03-20".
  std::string night_column;  ///< Seems to name nights of BASE, which is taken as one; else empty.
};

/// Reads documents and run tables, and fits the tables that judge_responses does not fit.
/// @throws DataError if a side cannot be used.
GateResponses read_gate_sides(const GateRequest& request, std::span<const GateSides> sides,
                              const CallConditions& conditions);

}  // namespace scalelaw
