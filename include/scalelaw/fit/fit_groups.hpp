#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// fit_law with the reason in place of a FitError.
Outcome<Fit> fit_or_reason(std::span<const Cell> cells, const FitOptions& options,
                           std::uint64_t random_stream = 0);

/// Names the random stream of a group by its key, so that other groups do not change its draws.
std::uint64_t random_stream_of(const GroupKey& key);

/// Fits every group on `threads` threads (0: all processors). Hands the results to `sink` in group
/// order, one call at a time, from any thread, so that memory does not grow with the number of
/// groups. A group without a fit is a NoFit, not an error.
void fit_each(const GroupedCells& runs, const FitOptions& options, int threads,
              const std::function<void(GroupFit&&)>& sink);

/// The same, as a vector.
std::vector<GroupFit> fit_groups(const GroupedCells& runs, const FitOptions& options = {},
                                 int threads = 0);

}  // namespace scalelaw
