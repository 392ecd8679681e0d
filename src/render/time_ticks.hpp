#pragma once

#include <string>
#include <vector>

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

}  // namespace scalelaw
