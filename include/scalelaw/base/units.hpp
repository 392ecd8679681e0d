#pragma once

#include <optional>
#include <string_view>

namespace scalelaw {

/// A number with the unit written behind it; `unit` is empty where there is none.
struct Quantity {
  double value;
  std::string_view unit;  ///< A view of the canonical spelling ("s", "W", "MHz", "%", "MiB", ...):
                          ///< static storage.
};

/// Reads "153.20 W", "87 %", "1380MHz" or a plain number; nothing if the number or the unit is not
/// known.
std::optional<Quantity> parse_quantity(std::string_view text);

/// The canonical spelling of a unit ("seconds" -> "s", "watts" -> "W"), or nothing if the word is
/// no unit.
std::optional<std::string_view> canonical_unit(std::string_view word);

/// A column's name and unit, taken from a header cell.
struct ColumnLabel {
  std::string_view name;  ///< Without the bracketed unit: "power.draw [W]" -> "power.draw".
  std::string_view
      unit;  ///< Canonical; empty where neither brackets nor the name's last word give one.
};

/// Splits a header cell such as "power.draw [W]"; a last word such as _w, _mhz, _s, _seconds gives
/// the unit too.
ColumnLabel column_label(std::string_view header);

/// What a column of measurements is of.
enum class Dimension { kTime, kEnergy, kPower };

/// How many seconds, joules or watts one `unit` (canonical spelling) is; nothing if it is a unit of
/// something else.
std::optional<double> in_base_units(std::string_view unit, Dimension dimension);

/// The canonical unit of that dimension which a word of a column's name spells, the last such one:
/// "energy_kj_official" -> "kJ". Words of one letter count only at the end. Empty if there is none.
std::string_view unit_in_name(std::string_view column, Dimension dimension);

}  // namespace scalelaw
