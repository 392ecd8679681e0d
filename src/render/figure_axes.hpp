#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scalelaw/render/figure.hpp"

namespace scalelaw {

struct TimeTick {
  double time;  ///< Seconds since 1970, UTC.
  std::string label;
};

/// As many ticks at round times, from seconds to centuries, as have room. Labels stand at least two
/// characters apart and reach at most one beyond the end of the axis. If fewer than two round times
/// have room, there are two other ticks.
///
/// Labels are dates, months or years. Hours and minutes have the day before them ("03-02 12:30")
/// unless the axis is within one day ("12:30").
/// @param first, last  Ends of the axis, in seconds since 1970, UTC; first < last.
/// @param columns  Length of the axis in characters.
std::vector<TimeTick> time_ticks(double first, double last, double columns);

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

/// The figure with Axis::beside set where several panels have axes of one label: "5k" in one beside
/// "10k" in another, not 5000.
Figure with_like_ticks(Figure figure);

/// Where a value stands on an axis, 0 at its begin and 1 at its end.
double place_on(const Axis& axis, Range range, double value);

/// What an axis has room for.
struct TickRoom {
  int most;            ///< Ticks,
  double columns = 0;  ///< and characters, where it is one of times.
};

struct Tick {
  double value;
  std::string text;
};

/// The ticks of an axis. Numbers from ten thousand on make all from a thousand on read as 1k, 20k,
/// 3M; powers of two keep their digits.
std::vector<Tick> ticks_of(const Axis& axis, Range range, TickRoom room);

/// A count for people: "35 M", "1.2 k", "7 B", "12 T".
std::string count_text(double value);

/// Hands every place that a panel draws at to `add`, as shares of its axes; lines densely.
void for_each_place(const FigurePanel& panel, const PanelRanges& ranges,
                    const std::function<void(double x, double y)>& add);

}  // namespace scalelaw
