#pragma once

#include <vector>

#include "scalelaw/judge/gate.hpp"
#include "scalelaw/render/gate_report.hpp"
#include "scalelaw/study/gate_request.hpp"

namespace scalelaw {

/// What a gate found.
struct GateStudy {
  GateReport report;  ///< The head of its report, with all warnings.
  Gate gate;
  std::vector<NewBaseline> baselines = {};  ///< Under GateRequest::update, one a response.
};

/// Reads both sides, and tells of every group whether NEW is worse than BASE. Pipes are read once.
/// Runs are fitted as the saved fits on the other side were, but for what the request chose.
///
///     GateRequest request;
///     request.base = "base.csv";
///     request.current = "new.csv";
///     const GateStudy study = judge_gate(request);
///     if (fails(study.gate, request.fail_on)) ...
///
/// @throws DataError if a side cannot be used: no fit in BASE, other columns than asked for.
GateStudy judge_gate(const GateRequest& request, const CallConditions& conditions = {});

/// The histories of all figures of one table of nights, by response.
struct NightsStudy {
  GateReport report;
  std::vector<FigureHistory> figures;
};

/// Follows the nights of `request.base` alone.
/// @throws DataError as judge_gate, or if no column tells the nights.
NightsStudy follow_table(const GateRequest& request, const CallConditions& conditions = {});

}  // namespace scalelaw
