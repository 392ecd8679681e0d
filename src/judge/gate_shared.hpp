#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "judge/gate_comparisons.hpp"

namespace scalelaw {

/// What nights say of the figure that stands for a group.
struct GroupNights {
  std::vector<NightFigure> nights;  ///< Of BASE.
  double after;                     ///< That of NEW,
  double after_variance;            ///< and its sampling variance.
};

/// The place of the comparison that stands for a group where all groups are taken together: of a
/// response with an interval, at the middle, or else the first one. Empty if there is none.
std::optional<std::size_t> place_of_share(const GateGroup& group);

/// The change that the groups of one response share, before its p values are adjusted. gate_fits
/// tells how.
/// @param groups  All of the response, in their order.
/// @param nights  Of the groups whose share was judged by nights, in their order.
/// @returns Empty if fewer than two groups have a share.
std::optional<SharedChange> shared_change(std::span<const GateGroup> groups,
                                          std::span<const GroupNights> nights,
                                          const NightJudging& rules);

}  // namespace scalelaw
