#include "trace/clock.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <system_error>

#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }

/// Nanoseconds from the digits after a decimal point.
std::uint64_t fraction_nanoseconds(std::string_view digits) {
  std::uint64_t nanoseconds = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    nanoseconds *= 10;
    if (i < digits.size()) nanoseconds += static_cast<std::uint64_t>(digits[i] - '0');
  }
  return nanoseconds;
}

/// The value of decimal digits, 0 for none; empty if it exceeds 64 bits.
std::optional<std::uint64_t> whole_number(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc::result_out_of_range ? std::nullopt : std::optional(value);
}

/// Removes `count` digits, and the character `behind` if there is one, from the front of `text`. -1
/// if the text begins differently.
int take_digits(std::string_view& text, std::size_t count, char behind) {
  const std::size_t length = count + (behind == '\0' ? 0 : 1);
  if (text.size() < length || !all_digits(text.substr(0, count))) return -1;
  if (behind != '\0' && text[count] != behind) return -1;
  int value = 0;
  for (const char c : text.substr(0, count)) value = value * 10 + (c - '0');
  text.remove_prefix(length);
  return value;
}

/// Nanoseconds of ".273" or of empty text; nothing for any other text.
std::optional<std::int64_t> parse_fraction(std::string_view text) {
  if (text.empty()) return 0;
  if (text.size() < 2 || text.front() != '.' || !all_digits(text.substr(1))) return std::nullopt;
  return static_cast<std::int64_t>(fraction_nanoseconds(text.substr(1)));
}

}  // namespace

std::optional<std::int64_t> nanoseconds_of_seconds(double seconds) {
  const double nanoseconds = seconds * static_cast<double>(kSecond);
  // Written as !(a < b) so that NaN is refused too. 2^63 itself is a double, and too large.
  if (!(std::abs(nanoseconds) < 0x1p63)) return std::nullopt;
  return std::llround(nanoseconds);
}

std::optional<std::int64_t> nanoseconds_of_seconds(std::string_view text) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::string_view whole = digits.substr(0, point);
  const std::string_view fraction = digits.substr(std::min(point + 1, digits.size()));
  if (!all_digits(whole) || !all_digits(fraction)) {
    const auto number = parse_number(text);
    return number ? nanoseconds_of_seconds(*number) : std::nullopt;
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const auto seconds = whole_number(whole);
  if (!seconds || *seconds > kMost / kSecond) return std::nullopt;
  const std::uint64_t nanoseconds = *seconds * kSecond + fraction_nanoseconds(fraction);
  if (nanoseconds > kMost) return std::nullopt;
  const auto magnitude = static_cast<std::int64_t>(nanoseconds);
  return negative ? -magnitude : magnitude;
}

std::optional<std::int64_t> parse_date_time(std::string_view text) {
  if (text.size() < 11) return std::nullopt;
  const char between = text[4];
  const char before_time = text[10];
  if ((between != '/' && between != '-') || (before_time != ' ' && before_time != 'T')) {
    return std::nullopt;
  }
  const int year = take_digits(text, 4, between);
  const int month = take_digits(text, 2, between);
  const int day = take_digits(text, 2, before_time);
  const int hour = take_digits(text, 2, ':');
  const int minute = take_digits(text, 2, ':');
  const int second = take_digits(text, 2, '\0');
  const auto nanoseconds = parse_fraction(text);
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  const auto is_within = [](int part, int last) { return part >= 0 && part <= last; };
  // A missing part is -1 and so out of range.
  if (!nanoseconds || year < 1678 || year > 2261 || !date.ok() || !is_within(hour, 23) ||
      !is_within(minute, 59) || !is_within(second, 59)) {
    return std::nullopt;
  }
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * kSecond + *nanoseconds;
}

}  // namespace scalelaw
