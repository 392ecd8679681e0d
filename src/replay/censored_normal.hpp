#pragma once

#include <optional>
#include <span>

#include "replay/arms.hpp"

namespace scalelaw {

/// Mean and standard deviation of an arm's cost.
struct CostSpread {
  double mean = 0;
  double deviation = 0;
};

/// How many costs the prior of the variance is worth.
inline constexpr double kPriorDof = 4;

/// Draws mean and deviation of normal costs from their posterior: flat prior of the mean, scaled
/// inverse chi-squared prior of the variance (kPriorDof degrees of freedom), costs that were seen
/// and costs of which only a bound below them is known (right-censored).
///
/// Without stopped runs the draw is exact. Otherwise it is the next state of a Markov chain with
/// that posterior: slice sampling (Neal 2003) on the likelihood itself, in (mean - mean of the
/// costs seen) / deviation and the logarithm of the deviation, whose posterior is of the size of 1
/// in both directions. The effort grows with the number of different bounds, not of runs.
class CensoredNormal {
 public:
  /// @param costs          At least one.
  /// @param prior_squares  kPriorDof times the prior's variance, from 0.
  CostSpread draw(RandomSource& random, const CostMoments& costs,
                  std::span<const StoppedRuns> stopped, double prior_squares);

 private:
  std::optional<CostSpread> state_;
  double seen_ = 0;  ///< Runs that the state has heard of.
};

}  // namespace scalelaw
