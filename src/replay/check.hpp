#pragma once

#include <stdexcept>

#include "scalelaw/replay/simulate.hpp"

namespace scalelaw {

/// @throws std::invalid_argument if eta is not in [0, 1] or beta is below 1.
inline void check(const ReplaySettings& settings) {
  if (!(settings.policy.eta >= 0 && settings.policy.eta <= 1)) {
    throw std::invalid_argument("eta is not in [0, 1]");
  }
  if (!(settings.beta >= 1)) throw std::invalid_argument("beta is below 1");
}

}  // namespace scalelaw
