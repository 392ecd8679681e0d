#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// How likely the points are, relative to the fit, with a parameter held and the others at best.
struct LikelihoodPoint {
  double value;  ///< On the reported scale.
  /// ln of the ratio, -n/2 ln(RSS(value) / RSS), at most 0. Empty if no fit converges.
  std::optional<double> log_ratio;
  /// The same if RSS(value) follows the tangent at the estimate, RSS (1 + t^2 / (n - p)), as Wald's
  /// interval assumes. Empty if the parameter has no standard error.
  std::optional<double> wald_log_ratio;
};

/// The likelihood of the values of one parameter.
struct LikelihoodProfile {
  Parameter parameter;  ///< ci is the profile's, wald_ci Wald's; both are set even if equal.
  double confidence = 0.95;
  double cut = 0;  ///< The log ratio at the ends of the intervals: -n/2 ln(1 + t^2 / (n - p)).
  std::vector<LikelihoodPoint> points;  ///< By value, and a little beyond both intervals.
};

/// The parameter that says how a law scales: beta, else the second one, else the only one.
std::string_view exponent_name(const Law& law);

/// The profile likelihood of a parameter under the model of fit_law. For laws that are linear on
/// the scale of the fit it is known exactly and equals Wald's. For others the remaining parameters
/// are fitted again at every value, by the search that finds the intervals of fit_law.
///
/// @param parameter  Its name in the law.
/// @throws FitError without a fit or degrees of freedom, and for exact fits, which have no bound.
/// @throws DataError if the law has no such parameter. Also if the options request robust fits or
/// standard errors other than classic, since a profile assumes even scatter.
///
/// Source: Bates and Watts (1988), Nonlinear Regression Analysis, sec. 6.1.
LikelihoodProfile likelihood_profile(std::span<const Cell> cells, const FitOptions& options,
                                     std::string_view parameter);

}  // namespace scalelaw
