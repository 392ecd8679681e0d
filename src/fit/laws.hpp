#pragma once

#include "scalelaw/fit/law.hpp"

namespace scalelaw {

/// The law of a power law that breaks, whose intervals have a search of their own.
const Law& broken_law();

}  // namespace scalelaw
