#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalelaw {

inline constexpr double kSecondsPerHour = 3600;
inline constexpr double kSecondsPerDay = 24 * kSecondsPerHour;

/// How a duration is written.
enum class DurationForm {
  kClock,       ///< 1:23:45
  kShortClock,  ///< 3:20, minutes and seconds
  kDayClock,    ///< 1-02:03:04, or 1 day, 2:03:04
  kUnits,       ///< 3m20s
};

/// A duration, and how it is written.
struct WrittenDuration {
  double seconds = 0;
  DurationForm form = DurationForm::kUnits;
  /// The unit of a single number with a unit, as "s" of "90 s"; else empty.
  std::string_view only_unit = {};
};

/// Reads a duration as people, Slurm, Python and pandas write it: "90 s", "3m20s", "1 h 30 min",
/// "1:30:00" (hours, minutes, seconds), "1:30" (minutes, seconds), "1-02:03:04" and "1 day,
/// 2:03:04" (days first), "1-02:03" (days, hours, minutes). Empty if the text is something else,
/// such as a number without a unit.
std::optional<WrittenDuration> read_duration(std::string_view text);

/// The seconds of read_duration().
std::optional<double> parse_duration(std::string_view text);

/// A duration as people say it, in at most two units: "95.2 ms", "71.5 s", "3 min 20 s",
/// "2 h 5 min", "2 d 4 h". Infinity is "inf s".
std::string duration_text(double seconds);

}  // namespace scalelaw
