#pragma once

#include <optional>
#include <string_view>

namespace scalelaw {

/// A number and the unit that follows it; `unit` is empty if there is none.
struct Measure {
  double value;
  std::string_view unit;  ///< The canonical spelling ("s", "W", "MHz", "%", "MiB", ...), in static
                          ///< storage.
};

/// Reads "153.20 W", "87 %", "1380MHz" or a plain number; empty if either is unknown.
std::optional<Measure> parse_measure(std::string_view text);

/// The canonical spelling of a unit ("seconds" -> "s", "watts" -> "W"); empty if it is none.
std::optional<std::string_view> canonical_unit(std::string_view word);

/// A column's name and unit, taken from a header cell.
struct ColumnLabel {
  std::string_view name;  ///< Without the bracketed unit: "power.draw [W]" -> "power.draw".
  std::string_view unit;  ///< Canonical; empty if neither brackets nor the last word give one.
};

/// Splits a header cell such as "power.draw [W]" or "Time(s)". A last word such as _w, _mhz, _s or
/// _seconds also gives the unit.
ColumnLabel column_label(std::string_view header);

/// What a column of measurements measures.
enum class Dimension { kTime, kEnergy, kPower };

/// How many seconds, joules or watts one `unit` (canonical spelling) is; empty if it measures
/// something else.
std::optional<double> in_base_units(std::string_view unit, Dimension dimension);

/// The canonical unit of that dimension in a column's name, from its last such word:
/// "energy_kj_official" -> "kJ". Words of one letter count only at the end. Empty if there is none.
std::string_view unit_in_name(std::string_view column, Dimension dimension);

}  // namespace scalelaw
