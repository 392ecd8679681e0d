#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "base/ranges.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/figure.hpp"

namespace scalelaw {

constexpr std::size_t kMostTogether = 8;  ///< Series of one panel; there are no more colours.
constexpr std::size_t kMostPanels = 12;

/// The end of a caption that tells how many groups are left out; empty if none is.
inline std::string not_drawn(std::size_t groups) {
  if (groups == 0) return "";
  return groups == 1 ? " 1 more group is not drawn."
                     : fmt::format(" {} more groups are not drawn.", groups);
}

/// The same inside the figure: "32 more groups are not drawn".
inline std::string drawn_note(std::size_t left_out) {
  const std::string text = not_drawn(left_out);
  return text.empty() ? "" : text.substr(1, text.size() - 2);
}

/// Tells below the figure and at the end of its caption how many groups it leaves out.
inline void tell_left_out(Figure& figure, std::size_t groups) {
  figure.caption += not_drawn(groups);
  figure.note = drawn_note(groups);
}

/// Whether some series of a figure passes a test.
template <class Test>
bool any_series(const Figure& figure, Test test) {
  return any_of(figure.panels,
                [&](const FigurePanel& panel) { return any_of(panel.series, test); });
}

inline bool has_bands(const Figure& figure) {
  return any_series(figure, [](const FigureSeries& series) { return !series.bands.empty(); });
}

inline bool has_bars(const Figure& figure) {
  return any_series(figure, [](const FigureSeries& one) { return !one.points.bars.empty(); });
}

/// So many places from one end to the other, evenly spaced on a logarithmic or linear axis.
inline std::vector<double> spaced(double least, double greatest, int count,
                                  bool logarithmic = true) {
  std::vector<double> places;
  for (int i = 0; i < count; ++i) {
    const double part = static_cast<double>(i) / (count - 1);
    places.push_back(logarithmic ? least * std::pow(greatest / least, part)
                                 : least + part * (greatest - least));
  }
  return places;
}

/// The curve through `y_at(x)` at each of the places.
template <class Function>
FigureCurve curve_over(const std::vector<double>& places, Function y_at, bool dashed = false) {
  FigureCurve curve{.dashed = dashed};
  for (const double x : places) curve.add(x, y_at(x));
  return curve;
}

}  // namespace scalelaw
