#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/nights.hpp"
#include "scalelaw/judge/gate.hpp"

namespace scalelaw {

/// A figure of one group in the nights of BASE.
struct BaseSeries {
  const GatePair* pair;
  GroupKey group;
  std::string figure;
  std::vector<NightFigure> nights;
  bool is_of_response = false;  ///< As those of its comparison.
  bool less_is_better = false;
  bool is_middle = false;
  std::optional<double> x = {};  ///< Of a curve: where it is looked at.
};

/// What a night of BASE is called, by its place among them.
std::string name_of_night(const GatePair& pair, std::size_t night);

/// Looks for a change of level in each series as `history` does, by the same test, with p values
/// adjusted for all series (Holm 1979).
/// @returns The change with the greatest statistic; empty if none is shown.
std::optional<BaseChange> change_of_base(const std::vector<BaseSeries>& series,
                                         const GateOptions& options);

}  // namespace scalelaw
