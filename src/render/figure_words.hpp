#pragma once

#include <string>
#include <vector>

#include "render/figure_axes.hpp"

namespace scalelaw {

/// The size of letters, as shares of the panel.
struct LetterSize {
  double column;  ///< Width of a character.
  double line;    ///< From one line to the next.
};

/// Lines of words at their place in a panel.
struct PlacedWords {
  std::vector<std::string> lines;
  double x = 0;            ///< Where the lines begin, as a share of the panel,
  double top = 0;          ///< and the upper end of the first.
  bool ends_at_x = false;  ///< The lines end at x and do not begin there.
};

/// Places what a panel says of its marks and points where it hides least of what is drawn, and no
/// other words. Marks come first, then the points of each series.
std::vector<PlacedWords> place_words(const FigurePanel& panel, const PanelRanges& ranges,
                                     LetterSize size);

}  // namespace scalelaw
