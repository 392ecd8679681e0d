#pragma once

#include <span>

#include "scalelaw/fit/pooling.hpp"
#include "statistics/bartlett.hpp"

namespace scalelaw {

/// One standard deviation for samples that share it, with Bartlett's test of that.
/// @param variances  At least one.
Pooling pooled_scatter(std::span<const SampleVariance> variances);

}  // namespace scalelaw
