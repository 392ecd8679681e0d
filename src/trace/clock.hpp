#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace scalelaw {

/// Nanoseconds of a span or an instant in seconds, rounded; nothing if it is not finite or beyond
/// 64 bits (292 years).
std::optional<std::int64_t> nanoseconds_of_seconds(double seconds);

/// Nanoseconds of decimal seconds such as "1618080814.783", exactly: a double of today's Unix
/// seconds would be off by a hundred of them. Digits behind the ninth of the fraction are dropped.
///
/// Scientific notation (1.618e9) goes through a double, and is rounded. Nothing if `text` is not
/// wholly a number, as in parse_number, or beyond 64 bits.
std::optional<std::int64_t> nanoseconds_of_seconds(std::string_view text);

/// Nanoseconds since the Unix epoch of a date and time in UTC (proleptic Gregorian calendar).
///
/// Nothing if there is no such date or time (30 February, 24:00, second 60), or outside the years
/// 1678 to 2261, which 64 bits hold whole.
std::optional<std::int64_t> nanoseconds_of_date(int year, int month, int day, int hour, int minute,
                                                std::int64_t seconds, std::int64_t nanoseconds);

/// Nanoseconds since the Unix epoch of "2019/08/23 14:41:50.273" or "2019-08-23 14:41:50", with a
/// T in place of the blank too, taken as UTC. Nothing for any other text, blanks at the ends and
/// zones included. Digits behind the ninth of the fraction are dropped.
std::optional<std::int64_t> parse_date_time(std::string_view text);

}  // namespace scalelaw
