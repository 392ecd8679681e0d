#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scalelaw {

inline constexpr std::int64_t kSecondsOfDay = 86400;

/// A date, with or without a time of day, as it is written.
struct WrittenDate {
  std::int64_t seconds = 0;      ///< Since 1970, as the clock showed: without regard to the zone.
  std::int64_t nanoseconds = 0;  ///< Of the second.
  std::int64_t precision = kSecondsOfDay;  ///< Seconds that the text leaves open: a day, 60 or 1.
  std::optional<std::int64_t> ahead = {};  ///< Seconds that its zone is ahead of UTC.
};

/// Reads "2026-06-01", "2026-06-01 14:30", "2026-06-01T14:30:05.25+02:00" and the like. The day may
/// also be written 2026/06/01, 01-06-2026 or 01.06.2026; with slashes the year has to come first,
/// as 03/04/2026 is a day in March to some and in April to others. A zone is Z, UTC, GMT or +02:00.
/// Empty if the text is something else, or a day that does not exist.
std::optional<WrittenDate> read_date(std::string_view text);

/// The UTC time of so many seconds since 1970, in a pattern of strftime; empty beyond the calendar.
std::string utc_text(std::int64_t seconds, const char* pattern);

}  // namespace scalelaw
