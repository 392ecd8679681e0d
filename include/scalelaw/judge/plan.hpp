#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "scalelaw/judge/predict.hpp"

namespace scalelaw {

struct PlanOptions {
  double target = 0;                 ///< The x, > 0, at which a forecast is wanted.
  std::vector<double> candidates{};  ///< x to try; if empty, doubling from the least to the target.
  std::vector<std::uint32_t> repeats{};  ///< How often each; if empty, 1, 2 and 4.
  double power = 0.8;                    ///< Probability of detecting a change, in (0, 1).
  /// GPU-hours that one GPU takes for one unit of y; empty if y is no time or has no known unit.
  std::optional<double> hours_per_unit{};
};

/// How sharp the statements of a study are: by its fit's covariance, or by the widths of a
/// mixture's intervals over those of a normal distribution of standard deviation 1.
struct Sharpness {
  /// Standard error of beta, or of the last parameter without it. Empty for a mixture, whose laws
  /// have different ones.
  std::optional<double> exponent_se{};
  double curve_se = 0;  ///< Standard error of ln curve at the target.
  double run_se = 0;    ///< The same for ln y of one new run: curve and scatter.
  /// Least change of the exponent, and of ln curve at the target, that a second study of the same
  /// runs would detect (two-sided, at the fit's confidence).
  std::optional<double> detectable_exponent{};
  double detectable_log_time = 0;
};

/// Runs that could be added.
struct Addition {
  double x;
  std::uint32_t repeats;
  Sharpness after;
  double gain = 0;                    ///< Share by which curve_se falls.
  double gpu_time = 0;                ///< x times fitted time times repeats, in the unit of y.
  std::optional<double> gpu_hours{};  ///< The same in hours, where the unit of y is known.
};

struct Plan {
  Sharpness now;
  double x_max = 0;                      ///< The greatest measured x.
  std::vector<Addition> additions = {};  ///< The greatest gain first; at equal gains the cheaper.
};

/// Computes what further runs would add to a fit. Its information matrix is sigma^2 cov^-1; r runs
/// at x add r g g', where g is the gradient of ln curve (D-optimal design at the estimate;
/// Atkinson, Donev and Tobias 2007, ch. 17). sigma is taken as known, and the degrees of freedom
/// grow by r.
///
/// @throws FitError not-identifiable if the fit has no covariance.
/// @throws std::invalid_argument if an option is out of its range.
Plan plan_runs(const Fit& fit, const PlanOptions& options);

/// Computes what further runs would add to the forecast of cells. Of one law it is the plan of its
/// fit. Of a mixture it is the expected width of the curve's interval at the target: the mean
/// over outcomes of the further runs, equally probable under the mixture, of the interval that
/// predict would report with them (the preposterior analysis of Raiffa and Schlaifer 1961).
///
/// @throws FitError if there is no forecast or no covariance.
/// @throws std::invalid_argument if an option is out of its range.
Plan plan_runs(std::span<const Cell> cells, const ForecastOptions& how, const PlanOptions& options);

using GroupPlan = Grouped<Plan>;

/// Hands the plan of every group of runs to `sink`, in group order and one call at a time.
/// @param threads  0: all processors. The result does not depend on it.
void plan_each(const GroupedCells& runs, const ForecastOptions& how, const PlanOptions& options,
               int threads, const std::function<void(GroupPlan&&)>& sink);

/// The plan of a fit. Without a fit or a plan it has the reason.
GroupPlan plan_for(const GroupFit& fit, const PlanOptions& options);

}  // namespace scalelaw
