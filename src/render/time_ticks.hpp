#pragma once

#include <string>
#include <vector>

namespace scalelaw {

struct TimeTick {
  double time;  ///< Seconds since 1970, UTC.
  std::string label;
};

/// Ticks at round times, from seconds to centuries, as many as have room: labels stand at least two
/// characters apart, and none reaches more than one beyond the end of the axis. Where fewer than
/// two round times have room, there are two others.
///
/// Labels are dates or months or years; hours and minutes ("12:30") where the axis is within a day,
/// with the day ("03-02 12:30") where it is not.
/// @param first, last  Ends of the axis, in seconds since 1970, UTC; first < last.
/// @param columns  Characters that the axis is long.
std::vector<TimeTick> time_ticks(double first, double last, double columns);

}  // namespace scalelaw
