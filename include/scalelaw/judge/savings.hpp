#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/fit/shared.hpp"
#include "scalelaw/judge/contrast.hpp"

namespace scalelaw {

/// How much less of the scale one recipe needs than another for the same loss.
struct SavingsOptions {
  FitOptions fit = {};              ///< The law: "power", "floor" or "chinchilla", and its errors.
  std::vector<std::string> shared;  ///< Parameters of the common shape; empty: those of the law.
  std::optional<double> at;         ///< The loss at which separate laws are compared.
};

/// Two recipes: ln of what the second needs over what the first needs, of x or, for a law of
/// several x, of their product with the best split.
struct SavingPair {
  std::size_t first = 0;                  ///< Index of the recipe in Savings::recipes.
  std::size_t second = 0;                 ///< Index of the other, which is greater.
  std::optional<Estimate> common = {};    ///< With the shared parameters.
  std::optional<Estimate> separate = {};  ///< With laws of their own, at Savings::at.
};

struct Savings {
  std::vector<GroupKey> recipes;  ///< Those with a fit.
  std::vector<OmittedLevel> omitted;
  double at = 0;  ///< The given loss, or the least that all recipes reached.
  std::shared_ptr<const Sharing> sharing;
  std::vector<SavingPair> pairs;
};

/// The parameters that laws of one shape share: all but prefactors.
std::vector<std::string> shape_of(const Law& law);

/// Compares the recipes by a joint fit with a common shape and by separate fits.
///
/// Under a common shape (all parameters but the prefactors are shared) the ratio is one number. Its
/// interval is by the delta method on its logarithm with the joint covariance, with Student's t.
/// That of separate laws has the degrees of freedom of Satterthwaite (1946).
///
/// @throws FitError if fewer than two recipes have a fit, or as fit_shared.
/// @throws DataError if the law has no inverse for a loss.
///
/// Source: docs/explanation/shared-parameters.md. Checked against scipy.
Savings savings_of(std::span<const CurveRuns> recipes, const SavingsOptions& options);
Savings savings_of(std::span<const SurfaceRuns> recipes, const SavingsOptions& options);

using GroupSavings = Grouped<Savings>;

/// The savings of each group.
/// @param recipes  Those of a group stand together. Their keys are the group and `factors` columns
///                 that tell recipes apart. Runs are CurveRuns or SurfaceRuns.
template <class Runs>
std::vector<GroupSavings> savings_by_group(std::vector<Runs> recipes, std::size_t factors,
                                           const SavingsOptions& options);

}  // namespace scalelaw
