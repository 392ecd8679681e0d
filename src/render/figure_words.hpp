#pragma once

#include <optional>
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
  /// A thin line from these words to their point, as shares of the panel: they are not beside it.
  struct Leader {
    double from_x;
    double from_y;
    double to_x;
    double to_y;
  };
  std::optional<Leader> leader = {};
};

/// Places what a panel says of its marks and points where it hides least of what is drawn, and no
/// other words. Marks come first, then the points of each series. What is said of a point has a
/// leader where it could be taken for the words of another one, and is left out where there is no
/// room or the leader would pass another point.
std::vector<PlacedWords> place_words(const FigurePanel& panel, const PanelRanges& ranges,
                                     LetterSize size);

}  // namespace scalelaw
