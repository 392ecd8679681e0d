#include <fmt/format.h>

#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/render/surface_figure.hpp"
#include "surface_study.hpp"

namespace scalelaw::cli {

Figure figure_of_surface(const PlotCommand& options, const GlobalOptions& global) {
  StudyOptions study = options.study;
  if (!takes_two_x(study)) study.law = law_names(2).front();
  const FitOptions fit = surface_fit_options(*options.app, study, options.surface);
  const SurfaceStudy runs = read_surface(study, options.surface, global);
  const SurfaceRuns& first = runs.groups.front();
  if (runs.groups.size() > 1) {
    global.console().warn(
        fmt::format("the first of {} groups is drawn; --where chooses", runs.groups.size()));
  }
  return surface_figure(runs.report, {.group = first.group,
                                      .n = first.n,
                                      .d = first.d,
                                      .y = first.y,
                                      .fit = fit_surface(first.n, first.d, first.y, fit)});
}

}  // namespace scalelaw::cli
