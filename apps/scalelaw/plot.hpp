#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "delivery.hpp"
#include "measure_options.hpp"
#include "scalelaw/render/figure.hpp"
#include "study_options.hpp"
#include "surface_study.hpp"
#include "tail_options.hpp"

namespace scalelaw::cli {

/// Where a figure goes, and how it looks.
struct DrawingOptions {
  FigureTheme theme = FigureTheme::kLight;
  std::string output;
  bool terminal = false;
};

/// Adds -o, --theme and --terminal. `options` must outlive the parsing.
void add_drawing_options(Options& command, DrawingOptions& options);

/// Makes a figure, draws it and says on stderr what to see in it. Returns the exit status.
/// @param inputs  Files that the figure must not replace.
/// @throws DataError before the figure is made if the output can be none.
int draw(const DrawingOptions& options, const std::vector<std::string>& inputs,
         const GlobalOptions& global, const std::function<Figure()>& make);

/// The figures of `scalelaw plot`.
enum class PlotKind {
  kScaling,
  kSettings,
  kEfficiency,
  kResiduals,
  kRank,
  kForecast,
  kProfile,
  kEnergySpeed,
  kGpuHours,
  kCaps,
  kPareto,
  kUtilisation,
  kVariation,
  kJoint,
  kSurface,
  kTail,
  kHistory,
  kReplay,  ///< A command of its own, as it reads traces and not runs.
};

/// What `scalelaw plot` was asked for.
struct PlotCommand {
  std::optional<PlotKind> kind;
  StudyOptions study;
  Options call;
  EnergyColumns energy;
  SurfaceOptions surface;
  std::string at;
  std::string setting;
  std::string reference;
  std::string knobs;
  std::string etas = "0.5";
  double max_power = 0;
  std::string parameter;
  std::string label;
  TailChoice tail;
  DrawingOptions drawing;
};

/// Reads runs over two scales and draws them as one surface.
Figure figure_of_surface(const PlotCommand& options, const GlobalOptions& global);

/// Reads time and energy, or utilisation, of the same runs and makes a figure of them.
Figure measured_figure(const PlotCommand& options, const GlobalOptions& global);

/// Reads one column of values and draws its tail.
Figure tail_figure_of(const PlotCommand& options, const GlobalOptions& global);

}  // namespace scalelaw::cli
