#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "judge/gate_comparisons.hpp"

namespace scalelaw {

/// A change that all groups of one response share, before its p values are adjusted.
struct SharedShift {
  std::size_t groups;
  GateComparison comparison;
};

/// The change that the groups of one response share, from one comparison of a response per group.
/// gate_fits tells how.
/// @param comparisons  Of all groups, in their order, with their changes.
/// @returns Empty for fewer than two groups with an interval.
std::optional<SharedShift> shared_change(std::span<OpenComparison* const> comparisons,
                                         const GateOptions& options);

}  // namespace scalelaw
