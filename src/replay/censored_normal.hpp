#pragma once

#include <optional>
#include <span>

#include "replay/bandit.hpp"

namespace scalelaw {

/// Mean and standard deviation of an arm's cost.
struct CostSpread {
  double mean = 0;
  double deviation = 0;
};

/// The prior of the variance is worth this many costs.
inline constexpr double kPriorDof = 4;

/// Draws mean and deviation of normal costs from their posterior. The mean has a flat prior, the
/// variance a scaled inverse chi-squared prior with kPriorDof degrees of freedom. Some costs were
/// seen; for others only a lower bound is known (right-censored).
///
/// Without stopped runs the draw is exact. Otherwise it is the next state of a Markov chain with
/// that posterior: slice sampling (Neal 2003) on the likelihood itself, in (mean - mean of the
/// costs seen) / deviation and in the logarithm of the deviation. The posterior has a width of
/// about 1 in both. The effort grows with the number of different bounds, not of runs.
class CensoredNormal {
 public:
  /// @param costs          At least one.
  /// @param prior_squares  kPriorDof times the prior's variance, from 0.
  CostSpread draw(RandomSource& random, const CostMoments& costs,
                  std::span<const StoppedRuns> stopped, double prior_squares);

 private:
  std::optional<CostSpread> state_;
  double seen_ = 0;  ///< How many runs the state has taken in.
};

}  // namespace scalelaw
