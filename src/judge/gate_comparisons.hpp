#pragma once

#include <vector>

#include "scalelaw/judge/gate.hpp"

namespace scalelaw {

/// All that is compared of one group, without what depends on other groups: p values adjusted for
/// their number, and verdicts. Where something is undefined, `reason` says so.
std::vector<GateComparison> comparisons_of(const Fit& base, const Fit& current,
                                           const GateOptions& options);

}  // namespace scalelaw
