#pragma once

#include "scalelaw/fit/law.hpp"

namespace scalelaw {

/// The laws of the registry in law.cpp, one source each.
const Law& power_law();
const Law& linear_law();
const Law& proportional_law();

}  // namespace scalelaw
