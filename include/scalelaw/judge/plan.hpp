#pragma once

#include <optional>
#include <span>
#include <vector>

#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

struct PlanOptions {
  double target = 0;                 ///< x at which a forecast is wanted, > 0.
  std::vector<double> candidates{};  ///< x that could be measured; empty: doubling over the data
                                     ///< and on to the target.
  std::vector<std::uint32_t> repeats{};  ///< How often each; empty: 1, 2, 4.
  double power = 0.8;                    ///< With which a change is to be detected, in (0, 1).
};

/// What a study can tell, by its fit's covariance.
struct Sharpness {
  double exponent_se;  ///< Of beta, or of the last parameter of a law without.
  double curve_se;     ///< Of ln curve at the target.
  double run_se;       ///< Of ln y of one new run there: curve and scatter.
  /// Least change of the exponent, and of ln curve at the target, that a second study of the same
  /// runs would show (two-sided, at the fit's confidence).
  double detectable_exponent;
  double detectable_log_time;
};

/// Runs that could be added.
struct Addition {
  double x;
  std::uint32_t repeats;
  Sharpness after;
  double gain;      ///< By which share curve_se falls.
  double gpu_time;  ///< x times fitted time times repeats, in the unit of y.
};

struct Plan {
  Sharpness now;
  std::vector<Addition> additions;  ///< The greatest gain first; of equal gains the cheaper.
};

/// What further runs would add to a fit: the information matrix sigma^2 cov^-1 plus r g g' for r
/// runs at x, g the gradient of ln curve there (D-optimal design at the estimate; Atkinson, Donev
/// and Tobias 2007, ch. 17). sigma is taken as known, degrees of freedom grow by r.
///
/// @throws FitError not-identifiable if the fit has no covariance.
/// @throws std::invalid_argument if options are not what they must be.
Plan plan_runs(const Fit& fit, const PlanOptions& options);

}  // namespace scalelaw
