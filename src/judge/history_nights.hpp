#pragma once

#include <span>
#include <vector>

#include "scalelaw/judge/history.hpp"

namespace scalelaw {

/// The nights of a history that stand apart from the others of their label, by the test of
/// apart_in_each() over all its series: of ln of the curve where it is followed, else of the
/// parameter. Those at an end of their label, two or more in a row and to the same side, are rather
/// another level, and are left out.
std::vector<NightApart> nights_apart(const History& history, const HistoryQuestion& question);

/// The same groups, in which these nights keep their places and do not count.
std::vector<GroupHistory> without_figures_of(std::span<const NightApart> nights,
                                             std::vector<GroupHistory> groups);

}  // namespace scalelaw
