#pragma once

#include <string>
#include <vector>

#include "scalelaw/judge/gate.hpp"
#include "scalelaw/render/gate_report.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// Writes the histories of a table of nights in any format: JSON is the schema scalelaw.nights/1 of
/// docs/reference/history.md; CSV has one row per level of each figure.
void write_nights(const GateReport& report, const std::vector<FigureHistory>& figures,
                  const TableStyle& style, const TextSink& sink);

/// What became of one figure: "step_ms at 32 GPUs changed once: +8.6 % since 2026-05-19 (...)".
std::string level_sentence(const GateReport& report, const FigureHistory& history);

}  // namespace scalelaw
