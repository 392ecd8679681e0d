#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

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
