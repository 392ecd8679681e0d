#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/gate_comparisons.hpp"
#include "scalelaw/judge/gate.hpp"

namespace scalelaw {

/// What the nights of BASE show in one figure of one group.
struct SeriesNews {
  const GatePair* pair;
  GroupKey group;
  std::string figure;
  bool less_is_better = false;
  bool stands_for_group = false;  ///< Whether nights that stand apart are named by it.
  std::optional<double> x = {};   ///< Of a curve: where it is looked at.
  std::vector<NightNews> news = {};
};

/// What a night of BASE is called, by its place among them.
std::string name_of_night(const GatePair& pair, std::size_t night);

/// @param series  How many were looked at, by which p values are adjusted (Bonferroni).
/// @returns The surest of the last changes; empty if none is shown.
std::optional<BaseChange> change_of_base(std::span<const SeriesNews> all, std::size_t series,
                                         double confidence);

/// The nights of BASE that are shown to stand apart, the oldest first.
std::vector<NightApart> nights_apart(std::span<const SeriesNews> all, std::size_t series,
                                     double confidence);

}  // namespace scalelaw
