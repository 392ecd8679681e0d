#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure_options.hpp"
#include "scalelaw/render/figure.hpp"
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

struct PlotCommand;

/// A kind of figure: its name, and what reads the inputs and makes it.
struct KindOfFigure {
  std::string_view name;
  Figure (*make)(const PlotCommand& options, const GlobalOptions& global);
};

/// What `scalelaw plot` was asked for.
struct PlotCommand {
  const KindOfFigure* kind = nullptr;  ///< Null: none was named.
  StudyOptions study;
  Options call;
  MeasureOptions measures;
  SurfaceOptions surface;
  std::string at;
  std::string setting;
  std::string reference;
  std::vector<std::string> knobs;
  ParetoOptions pareto{.etas = {}, .draws = 0};  ///< As far as the user gave them.
  std::string parameter;
  std::string label;
  TailChoice tail;
  DrawingOptions drawing;
};

// Figures of time and energy, or utilisation, of the same runs.
Figure figure_of_energy_speed(const PlotCommand& options, const GlobalOptions& global);
Figure figure_of_gpu_hours(const PlotCommand& options, const GlobalOptions& global);
Figure figure_of_caps(const PlotCommand& options, const GlobalOptions& global);
Figure figure_of_pareto(const PlotCommand& options, const GlobalOptions& global);
Figure figure_of_utilisation(const PlotCommand& options, const GlobalOptions& global);
Figure figure_of_variation(const PlotCommand& options, const GlobalOptions& global);
Figure figure_of_joint(const PlotCommand& options, const GlobalOptions& global);
/// Reads runs over two scales and draws them as one surface.
Figure figure_of_surface(const PlotCommand& options, const GlobalOptions& global);
/// Reads one column of values and draws its tail.
Figure figure_of_tail(const PlotCommand& options, const GlobalOptions& global);

}  // namespace scalelaw::cli
