#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "judge/gate_comparisons.hpp"

namespace scalelaw {

/// The change of one group, by the comparison of a response that stands for it.
struct GroupShift {
  double estimate;
  double se;
  double dof;
  double loss_limit;                     ///< Of the comparison,
  bool less_is_better;                   ///< as there.
  bool has_nights;                       ///< Whether nights of BASE are known to differ.
  std::vector<NightFigure> nights = {};  ///< The figures of these nights,
  double after = 0;                      ///< that of NEW,
  double after_variance = 0;             ///< and its sampling variance.
};

/// One shift per group that has an interval: at the middle, or else at the first place. The
/// comparisons of a group follow one another and begin with its exponents or with its first place.
/// @param comparisons  Of whole groups, in their order, with their changes.
void append_shifts(std::vector<GroupShift>& shifts, std::span<OpenComparison* const> comparisons);

/// A change that all groups of one response share, before its p values are adjusted.
struct SharedShift {
  std::size_t groups;
  GateComparison comparison;
};

/// The change that the groups of one response share. gate_fits tells how.
/// @param shifts  Of all groups, in their order.
/// @returns Empty for fewer than two.
std::optional<SharedShift> shared_change(std::span<const GroupShift> shifts,
                                         const GateOptions& options);

}  // namespace scalelaw
