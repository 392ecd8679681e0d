#pragma once

#include <span>

#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/judge/rank.hpp"

namespace scalelaw {

/// The options by which rank fits a law: least squares of ln y, with those figures.
FitOptions ranking_fit_options(const Law& law, const RankOptions& options, Figures figures);

/// Fits each law without the points at the greatest x and scores it there. Empty if no law can be
/// fitted to the rest.
std::optional<HoldOut> hold_out(std::span<const Cell> cells, std::span<const Law* const> laws,
                                const RankOptions& options);

/// The exponent of the power law on parts of the points.
Stability stability_of(std::span<const Cell> cells, const RankOptions& options);

/// What a ranking means, in plain words.
std::string sentence_on(const Ranking& ranking, const RankOptions& options);

}  // namespace scalelaw
