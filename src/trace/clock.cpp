#include "trace/clock.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "scalelaw/base/date.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view text) { return std::ranges::all_of(text, is_digit); }

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

double seconds_between(std::int64_t first_ns, std::int64_t last_ns) {
  const auto ns = static_cast<std::uint64_t>(last_ns) - static_cast<std::uint64_t>(first_ns);
  return static_cast<double>(ns) / 1e9;
}

std::optional<std::int64_t> parse_date_time(std::string_view text) {
  const auto date = read_date(text);
  if (!date || date->precision != 1) return std::nullopt;
  return (date->seconds - date->ahead.value_or(0)) * kSecond + date->nanoseconds;
}

}  // namespace scalelaw
