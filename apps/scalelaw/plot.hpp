#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "measure_options.hpp"
#include "scalelaw/render/figure.hpp"
#include "study_options.hpp"
#include "surface_study.hpp"
#include "tail_options.hpp"

namespace scalelaw::cli {

/// Where a figure goes, and how it looks.
struct DrawingOptions {
  std::string theme = "light";
  std::string output;
  bool terminal = false;
};

/// Adds -o, --theme and --terminal. `options` must outlive the parsing.
void add_drawing_options(CLI::App& command, DrawingOptions& options);

/// Makes a figure, draws it and says on stderr what to see in it.
/// @throws DataError before the figure is made if the output can be none.
void draw(const DrawingOptions& options, const std::function<Figure()>& make,
          const GlobalOptions& global);

/// What `scalelaw plot` was asked for.
struct PlotCommand {
  std::string kind;
  StudyOptions study;
  const CLI::App* app = nullptr;
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

/// The kinds that need time and energy, or utilisation, of the same runs.
inline constexpr std::array<std::string_view, 7> kMeasuredKinds{
    "energy-speed", "gpu-hours", "caps", "pareto", "utilisation", "variation", "joint"};

/// The kind that is a command of its own, as it reads traces and not runs.
inline constexpr std::string_view kReplayKind = "replay";

/// Reads runs over two scales and makes the figure of the kind "surface".
Figure figure_of_surface(const PlotCommand& options, const GlobalOptions& global);

/// Reads the runs and makes the figure of such a kind.
Figure measured_figure(const PlotCommand& options, const GlobalOptions& global);

/// The kind that needs one column of values alone.
inline constexpr std::string_view kTailKind = "tail";

/// Reads the values and makes its figure.
Figure tail_figure_of(const PlotCommand& options, const GlobalOptions& global);

}  // namespace scalelaw::cli
