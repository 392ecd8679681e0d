#pragma once

#include <span>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/surface_forecast.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// Writes forecasts by laws of several x in any format. JSON is the schema scalelaw.surface/1 of
/// docs/reference/predict.md.
/// @throws DataError if `style` names an unknown column.
void write_surfaces(const StudyReport& report, const SurfaceQuestions& questions,
                    std::span<const GroupSurface> groups, const TableStyle& style,
                    const TextSink& sink);

}  // namespace scalelaw
