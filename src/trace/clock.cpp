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

/// Removes ".273" from the front of a text; 0 if it begins differently, nothing for a bare point.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
  if (!text.starts_with('.')) return 0;
  const auto digits = static_cast<std::size_t>(
      std::find_if_not(text.begin() + 1, text.end(), is_digit) - text.begin() - 1);
  if (digits == 0) return std::nullopt;
  const std::uint64_t nanoseconds = fraction_nanoseconds(text.substr(1, digits));
  text.remove_prefix(digits + 1);
  return static_cast<std::int64_t>(nanoseconds);
}

/// Seconds that a zone is ahead of UTC: "Z", " UTC", "+02:00", "+0200", "+02", also behind a blank.
/// 0 for empty text; nothing for other text.
std::optional<std::int64_t> parse_zone(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() == ' ' && text.size() > 1) text.remove_prefix(1);
  if (text == "Z" || text == "UTC" || text == "GMT") return 0;
  if (text.front() != '+' && text.front() != '-') return std::nullopt;
  const std::int64_t sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  const int hours = take_digits(text, 2, '\0');
  if (text.starts_with(':') && text.size() > 1) text.remove_prefix(1);
  const int minutes = text.empty() ? 0 : take_digits(text, 2, '\0');
  if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59 || !text.empty()) return std::nullopt;
  return sign * (hours * 3600 + minutes * 60);
}

/// A date, without regard to whether it exists. A missing part is -1.
struct DateParts {
  int year;
  int month;
  int day;
};

/// Removes "2019-08-23", "2019/08/23", "23-08-2019" or "23.08.2019" from the front of a text, with
/// the blank or T behind it. With slashes the year has to come first: 03/04/2019 is a day in March
/// to some and in April to others.
DateParts take_date(std::string_view& text) {
  const char before_time = text[10];
  if ((text[2] == '-' || text[2] == '.') && text[5] == text[2]) {
    const char between = text[2];
    const int day = take_digits(text, 2, between);
    const int month = take_digits(text, 2, between);
    return {.year = take_digits(text, 4, before_time), .month = month, .day = day};
  }
  const char between = text[4];
  if (between != '/' && between != '-') return {.year = -1, .month = -1, .day = -1};
  const int year = take_digits(text, 4, between);
  const int month = take_digits(text, 2, between);
  return {.year = year, .month = month, .day = take_digits(text, 2, before_time)};
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
  if (text.size() < 11 || (text[10] != ' ' && text[10] != 'T')) return std::nullopt;
  const auto [year, month, day] = take_date(text);
  const int hour = take_digits(text, 2, ':');
  const int minute = take_digits(text, 2, ':');
  const int second = take_digits(text, 2, '\0');
  const auto nanoseconds = take_fraction(text);
  const auto ahead = parse_zone(text);
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  const auto is_within = [](int part, int last) { return part >= 0 && part <= last; };
  // A missing part is -1 and so out of range.
  if (!nanoseconds || !ahead || year < 1678 || year > 2261 || !date.ok() || !is_within(hour, 23) ||
      !is_within(minute, 59) || !is_within(second, 59)) {
    return std::nullopt;
  }
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - *ahead;
  return seconds * kSecond + *nanoseconds;
}

}  // namespace scalelaw
