#pragma once

#include <span>
#include <string>
#include <vector>

#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// One group in a figure: what was measured, and the law that was fitted.
struct FigureSeries {
  std::string label;
  std::vector<double> x;  ///< One value a point.
  std::vector<double> y;
  std::vector<double> curve_x;  ///< Empty where there is no law.
  std::vector<double> curve_y;
};

/// Points and laws of several groups on common axes.
struct ScalingFigure {
  std::string x_label;
  std::string y_label;
  std::string legend;    ///< What the labels are values of.
  bool log_axes = true;  ///< Both axes; all values must then be > 0.
  std::vector<FigureSeries> series;
};

/// The mean at each x of a group, whose cells are sorted by x, and its law, sampled over their
/// range; a group without a fit has points only.
FigureSeries figure_series(std::string label, std::span<const Cell> cells, const GroupFit& fit);

enum class FigureFormat {
  kTerminal,  ///< ASCII characters, the legend below.
  kSvg,
  kPdf,
  kPng,
  kGnuplot,  ///< The script with its data, for gnuplot -p.
};

/// The terminal that a figure is drawn for.
struct TerminalSize {
  int columns = 100;
  int rows = 30;
};

/// The figure as the bytes of a file. Labels are drawn as they are: nothing in them is a command to
/// gnuplot.
///
/// Part of the library scalelaw_figure, which the programs link: the others need neither
/// gnuplot-iostream nor Boost's compiled libraries.
/// @throws DataError if gnuplot is not installed or refuses.
std::string render_figure(const ScalingFigure& figure, FigureFormat format,
                          const TerminalSize& terminal = {}, bool colour = false);

}  // namespace scalelaw
