#pragma once

#include "scalelaw/fit/law.hpp"

namespace scalelaw {

/// The laws of the registry in law.cpp, one source per law.
const Law& power_law();
const Law& lognormal_law();
const Law& floor_law();
const Law& amdahl_law();
const Law& usl_law();
const Law& broken_law();
const Law& linear_law();
const Law& proportional_law();
const Law& chinchilla_law();  ///< Over two x.

}  // namespace scalelaw
