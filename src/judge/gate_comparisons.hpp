#pragma once

#include <vector>

#include "scalelaw/judge/gate.hpp"

namespace scalelaw {

/// All comparisons of one group. They still lack what depends on other groups: p values adjusted
/// for their number, and verdicts. If a value is undefined, `reason` says so.
std::vector<GateComparison> comparisons_of(const Fit& base, const Fit& current,
                                           const GateOptions& options);

}  // namespace scalelaw
