#include "scalelaw/base/duration.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

constexpr double kMinute = 60;
constexpr double kHour = 3600;
constexpr double kDay = 86400;

/// The seconds of one unit of time as people write it; empty if it is none.
std::optional<double> seconds_in(std::string_view word) {
  if (word == "d" || word == "day" || word == "days") return kDay;
  if (word == "m") return kMinute;  // Beside hours and seconds, m are minutes.
  if (word == "hr" || word == "hrs") return kHour;
  const auto unit = canonical_unit(word);
  return unit ? in_base_units(*unit, Dimension::kTime) : std::nullopt;
}

std::size_t length_of(std::string_view text, std::string_view characters) {
  const std::size_t end = text.find_first_not_of(characters);
  return end == std::string_view::npos ? text.size() : end;
}

/// The parts of a clock, "1:30:00"; all but the first are below 60.
std::optional<double> clock_seconds(std::string_view text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  double seconds = 0;
  for (const std::string& part : parts) {
    const bool is_last = &part == &parts.back();
    const auto value = parse_number(part);
    const bool has_digits = length_of(part, is_last ? "0123456789." : "0123456789") == part.size();
    if (!value || !has_digits || (&part != &parts.front() && *value >= 60)) return std::nullopt;
    seconds = 60 * seconds + *value;
  }
  return seconds;
}

/// "1-02:03:04": days and a clock with hours.
std::optional<double> days_and_clock(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return clock_seconds(text);
  const std::string_view days = text.substr(0, dash);
  const std::string_view clock = text.substr(dash + 1);
  const bool has_hours = split(clock, ':').size() == 3;
  const auto rest = clock_seconds(clock);
  if (!has_hours || !rest || days.empty() || length_of(days, "0123456789") != days.size()) {
    return std::nullopt;
  }
  return *parse_number(days) * kDay + *rest;
}

/// "3m20s", "1 h 30 min": numbers with units, the greater ones first.
std::optional<double> with_units(std::string_view text) {
  double seconds = 0;
  double last = kDay * 2;
  while (!text.empty()) {
    const std::size_t digits = length_of(text, "0123456789.");
    const auto value = parse_number(text.substr(0, digits));
    text = trimmed(text.substr(digits));
    const std::size_t letters = text.find_first_of("0123456789. ");
    const auto unit = seconds_in(text.substr(0, letters));
    if (digits == 0 || !value || !unit || *unit >= last) return std::nullopt;
    seconds += *value * *unit;
    last = *unit;
    text = letters == std::string_view::npos ? std::string_view() : trimmed(text.substr(letters));
  }
  return seconds;
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  return text.find(':') != std::string_view::npos ? days_and_clock(text) : with_units(text);
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
