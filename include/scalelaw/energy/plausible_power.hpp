#pragma once

#include <span>
#include <string>

namespace scalelaw {

/// A warning if some runs drew less than 5 W or more than 2,000 W per GPU, as
/// implausible_power_warning() of measured runs. Empty otherwise.
/// @param watts  Of one GPU in each run; NaN where they are not known.
std::string odd_power_warning(std::span<const double> watts);

}  // namespace scalelaw
