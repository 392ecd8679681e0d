#pragma once

#include <vector>

#include "scalelaw/judge/gate.hpp"
#include "scalelaw/render/gate_report.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// Writes the histories of a table of nights in any format: JSON is the schema scalelaw.nights/1 of
/// docs/reference/history.md; CSV has one row per level of each figure.
void write_nights(const GateReport& report, const std::vector<FigureHistory>& figures,
                  const TableStyle& style, const TextSink& sink);

}  // namespace scalelaw
