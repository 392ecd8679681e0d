#pragma once

#include <span>

#include "scalelaw/judge/rank.hpp"

namespace scalelaw {

/// Power against floor. Draws follow the fitted power law with its sigma, because the likelihood
/// ratio depends on both. Empty if either law has no degrees of freedom or fits exactly. The first
/// 20 draws that exceed the statistic settle p (Besag and Clifford 1991).
std::optional<BootstrapTest> test_floor(std::span<const Cell> cells, const Fit& power,
                                        const Fit& floor, const RankOptions& options,
                                        std::uint64_t random_stream);

/// Power against broken. The likelihood ratio does not depend on beta or sigma, so its distribution
/// depends on the x alone: groups with the same x share their draws. Empty for exact fits, and if
/// every break has fewer than three different x on one side.
std::optional<BootstrapTest> test_broken(std::span<const Cell> cells, const Fit& power,
                                         const RankOptions& options);

}  // namespace scalelaw
