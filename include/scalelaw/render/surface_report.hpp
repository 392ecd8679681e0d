#pragma once

#include <span>

#include "scalelaw/judge/surface_forecast.hpp"
#include "scalelaw/render/figure.hpp"
#include "scalelaw/render/study_report.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// Writes forecasts of laws of two x in any format. JSON is the schema scalelaw.surface/1 of
/// docs/cli.md.
void write_surfaces(const StudyReport& report, const SurfaceQuestions& questions,
                    std::span<const GroupSurface> groups, Format format, bool colour,
                    const TextSink& sink);

/// What a figure of a surface shows.
struct DrawnSurface {
  GroupKey group;
  std::vector<double> n;  ///< The runs.
  std::vector<double> d;
  std::vector<double> y;
  Fit fit;
};

/// The response against the compute K * n * d: the runs, the law along some values of the first
/// scale, and the least value that each compute can reach, with its interval, out to ten times the
/// greatest compute. Without the latter where an exponent is not positive.
Figure surface_figure(const StudyReport& report, const DrawnSurface& surface);

}  // namespace scalelaw
