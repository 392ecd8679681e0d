#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "measure_options.hpp"
#include "scalelaw/render/figure.hpp"
#include "study_options.hpp"
#include "surface_study.hpp"

namespace scalelaw::cli {

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
  std::string theme = "light";
  std::string output;
  bool terminal = false;
};

/// The kinds that need time and energy, or utilisation, of the same runs.
inline constexpr std::array<std::string_view, 7> kMeasuredKinds{
    "energy-speed", "gpu-hours", "caps", "pareto", "utilisation", "variation", "joint"};

/// Reads runs over two scales and makes the figure of the kind "surface".
Figure figure_of_surface(const PlotCommand& options, const GlobalOptions& global);

/// Reads the runs and makes the figure of such a kind.
Figure measured_figure(const PlotCommand& options, const GlobalOptions& global);

}  // namespace scalelaw::cli
