#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fit/regression.hpp"

namespace scalelaw {

/// The input of a bootstrap: raw points, the residuals of the fit, and the linearisation that says
/// how parameters follow the response.
struct BootstrapProblem {
  const FitPoints* points;
  const Solution* solution;           ///< Rows, leverages and directions.
  std::span<const double> residuals;  ///< Residuals of the fitted curve.
  std::span<const double> theta;      ///< Working estimates.
  bool exactly_linear;                ///< theta follows the response as the linearisation does.
  /// Otherwise it refits points with other responses, or with masses if points were drawn twice.
  /// False if that does not converge.
  std::function<bool(FitPoints&, SmallVector& theta)> refit;
};

/// Bootstrap of the parameters with percentile and BCa intervals. Empty at dof 0.
///
/// The quantiles of both lie further out than 1.96 standard errors, at Student's t with n - p
/// degrees of freedom (Hesterberg's expanded percentiles). docs/explanation/coverage.md has the
/// coverage with and without.
///
/// Resamples come in blocks of 1,000, each with RandomStream(seed, random_stream, block).
///
/// @throws FitError not-identifiable for BootstrapKind::kCase if no x has two points.
///
/// Source: Davidson & Flachaire (2008) wild; Webb (2023) six points; Davison & Hinkley (1997), sec.
/// 6.2.3 residuals; Efron (1987) BCa, acceleration from the jackknife; Hesterberg (2015), sec. 4.4,
/// expanded percentiles.
std::optional<Bootstrap> bootstrap_of(const BootstrapProblem& problem, const FitOptions& options,
                                      std::uint64_t random_stream);

/// The standard deviation and expanded percentiles of draws, which are sorted.
/// @param reach  Normal quantile of the interval.
BootstrapEstimate percentile_estimate(std::vector<double>& draws, double reach);

/// The two probabilities at which BCa takes its quantiles; nothing where they are undefined (all
/// resamples on one side of the estimate, or an acceleration too large for `reach`).
///
/// @param share_below  Share of resamples below the estimate; ties count half.
/// @param reach  Normal quantile of the interval without bias and acceleration; 1.96 for 95 %.
std::optional<Interval> bca_probabilities(double share_below, double acceleration, double reach);

/// sum d^3 / (6 (sum d^2)^1.5) of deviations d = mean - value (Efron 1987, eq. 7.3); 0 if all are
/// 0.
double jackknife_acceleration(std::span<const double> jackknife_values);

}  // namespace scalelaw
