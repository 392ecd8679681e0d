#pragma once

#include <iosfwd>

#include "render/figure_axes.hpp"
#include "render/gnuplot/theme.hpp"

namespace scalelaw {

/// Writes gnuplot's command that draws what is in a panel, with its data.
void write_plot(std::ostream& script, const FigurePanel& panel, const PanelRanges& ranges,
                const Theme& theme, FigureFormat format);

}  // namespace scalelaw
