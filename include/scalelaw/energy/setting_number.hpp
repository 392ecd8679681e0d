#pragma once

#include <optional>
#include <string_view>

namespace scalelaw {

/// A setting that is a number.
struct SettingNumber {
  double value = 0;       ///< In W, MHz, s or J where the unit is one of power, frequency, time or
                          ///< energy; else as it stands.
  std::string_view unit;  ///< That unit; empty where the setting names none. Static storage.
};

/// The number of "250", "250 W" or "0.25 kW" (250, "W"); nothing if the setting is no number.
std::optional<SettingNumber> setting_number(std::string_view setting);

/// Whether two spellings name one setting: the same text, or the same number, in units that agree
/// or of which one is left out ("250", "250.0", "250 W", "0.25 kW").
bool same_setting(std::string_view a, std::string_view b);

/// W of a power limit; of one without a unit its number. Nothing for other units and for numbers
/// that are not above 0.
std::optional<double> watts_of_setting(std::string_view setting);

}  // namespace scalelaw
