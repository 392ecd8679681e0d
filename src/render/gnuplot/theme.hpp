#pragma once

#include <array>
#include <string_view>

#include "scalelaw/render/figure.hpp"

namespace scalelaw {

struct Theme {
  std::string_view background;
  std::string_view text;
  std::string_view axis;
  std::string_view grid;
  std::string_view reference;
  std::array<std::string_view, 8> series;
};

/// Okabe and Ito (2008), told apart by colour-blind readers; their yellow is replaced by grey on
/// white, their black by white on black. Neighbours differ in lightness too, so that they print.
inline const Theme& theme_of(FigureTheme theme) {
  static constexpr Theme kLight{
      "#ffffff",
      "#1a1a1a",
      "#4d4d4d",
      "#e4e4e4",
      "#8c8c8c",
      {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#888888"}};
  static constexpr Theme kDark{
      "#15181c",
      "#e8e8e8",
      "#a6a6a6",
      "#2e3339",
      "#7d848c",
      {"#4db3e6", "#ff8a3d", "#2fc79a", "#e59fc5", "#f2b632", "#9ad4f7", "#f2f2f2", "#a0a0a0"}};
  return theme == FigureTheme::kDark ? kDark : kLight;
}

/// Gnuplot's point types: filled first, open ones after.
inline constexpr std::array<int, 10> kMarks{7, 5, 9, 13, 11, 6, 4, 8, 12, 10};

}  // namespace scalelaw
