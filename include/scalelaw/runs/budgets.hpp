#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalelaw {

/// How many different values `n` has at these places.
std::size_t different_sizes(std::span<const double> n, std::span<const std::size_t> rows);

/// A budget has as many sizes at least.
inline constexpr std::size_t kLeastSizesOfBudget = 3;

/// The rows of runs that took about one compute, by compute.
///
/// The densest stretch of 0.15 in ln compute (16 %) is a budget, and so on left and right of it.
/// Those with fewer than a quarter of the runs of the largest one, or fewer than three sizes, are
/// runs that happen to lie there. There are no budgets where they would fill more than half of the
/// range, as points of training curves do.
///
/// @param n  The size of each run, > 0.
/// @param product  Its compute in any unit, > 0; rows where either is no such number are left out.
std::vector<std::vector<std::size_t>> rows_by_budget(std::span<const double> n,
                                                     std::span<const double> product);

}  // namespace scalelaw
