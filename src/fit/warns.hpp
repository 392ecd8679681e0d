#pragma once

#include <algorithm>

#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// Whether a fit has that warning.
inline bool warns(const Fit& fit, WarningCode code) {
  return std::ranges::find(fit.warnings, code) != fit.warnings.end();
}

}  // namespace scalelaw
