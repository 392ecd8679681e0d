#pragma once

#include <span>

#include "scalelaw/judge/rank.hpp"

namespace scalelaw {

/// Power against floor: draws follow the fitted power law with its sigma, for the likelihood ratio
/// depends on both. Nothing where either has no degrees of freedom or fits exactly.
///
/// A p is settled by its first 20 draws that exceed the statistic (Besag and Clifford 1991).
std::optional<BootstrapTest> test_floor(std::span<const Cell> cells, const Fit& power,
                                        const Fit& floor, const RankOptions& options,
                                        std::uint64_t random_stream);

/// Power against broken. Neither beta nor sigma moves the likelihood ratio, so that its
/// distribution belongs to the x alone: groups with the same x share their draws. Nothing with
/// fewer than three different x on either side of every break, or for exact fits.
std::optional<BootstrapTest> test_broken(std::span<const Cell> cells, const Fit& power,
                                         const RankOptions& options);

}  // namespace scalelaw
