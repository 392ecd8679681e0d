#pragma once

#include <span>
#include <vector>

#include "scalelaw/energy/caps.hpp"

namespace scalelaw {

/// Curves over the setting at every N that has enough of them; none where the settings are no
/// numbers.
std::vector<SettingCurves> setting_curves(std::span<const SettingRuns> settings,
                                          const CapsOptions& options);

/// The number that a setting is ("250", "250 W"), if it is one.
std::optional<double> number_of_setting(std::string_view setting);

}  // namespace scalelaw
