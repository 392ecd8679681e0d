#pragma once

#include <string>

#include "scalelaw/render/figure.hpp"

namespace scalelaw {

/// A figure in the characters of a terminal: curves as Braille dots, bands as shades, and points as
/// the letters of the legend below. Panels stand side by side where the window is wide.
std::string terminal_figure(const Figure& figure, const FigureStyle& style);

}  // namespace scalelaw
