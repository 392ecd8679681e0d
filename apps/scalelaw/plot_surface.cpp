#include <fmt/format.h>

#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/render/surface_figure.hpp"
#include "scalelaw/render/text.hpp"
#include "surface_study.hpp"

namespace scalelaw::cli {
namespace {

/// The law of two x: the one that the user named, else the only one.
StudyOptions with_law(const PlotCommand& options) {
  StudyOptions study = options.study;
  if (takes_two_x(study)) return study;
  if (options.call.given("--law")) {
    throw DataError(fmt::format("plot surface draws laws of two x, and {} takes one: {}",
                                study.law->name(), law_names(2).front()));
  }
  study.law = find_law(law_names(2).front());
  return study;
}

/// The first group with a fit; warns of those before it.
DrawnSurface first_surface(const SurfaceStudy& study, const FitOptions& fit,
                           const Console& console) {
  for (const SurfaceRuns& runs : study.groups) {
    const auto result = surface_or_reason(runs.n, runs.d, runs.y, fit);
    if (const Fit* const found = std::get_if<Fit>(&result)) {
      return {.group = runs.group, .n = runs.n, .d = runs.d, .y = runs.y, .fit = *found};
    }
    const NoFit& failure = std::get<NoFit>(result);
    console.warn(fmt::format("no fit for {}: {} ({})", group_name(study.report.by, runs.group),
                             failure.message, name_of(failure.code)));
  }
  throw DataError("no group has a fit to draw");
}

}  // namespace

Figure figure_of_surface(const PlotCommand& options, const GlobalOptions& global) {
  const StudyOptions study = with_law(options);
  FitOptions fit = surface_fit_options(options.call, study, options.surface);
  const SurfaceStudy runs = read_surface(study, options.surface, global);
  note_epochs(runs.unused_run_column, fit, global.console());
  DrawnSurface drawn = first_surface(runs, fit, global.console());
  if (runs.groups.size() > 1) {
    global.console().warn(fmt::format("of {} groups one is drawn, {}; --where chooses",
                                      runs.groups.size(), group_name(runs.report.by, drawn.group)));
  }
  return surface_figure(runs.report, drawn);
}

}  // namespace scalelaw::cli
