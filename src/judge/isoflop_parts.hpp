#pragma once

#include <optional>
#include <span>
#include <vector>

#include "judge/isoflop_profiles.hpp"
#include "scalelaw/judge/isoflop.hpp"

namespace scalelaw {

/// The computes at which optima are told: those of budgets and those that were asked for.
struct AskedComputes {
  std::vector<double> budgets;
  std::vector<double> targets;
};

/// Rows whose computes follow each other closely, or that have one value of the budget's column, by
/// compute; those of fewer than three sizes are no budget.
std::vector<IsoflopBudget> find_budgets(const SurfaceRuns& runs, const IsoflopOptions& options);

/// An estimate of ln n at a compute as an optimum.
IsoflopOptimum optimum_of(const Estimate& log_n, double compute, const IsoflopOptions& options);

/// The path whose exponent of n is this one.
IsoflopPath path_with(const Estimate& n_exponent);

/// Approach 1: the run of least loss at each compute.
/// @throws FitError too-few-points if the runs are no training curves that overlap.
IsoflopPath path_of_curves(const SurfaceRuns& runs, const AskedComputes& asked,
                           const IsoflopOptions& options);

/// Approach 2. Marks budgets whose minimum lies outside or at the edge of their sizes.
/// @throws FitError too-few-points without two budgets that have a minimum.
IsoflopPath path_of_profiles(ProfileShape shape, const SurfaceRuns& runs,
                             std::vector<IsoflopBudget>& found, const AskedComputes& asked,
                             const IsoflopOptions& options);

/// Approach 3.
/// @throws FitError as fit_surface, and not-identifiable if an exponent is not positive.
IsoflopPath path_of_surface(const SurfaceRuns& runs, std::span<const IsoflopBudget> found,
                            const AskedComputes& asked, const IsoflopOptions& options);

}  // namespace scalelaw
