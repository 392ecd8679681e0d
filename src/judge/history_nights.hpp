#pragma once

#include <span>
#include <vector>

#include "scalelaw/judge/history.hpp"

namespace scalelaw {

/// The nights of a history that stand apart from the levels of their label, as a gate finds them
/// (levels_of): of ln of the curve where it is followed, else of the parameter.
std::vector<NightApart> nights_apart(const History& history, const HistoryQuestion& question);

/// The same groups, in which these nights keep their places and do not count.
std::vector<GroupHistory> without_figures_of(std::span<const NightApart> nights,
                                             std::vector<GroupHistory> groups);

}  // namespace scalelaw
