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

/// The budgets of a group, by compute, and what was left out of them.
struct FoundBudgets {
  std::vector<IsoflopBudget> budgets;
  std::vector<IsoflopOutlier> outliers;
  std::size_t runs = 0;  ///< Of budgets, with those left out.
  double within = 0;
  double farthest = 1;
};

/// Rows whose computes follow each other closely, or that have one value of the budget's column;
/// those of fewer than three sizes are no budget.
FoundBudgets find_budgets(const SurfaceRuns& runs, const IsoflopOptions& options);

/// An estimate of ln n at a compute as an optimum.
IsoflopOptimum optimum_of(const Estimate& log_n, double compute, const IsoflopOptions& options);

/// The path whose exponent of n is this one.
IsoflopPath path_with(const std::optional<Estimate>& n_exponent);

/// Approach 2. Marks budgets whose minimum lies outside or at the edge of their sizes. One budget
/// alone has an optimum, and neither exponents nor optima at other computes.
/// @throws FitError too-few-x without a budget that has a minimum, too-few-points without degrees
/// of freedom.
IsoflopPath path_of_profiles(ProfileShape shape, const SurfaceRuns& runs,
                             std::vector<IsoflopBudget>& found, const AskedComputes& asked,
                             const IsoflopOptions& options);

}  // namespace scalelaw
