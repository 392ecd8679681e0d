#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalelaw {

/// How many different values `n` has at these places.
std::size_t different_sizes(std::span<const double> n, std::span<const std::size_t> rows);

/// A budget has as many sizes at least.
inline constexpr std::size_t kLeastSizesOfBudget = 3;

/// The rows of runs that took about one compute, by compute: each follows the one before within a
/// step of 0.1 of its logarithm, over 0.34 (40 %) at most. So training curves are no budgets, and
/// neither are runs of fewer than three sizes.
///
/// @param n  The size of each run, > 0.
/// @param product  Its compute in any unit, > 0; rows where either is no such number are left out.
std::vector<std::vector<std::size_t>> rows_by_budget(std::span<const double> n,
                                                     std::span<const double> product);

}  // namespace scalelaw
