#include "scalelaw/base/date.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

namespace scalelaw {
namespace {

constexpr std::size_t kLettersOfDay = 10;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes `count` digits, and the character `behind` if there is one, from the front of `text`. -1
/// if the text begins differently.
int take_digits(std::string_view& text, std::size_t count, char behind) {
  const std::size_t length = count + (behind == '\0' ? 0 : 1);
  if (text.size() < length || !std::all_of(text.begin(), text.begin() + count, is_digit)) return -1;
  if (behind != '\0' && text[count] != behind) return -1;
  int value = 0;
  for (const char c : text.substr(0, count)) value = value * 10 + (c - '0');
  text.remove_prefix(length);
  return value;
}

/// Removes ".273" from the front of a text, as nanoseconds; 0 if it begins differently, nothing for
/// a bare point.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
  if (!text.starts_with('.')) return 0;
  text.remove_prefix(1);
  std::int64_t nanoseconds = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && is_digit(text[digits]); ++digits) {
    if (digits < 9) nanoseconds = 10 * nanoseconds + (text[digits] - '0');
  }
  if (digits == 0) return std::nullopt;
  for (std::size_t i = digits; i < 9; ++i) nanoseconds *= 10;
  text.remove_prefix(digits);
  return nanoseconds;
}

/// Seconds that a zone is ahead of UTC: "Z", " UTC", "+02:00", "+0200", "+02", also behind a blank.
/// Nothing for other text.
std::optional<std::int64_t> parse_zone(std::string_view text) {
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
  int year = -1;
  int month = -1;
  int day = -1;
};

/// Removes "2019-08-23", "2019/08/23", "23-08-2019" or "23.08.2019" from the front of a text.
DateParts take_day(std::string_view& text) {
  if ((text[2] == '-' || text[2] == '.') && text[5] == text[2]) {
    const char between = text[2];
    const int day = take_digits(text, 2, between);
    const int month = take_digits(text, 2, between);
    return {.year = take_digits(text, 4, '\0'), .month = month, .day = day};
  }
  const char between = text[4];
  if (between != '/' && between != '-') return {};
  const int year = take_digits(text, 4, between);
  const int month = take_digits(text, 2, between);
  return {.year = year, .month = month, .day = take_digits(text, 2, '\0')};
}

/// Removes "14:30" or "14:30:05.25" with its zone, which is all of the text. @returns Whether it is
/// one.
bool take_time(std::string_view text, WrittenDate& date) {
  const int hour = take_digits(text, 2, ':');
  const int minute = take_digits(text, 2, '\0');
  int second = 0;
  date.precision = 60;
  if (text.starts_with(':')) {
    text.remove_prefix(1);
    second = take_digits(text, 2, '\0');
    date.precision = 1;
    const auto nanoseconds = take_fraction(text);
    if (!nanoseconds) return false;
    date.nanoseconds = *nanoseconds;
  }
  const auto is_within = [](int part, int last) { return part >= 0 && part <= last; };
  if (!is_within(hour, 23) || !is_within(minute, 59) || !is_within(second, 59)) return false;
  date.seconds += (hour * 60 + minute) * 60 + second;
  if (text.empty()) return true;
  date.ahead = parse_zone(text);
  return date.ahead.has_value();
}

}  // namespace

std::optional<WrittenDate> read_date(std::string_view text) {
  if (text.size() < kLettersOfDay) return std::nullopt;
  const auto [year, month, day] = take_day(text);
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  // A missing part is -1 and so out of range.
  if (year < 1678 || year > 2261 || !date.ok()) return std::nullopt;
  WrittenDate written;
  written.seconds = std::chrono::sys_days{date}.time_since_epoch().count() * kSecondsOfDay;
  if (text.empty()) return written;
  if (text.front() != ' ' && text.front() != 'T') return std::nullopt;
  text.remove_prefix(1);
  return take_time(text, written) ? std::optional(written) : std::nullopt;
}

std::string utc_text(std::int64_t seconds, const char* pattern) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm utc{};
  if (gmtime_r(&time, &utc) == nullptr) return {};
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), pattern, &utc)};
}

}  // namespace scalelaw
