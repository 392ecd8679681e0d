#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/render/figure.hpp"

namespace scalelaw {

/// A figure whose notes are replaced by "note 0", "note 1", ..., and the notes themselves. No text
/// of the study then stands where gnuplot writes calls of a script.
struct NumberedNotes {
  Figure figure;
  std::vector<std::string> notes;
};
NumberedNotes numbered_notes(Figure figure);

/// Cleans a drawing of gnuplot (SVG with mouse and numbered notes): removes scripts, handlers and
/// empty groups, and rounds coordinates to a tenth of a pixel. A point with a note becomes a group
/// of class "point" with the note as its <title>, which browsers show under the pointer and screen
/// readers say.
std::string plain_svg(std::string_view svg, const std::vector<std::string>& notes);

}  // namespace scalelaw
