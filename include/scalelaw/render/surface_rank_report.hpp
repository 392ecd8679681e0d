#pragma once

#include <span>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/surface_rank.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The head of a report on rankings of laws of several scales.
struct SurfaceRankReport : StudyReport {
  SurfaceRankOptions options;
};

/// Writes such rankings in any format, with one row per law. JSON is the schema
/// scalelaw.surface-rank/1 of docs/reference/rank.md.
/// @throws DataError if `style` names an unknown column.
void write_surface_rankings(const SurfaceRankReport& report,
                            std::span<const Grouped<SurfaceRanking>> groups,
                            const TableStyle& style, const TextSink& sink);

}  // namespace scalelaw
