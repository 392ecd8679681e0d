#include "scalelaw/base/duration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

constexpr double kMinute = 60;
constexpr double kHour = kSecondsPerHour;
constexpr double kDay = kSecondsPerDay;

constexpr std::string_view kDigits = "0123456789";

/// The seconds of one unit of time as people write it; empty if it is none. Beside hours and
/// seconds, m are minutes.
std::optional<double> seconds_in(std::string_view word) {
  static constexpr std::pair<std::string_view, double> kMore[] = {
      {"m", kMinute},      {"d", kDay},      {"day", kDay},      {"days", kDay}, {"week", 7 * kDay},
      {"weeks", 7 * kDay}, {"wk", 7 * kDay}, {"wks", 7 * kDay},  {"hr", kHour},  {"hrs", kHour},
      {"H", kHour},        {"M", kMinute},   {"\xC2\xB5s", 1e-6}};
  for (const auto& [name, seconds] : kMore) {
    if (name == word) return seconds;
    if (word.size() > 2 && name == lower_case(word)) return seconds;  // "2 Days".
  }
  const auto unit = canonical_unit(word);
  return unit ? in_base_units(*unit, Dimension::kTime) : std::nullopt;
}

std::size_t length_of(std::string_view text, std::string_view characters) {
  return std::min(text.find_first_not_of(characters), text.size());
}

/// "02" or "02.5" as a part of a clock, below 60 if another part stands before it.
std::optional<double> clock_part(std::string_view text, bool leads, bool last) {
  const std::string_view whole = text.substr(0, last ? text.find('.') : text.npos);
  if (whole.empty() || length_of(whole, kDigits) != whole.size()) return std::nullopt;
  if (!leads && whole.size() != 2) return std::nullopt;
  const auto value = parse_number(text);
  if (!value || (!leads && *value >= kMinute)) return std::nullopt;
  return value;
}

/// "H:MM:SS", "M:SS" or, after days, "HH:MM". Seconds may have decimals.
std::optional<WrittenDuration> clock_time(std::string_view text, bool after_days) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto part = clock_part(parts[i], i == 0, i + 1 == parts.size());
    if (!part || (after_days && i == 0 && *part >= 24)) return std::nullopt;
    sum = sum * 60 + *part;
  }
  if (parts.size() == 2 && after_days) sum *= 60;
  return WrittenDuration{
      sum, parts.size() == 3 ? DurationForm::kClock : DurationForm::kShortClock, {}};
}

/// "1-02:03:04" as Slurm writes, and "1 day, 2:03:04" as Python writes.
std::optional<WrittenDuration> day_clock(std::string_view text) {
  const std::size_t digits = length_of(text, kDigits);
  const auto days = parse_number(text.substr(0, digits));
  if (!days) return std::nullopt;
  std::string_view rest = text.substr(digits);
  if (rest.starts_with('-')) {
    rest.remove_prefix(1);
  } else {
    rest = trimmed(rest);
    if (!rest.starts_with("day")) return std::nullopt;
    rest.remove_prefix(rest.starts_with("days") ? 4 : 3);
    if (rest.starts_with(',')) rest.remove_prefix(1);
    rest = trimmed(rest);
  }
  const auto time = clock_time(rest, true);
  if (!time) return std::nullopt;
  return WrittenDuration{*days * kDay + time->seconds, DurationForm::kDayClock, {}};
}

/// "3m20s", "1 h 30 min", "1h, 2m": numbers with units, the greater ones first.
std::optional<WrittenDuration> with_units(std::string_view text) {
  WrittenDuration sum;
  double last = std::numeric_limits<double>::infinity();
  bool first = true;
  while (!text.empty()) {
    const std::size_t digits = length_of(text, "0123456789.");
    const auto value = parse_number(text.substr(0, digits));
    text = trimmed(text.substr(digits));
    const std::size_t letters = std::min(text.find_first_of("0123456789. ,"), text.size());
    const std::string_view word = text.substr(0, letters);
    const auto unit = seconds_in(word);
    if (!value || !unit || *unit >= last) return std::nullopt;
    sum.seconds += *value * *unit;
    sum.only_unit = first ? word : std::string_view();
    first = false;
    last = *unit;
    text = trimmed(text.substr(letters));
    if (text.starts_with(',')) text = trimmed(text.substr(1));
  }
  return sum;
}

}  // namespace

std::optional<WrittenDuration> read_duration(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  if (text.find(':') == std::string_view::npos) return with_units(text);
  const auto time = clock_time(text, false);
  return time ? time : day_clock(text);
}

std::optional<double> parse_duration(std::string_view text) {
  const auto duration = read_duration(text);
  return duration ? std::optional(duration->seconds) : std::nullopt;
}

std::string duration_text(double seconds) {
  struct Pair {
    double from;  ///< The least duration that is told in these units.
    double great;
    const char* name;
    double small;
    const char* small_name;
  };
  constexpr std::array<Pair, 3> kPairs{{{2 * kDay, kDay, "d", kHour, "h"},
                                        {kHour, kHour, "h", kMinute, "min"},
                                        {2 * kMinute, kMinute, "min", 1, "s"}}};
  for (const Pair& pair : kPairs) {
    if (seconds < pair.from || !std::isfinite(seconds)) continue;
    const double rounded = std::round(seconds / pair.small) * pair.small;
    const double whole = std::floor(rounded / pair.great);
    const double rest = std::round((rounded - whole * pair.great) / pair.small);
    if (rest == 0) return fmt::format("{:.0f} {}", whole, pair.name);
    return fmt::format("{:.0f} {} {:.0f} {}", whole, pair.name, rest, pair.small_name);
  }
  constexpr double kRoundsUp = 0.9995;  // To three digits.
  if (seconds >= kRoundsUp) return fmt::format("{:.3g} s", seconds);
  if (seconds >= kRoundsUp * 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

}  // namespace scalelaw
