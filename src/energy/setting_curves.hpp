#pragma once

#include <span>

#include "scalelaw/energy/caps.hpp"

namespace scalelaw {

/// Adds curves over the setting at every N with enough settings, and counts the N with too many.
/// Adds none if the settings are no numbers.
void add_curves(std::span<const SettingRuns> settings, const CapsOptions& options, Caps& caps);

}  // namespace scalelaw
