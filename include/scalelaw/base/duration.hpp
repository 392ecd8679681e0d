#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalelaw {

/// Reads a duration as people write it, in seconds: "90 s", "95ms", "2h", "3m20s", "1 h 30 min",
/// "1:30:00" (hours, minutes, seconds), "1:30" (minutes, seconds), "1-02:03:04" (days first, as
/// Slurm writes). Empty if the text is something else, such as a number without a unit.
std::optional<double> parse_duration(std::string_view text);

/// A duration as people say it, in at most two units: "95.2 ms", "71.5 s", "3 min 20 s",
/// "2 h 5 min", "2 d 4 h". Infinity is "inf s".
std::string duration_text(double seconds);

}  // namespace scalelaw
