#include "scalelaw/base/units.hpp"

#include "base/spellings.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

// Case matters if it distinguishes units (mW and MW, ms and Ms). Words are lower case.
constexpr Spellings kSpellings[] = {
    {"s", "s sec secs second seconds"},
    {"ms", "ms msec millisecond milliseconds"},
    {"us", "us usec microsecond microseconds"},
    {"ns", "ns nanosecond nanoseconds"},
    {"min", "min mins minute minutes"},
    {"h", "h hr hrs hour hours"},
    {"d", "d day days"},
    {"W", "W w watt watts"},
    {"kW", "kW kw"},
    {"MW", "MW"},
    {"mW", "mW"},
    {"J", "J j joule joules"},
    {"kJ", "kJ kj"},
    {"MJ", "MJ"},
    {"mJ", "mJ"},
    {"Wh", "Wh wh"},
    {"kWh", "kWh kwh"},
    {"Hz", "Hz hz"},
    {"kHz", "kHz khz"},
    {"MHz", "MHz mhz"},
    {"GHz", "GHz ghz"},
    {"%", "% pct percent"},
    {"B", "B bytes"},
    {"KiB", "KiB kib"},
    {"MiB", "MiB mib"},
    {"GiB", "GiB gib"},
    {"KB", "KB kB"},
    {"MB", "MB mb"},
    {"GB", "GB gb"},
    {"C", "C"},
    {"g", "g"},
    {"kg", "kg"},
};

bool is_number_char(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

// The length of the longest prefix that is a number: 3 for "1e3W", 2 for "12 eggs".
std::size_t number_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_number_char(text[length])) ++length;
  while (length > 0 && !parse_number(text.substr(0, length))) --length;
  return length;
}

/// Whether the next word is what a rate is per: "tokens_per" of "tokens_per_s" is in no seconds.
bool ends_with_per(std::string_view name) {
  for (const std::string_view per : {"_per", ".per", " per"}) {
    if (name.ends_with(per)) return true;
  }
  return false;
}

/// Whether a last word of time is what a rate is per: throughput_mcells_s and images_s are in no
/// seconds.
bool is_rate_per(std::string_view before) {
  for (const std::string_view noun : {"throughput", "bandwidth", "Throughput", "Bandwidth"}) {
    if (before.find(noun) != std::string_view::npos) return true;
  }
  for (const std::string_view things : {"images", "samples", "tokens", "cells", "mcells", "steps",
                                        "requests", "queries", "frames", "updates", "events"}) {
    if (before == things) return true;
  }
  for (const std::string_view things : {"tok", "toks", "img", "imgs", "req", "reqs"}) {
    if (before == things || before.ends_with("_" + std::string(things))) return true;
  }
  return false;
}

/// The unit of a word of a name, in which "Sec" and "Minutes" may begin with a capital.
std::optional<std::string_view> unit_of_word(std::string_view word) {
  if (const auto unit = canonical_unit(word)) return unit;
  return word.size() < 3 ? std::nullopt : canonical_unit(lower_case(word));
}

/// The unit of a name such as "seconds_per_step" or "s/it"; empty if it does not begin with a time
/// per thing.
std::string_view time_per_thing(std::string_view header) {
  for (const std::string_view per : {"_per_", ".per.", " per ", "/"}) {
    const std::size_t at = header.find(per);
    if (at == std::string_view::npos) continue;
    const auto unit = unit_of_word(trimmed(header.substr(0, at)));
    const bool is_time = unit && in_base_units(*unit, Dimension::kTime);
    // What a thing is per is none if it is a unit itself: "s/s" is a ratio, "ns/day" a rate.
    const std::string_view thing = trimmed(header.substr(at + per.size()));
    const std::string_view first = thing.substr(0, thing.find_first_of("/_ "));
    if (is_time && thing.size() > 1 && !unit_of_word(first)) return *unit;
  }
  return {};
}

/// The unit of "runtime hours", "time in ms" and "Time to train, min"; empty if the last of several
/// words is no unit of time, or is what a rate is per.
std::string_view time_behind_blank(std::string_view header) {
  const std::size_t blank = header.rfind(' ');
  if (blank == std::string_view::npos || header.size() - blank < 3) return {};
  const std::string_view before = trimmed(header.substr(0, blank));
  const auto unit = unit_of_word(header.substr(blank + 1));
  const bool is_time = unit && *unit != "d" && in_base_units(*unit, Dimension::kTime);
  return is_time && !ends_with_per(before) && !before.ends_with('/') && !is_rate_per(before)
             ? *unit
             : std::string_view();
}

}  // namespace

std::optional<std::string_view> canonical_unit(std::string_view word) {
  static const SpelledWords units = spelled_words(kSpellings);
  const std::string_view unit = meaning_among(units, word);
  return unit.empty() ? std::nullopt : std::optional(unit);
}

std::optional<Measure> parse_measure(std::string_view text) {
  text = trimmed(text);
  const std::size_t length = number_length(text);
  const auto value = parse_number(text.substr(0, length));
  if (!value) return std::nullopt;
  const std::string_view word = trimmed(text.substr(length));
  if (word.empty()) return Measure{*value, {}};
  const auto unit = canonical_unit(word);
  if (!unit) return std::nullopt;
  return Measure{*value, *unit};
}

ColumnLabel column_label(std::string_view header) {
  header = trimmed(header);
  if (header.ends_with(']') || header.ends_with(')')) {
    const std::size_t open = header.rfind(header.back() == ']' ? '[' : '(');
    if (open != std::string_view::npos && open > 0) {
      std::string_view word = header.substr(open + 1, header.size() - open - 2);
      if (word.starts_with("in ")) word.remove_prefix(3);  // "Runtime (in hours)".
      if (word.size() > 2 && word.ends_with('.')) word.remove_suffix(1);
      if (const auto unit = canonical_unit(word)) return {trimmed(header.substr(0, open)), *unit};
    }
    return {header, {}};
  }
  if (const std::string_view unit = time_per_thing(header); !unit.empty()) return {header, unit};
  if (const std::string_view unit = time_behind_blank(header); !unit.empty()) return {header, unit};
  const std::size_t cut = header.find_last_of("_.");
  const std::string_view word = cut == std::string_view::npos ? header : header.substr(cut + 1);
  // A one-letter column such as "s" or "h" is more often a name than a unit.
  if (cut == std::string_view::npos && word.size() < 3) return {header, {}};
  if (ends_with_per(header.substr(0, cut == std::string_view::npos ? 0 : cut))) return {header, {}};
  if (word == "d" || word == "day") return {header, {}};  // A dimension; which day it was.
  const auto unit = canonical_unit(word);
  if (!unit) return {header, {}};
  const bool time = in_base_units(*unit, Dimension::kTime).has_value();
  const std::string before = lower_case(header.substr(0, cut == std::string_view::npos ? 0 : cut));
  if (*unit == "h" && before.ends_with("kilowatt")) return {header, "kWh"};
  if (*unit == "h" && before.ends_with("watt")) return {header, "Wh"};
  if (time && cut != std::string_view::npos && is_rate_per(header.substr(0, cut))) {
    return {header, {}};
  }
  return {header, *unit};
}

std::optional<double> in_base_units(std::string_view unit, Dimension dimension) {
  struct Factor {
    std::string_view unit;
    Dimension dimension;
    double factor;
  };
  constexpr Factor kFactors[] = {
      {"s", Dimension::kTime, 1},         {"ms", Dimension::kTime, 1e-3},
      {"us", Dimension::kTime, 1e-6},     {"ns", Dimension::kTime, 1e-9},
      {"min", Dimension::kTime, 60},      {"h", Dimension::kTime, 3600},
      {"d", Dimension::kTime, 86400},     {"J", Dimension::kEnergy, 1},
      {"mJ", Dimension::kEnergy, 1e-3},   {"kJ", Dimension::kEnergy, 1e3},
      {"MJ", Dimension::kEnergy, 1e6},    {"Wh", Dimension::kEnergy, 3600},
      {"kWh", Dimension::kEnergy, 3.6e6}, {"W", Dimension::kPower, 1},
      {"mW", Dimension::kPower, 1e-3},    {"kW", Dimension::kPower, 1e3},
      {"MW", Dimension::kPower, 1e6},
  };
  for (const Factor& factor : kFactors) {
    if (factor.unit == unit && factor.dimension == dimension) return factor.factor;
  }
  return std::nullopt;
}

std::string_view unit_in_name(std::string_view column, Dimension dimension) {
  if (const auto unit = column_label(column).unit; in_base_units(unit, dimension)) return unit;
  if (const std::size_t per = column.find("_per_"); per != std::string_view::npos) {
    const std::string_view unit = unit_in_name(column.substr(0, per), dimension);
    if (!unit.empty()) return unit;  // "power_w_per_gpu".
  }
  std::string_view rest = column;
  while (!rest.empty()) {
    const std::size_t cut = rest.find_last_of("_. ");
    const std::string_view word = cut == std::string_view::npos ? rest : rest.substr(cut + 1);
    rest = cut == std::string_view::npos ? std::string_view() : rest.substr(0, cut);
    const auto unit = word.size() > 1 ? canonical_unit(word) : std::nullopt;
    if (unit && in_base_units(*unit, dimension)) return *unit;
  }
  return {};
}

}  // namespace scalelaw
