#pragma once

#include <optional>
#include <vector>

#include "judge/base_changes.hpp"
#include "scalelaw/judge/gate.hpp"

namespace scalelaw {

/// The nights of BASE that stand apart from the others, the oldest first.
///
/// Model: figures of nights are independent and normal about one level. The figure that stands for
/// a group is the response in the middle, else at the first place, and where several groups have
/// all nights, their mean is one more series. In each series the nights are ordered by their
/// distance from the median. With the m farthest ones set apart, the statistic is the distance of
/// the m-th from the mean of the rest over its standard error, for m = 1 up to a third of the
/// nights. Simulation with as many nights gives the p value of each, and of the least one. Those of
/// the groups are adjusted for their number (Holm 1979), and half of 1 - confidence is left to the
/// means where there are several groups: at most 1 - confidence of all gates name a night although
/// none differs.
///
/// @param series  Of all comparisons; those of a group follow one another. Those with fewer than
/// four nights are not judged.
/// @returns None if `options.change` has no draws. Nights that `change` parts from the others are
/// those of another level, and are left to it unless it is one night.
/// Source: Davies and Gather, The identification of multiple outliers, J. Am. Stat. Assoc. 88
/// (1993) 782; docs/explanation/gate.md.
std::vector<NightApart> nights_apart(const std::vector<BaseSeries>& series,
                                     const std::optional<BaseChange>& change,
                                     const GateOptions& options);

}  // namespace scalelaw
