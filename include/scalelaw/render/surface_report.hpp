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

/// The head of a report on backtests of laws of two x.
struct SurfaceBacktestReport : StudyReport {
  SurfaceBacktestOptions options;
  const Law* law = nullptr;
  double confidence = 0.95;
};

/// Writes backtests of laws of two x in any format, with one row per hidden run. JSON is the schema
/// scalelaw.surface-backtest/1 of docs/reference/predict.md.
/// @throws DataError if `style` names an unknown column.
void write_surface_backtests(const SurfaceBacktestReport& report,
                             std::span<const Grouped<SurfaceBacktest>> groups,
                             const TableStyle& style, const TextSink& sink);

}  // namespace scalelaw
