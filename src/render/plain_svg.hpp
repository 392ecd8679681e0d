#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/render/figure.hpp"

namespace scalelaw {

/// A figure whose notes are "note 0", "note 1", ..., so that no text of the study stands where
/// gnuplot writes calls of a script; and the notes themselves.
struct NumberedNotes {
  Figure figure;
  std::vector<std::string> notes;
};
NumberedNotes numbered_notes(Figure figure);

/// What gnuplot draws (SVG with mouse, numbered notes) without scripts, handlers and empty groups,
/// coordinates to a tenth of a pixel. Points with a note are groups of class "point" that hold it
/// as <title>, which browsers show under the pointer and screen readers say.
std::string plain_svg(std::string_view svg, const std::vector<std::string>& notes);

}  // namespace scalelaw
