#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace scalelaw {

/// Rounded nanoseconds of seconds. Empty if they are not finite or exceed 64 bits (292 years).
std::optional<std::int64_t> nanoseconds_of_seconds(double seconds);

/// Exact nanoseconds of decimal seconds such as "1618080814.783". As a double, today's Unix seconds
/// would be off by about a hundred nanoseconds. Digits after the ninth decimal are dropped.
///
/// Scientific notation (1.618e9) goes through a double and is rounded. Empty if `text` is not
/// wholly a number, as in parse_number, or exceeds 64 bits.
std::optional<std::int64_t> nanoseconds_of_seconds(std::string_view text);

/// Nanoseconds since the Unix epoch of "2019/08/23 14:41:50.273", "2019-08-23 14:41:50" or
/// "23-08-2019 14:41:50" in the proleptic Gregorian calendar. A T may replace the blank. A zone may
/// follow (Z, UTC, +02:00, -0530); without one the time is taken as UTC. Digits after the ninth
/// decimal are dropped. Empty for any other text, such as one with outer blanks or with slashes and
/// the year last, for a date or time that does not exist (30 February, 24:00, second 60), and
/// outside the years 1678 to 2261, which fit into 64 bits.
std::optional<std::int64_t> parse_date_time(std::string_view text);

/// Seconds between times in order, at any distance: a damaged store may hold any values.
double seconds_between(std::int64_t first_ns, std::int64_t last_ns);

}  // namespace scalelaw
