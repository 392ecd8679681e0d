#pragma once

#include <optional>
#include <string_view>

namespace scalelaw {

/// A setting that is a number, with its unit.
struct SettingNumber {
  double value = 0;       ///< In W, MHz, s or J if the unit measures power, frequency, time or
                          ///< energy; else as written.
  std::string_view unit;  ///< That unit, in static storage; empty if the setting names none.
};

/// The number and unit of "250", "250 W" or "0.25 kW" (250, "W"); empty if it is no number.
std::optional<SettingNumber> setting_number(std::string_view setting);

/// Whether two spellings name one setting: equal texts, or equal numbers whose units agree or of
/// which one has no unit ("250", "250.0", "250 W", "0.25 kW").
bool same_setting(std::string_view a, std::string_view b);

/// Watts of a power limit; a number without a unit is taken as watts. Empty for other units and for
/// numbers that are not above 0.
std::optional<double> watts_of_setting(std::string_view setting);

}  // namespace scalelaw
