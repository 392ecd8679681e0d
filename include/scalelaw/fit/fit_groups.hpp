#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
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

/// What the groups share: the first of two passes. Fits under FitOptions::pooling are the second.
///
/// Model: groups have curves of their own and one residual variance (divided by the weights). The
/// pooled variance is the sum of their residual sums of squares over the sum of their degrees of
/// freedom. For the power law it is that of one regression of ln y on group and group times ln x.
/// Groups without a fit or without degrees of freedom are passed over.
///
/// Under Pool::kSlopes the exponents are also draws from one normal distribution, whose mean and
/// standard deviation, with sigma, are those of restricted maximum likelihood. Every group
/// with a line counts for it.
///
/// @param options  As for fit_each, with FitOptions::pool other than kNone.
/// @param threads  0: all processors. The result does not depend on it.
/// @return Null if no group has degrees of freedom; under Pool::kSlopes also if there are fewer
/// than three lines, or none scatters.
/// @throws std::invalid_argument if the options do not go with pooling.
///
/// Source: docs/explanation/pooling.md. Checked against R's lm, bartlett.test and lme4.
std::shared_ptr<const Pooling> pool_groups(const GroupedCells& runs, const FitOptions& options,
                                           int threads = 0);

/// The same for groups whose cells are at hand, each sorted by x.
std::shared_ptr<const Pooling> pool_groups(std::span<const std::vector<Cell>> groups,
                                           const FitOptions& options);

}  // namespace scalelaw
