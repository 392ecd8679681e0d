#pragma once

#include <span>
#include <string>

namespace scalelaw {

/// A column of powers.
struct PowerColumn {
  std::string name = {};  ///< Empty: what was measured is an energy, or is not known.
  bool is_total = false;  ///< The power of all GPUs of a run, and not of one.
};

/// A warning if some runs drew less than 5 W or more than 2,000 W per GPU, as
/// implausible_power_warning() of measured runs. Empty otherwise.
/// @param watts  Of one GPU in each run; NaN where they are not known.
std::string odd_power_warning(std::span<const double> watts, const PowerColumn& power = {});

}  // namespace scalelaw
