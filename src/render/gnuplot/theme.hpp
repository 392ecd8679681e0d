#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
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

/// The colour of a style, for marks and lines; words are in the theme's own colours, which differ
/// enough from its background.
inline std::string_view series_colour(const Theme& theme, std::size_t style) {
  return theme.series[style % theme.series.size()];
}

/// A colour between blue (0) and orange (1), readable on white and on black.
inline std::string shade_colour(double share) {
  static constexpr std::array<std::array<double, 3>, 4> kStops{
      {{47, 114, 196}, {143, 98, 184}, {207, 90, 58}, {190, 120, 10}}};
  const double place = std::clamp(share, 0.0, 1.0) * (kStops.size() - 1);
  const auto stop = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
  const double part = place - static_cast<double>(stop);
  std::string colour = "#";
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = kStops[stop][i] + part * (kStops[stop + 1][i] - kStops[stop][i]);
    colour += fmt::format("{:02x}", static_cast<unsigned>(std::lround(value)));
  }
  return colour;
}

/// The colour of a series where nothing has to be read: of its style, or its shade.
inline std::string series_colour(const Theme& theme, const FigureSeries& series) {
  return series.shade ? shade_colour(*series.shade)
                      : std::string(series_colour(theme, series.style));
}

/// Gnuplot's point types: filled first, open ones after.
inline constexpr std::array<int, 10> kMarks{7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
inline int mark_of(std::size_t style) { return kMarks[style % kMarks.size()]; }

/// Dashes that are told apart without colour; 1 is a solid line. All repeat after the same length
/// and each is shorter than the one before, so that of coincident lines each one is seen.
inline constexpr std::array<std::string_view, 6> kDashes{"1",       "(20,4)", "(16,8)",
                                                         "(12,12)", "(8,16)", "(4,20)"};
inline std::string_view dashes_of(std::size_t pattern) { return kDashes[pattern % kDashes.size()]; }
inline constexpr std::string_view kBeyondDashes = "(8,5)";  ///< Of curves beyond the data.

constexpr double kBarEnd = 0.004;  ///< Half the width of the end of a bar, of that of the figure.
constexpr double kRing = 1.6;      ///< Size of a ring around a point.

/// The size of a point as gnuplot takes it, so that it has one radius in all formats.
inline double point_size(FigureFormat format, double size = 1) {
  const bool is_vector = format == FigureFormat::kSvg || format == FigureFormat::kPdf;
  return is_vector ? 0.66 * size : size;
}

inline constexpr double kBandOpacity = 0.16;
inline constexpr double kInnerOpacity = 0.34;  ///< A band inside another stands out.

}  // namespace scalelaw
