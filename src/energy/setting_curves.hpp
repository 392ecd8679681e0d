#pragma once

#include <span>

#include "scalelaw/energy/caps.hpp"

namespace scalelaw {

/// Adds curves over the setting at every N that has enough of them, and counts the N that have too
/// many; none where the settings are no numbers.
void add_curves(std::span<const SettingRuns> settings, const CapsOptions& options, Caps& caps);

}  // namespace scalelaw
