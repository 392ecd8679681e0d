#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "render/figure_axes.hpp"
#include "render/gnuplot/layout.hpp"
#include "render/gnuplot/theme.hpp"

namespace scalelaw {

/// What words around and inside the panels are written with.
struct Pen {
  std::ostream& script;
  const Layout& layout;
  const Theme& theme;
  FigureFormat format;
};

/// "textcolor rgb '#1a1a1a'".
std::string coloured(std::string_view colour);

/// The words in and beside one panel: its title, marks, what is said of points, references, and the
/// labels of series where these stand beside it.
void write_words(const Pen& pen, const Figure& figure, std::size_t panel,
                 const PanelRanges& ranges);

/// Title, legend, key and note of the whole figure.
void write_surroundings(const Pen& pen, const Figure& figure);

}  // namespace scalelaw
