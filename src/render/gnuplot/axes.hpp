#pragma once

#include <string>

#include "scalelaw/render/figure.hpp"

namespace scalelaw {

struct Range {
  double least;
  double greatest;
};

bool is_logarithmic(const Axis& axis);

/// Whether the axis can show a value.
bool is_shown(const Axis& axis, double value);

/// The ends of the axes of a panel: those asked for, else what is drawn and a little more.
struct PanelRanges {
  Range x;
  Range y;
};
PanelRanges ranges_of(const FigurePanel& panel);

/// Where a value stands on an axis, 0 at its begin and 1 at its end.
double place_on(const Axis& axis, Range range, double value);

/// What an axis has room for.
struct TickRoom {
  int most;            ///< Ticks,
  double columns = 0;  ///< and characters, where it is one of times.
};

/// The ticks as gnuplot takes them: "('1' 1, '2' 2)".
std::string ticks_text(const Axis& axis, Range range, TickRoom room);

}  // namespace scalelaw
