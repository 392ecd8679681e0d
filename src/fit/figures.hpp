#pragma once

#include "fit/regression.hpp"

namespace scalelaw {

/// Below it, a check of what a fit assumes speaks against it.
inline constexpr double kSmallP = 0.01;

/// The working parameters that the reported ones of a finished fit imply.
SmallVector working_parameters(const Fit& fit);

/// An interval of a working parameter as reported. An open end stays open, where exp would make it
/// 0.
Interval reported_interval(const ParameterSpec& spec, const Interval& working);

/// A fit before it is solved: law, scale, n, distinct_x, range of x, dof and confidence.
Fit fit_of(const FitPoints& points, double confidence);

/// Fills parameters, log_alpha and covariance: estimates on the reported scale, with standard
/// errors, intervals and tests if `covariance` is given, and with classic errors if `classic` is.
///
/// @throws FitError not-identifiable if a positive parameter leaves the range of double.
void fill_parameters(Fit& fit, std::span<const double> theta, const Covariance* covariance,
                     const Covariance* classic);

/// Marks the parameters that are on a bound, and removes their errors and tests.
void mark_bounds(Fit& fit, const Solution& solution);

/// Gives parameters that the law holds (Law::constraint) their values, and those that are tied all
/// that the fit says of the parameter that they equal, the bootstrap's figures included.
void fill_held(Fit& fit);

/// Sets a kink at an x to exactly that x, from which exp(ln x) may differ.
void place_kink(Fit& fit, const FitPoints& points, const Solution& solution);

/// Fills sigma and R2.
void fill_explained(Fit& fit, const FitPoints& points, const Solution& solution);

/// Fills likelihood and information criteria, except for an exact fit.
void fill_likelihood(Fit& fit, const FitPoints& points, const Solution& solution);

/// The same from the residual sum of squares of n points of equal weight.
/// @param fitted  Parameters that were fitted, without sigma.
void fill_likelihood(Fit& fit, std::size_t fitted, double log_weights = 0);

/// Fills F, curvature, lack of fit, Cook's distance and the trend of the scatter.
void fill_least_squares_figures(Fit& fit, const FitPoints& points, const Solution& solution);

/// Fills figures of the curve in the unit of y: rmse, mape, smearing, speedup.
/// @param residuals  One per cell, on the scale of the fit.
void fill_curve_figures(Fit& fit, const FitPoints& points, std::span<const double> residuals);

/// Appends the warnings that follow from the figures.
void fill_warnings(Fit& fit, const FitOptions& options);

/// Replaces the intervals of the parameters by profile likelihood; the earlier ones become wald_ci.
/// Changes nothing at dof 0 and for exact fits.
///
/// An interval contains the values v around the estimate with RSS(v) <= RSS (1 + t^2 / (n - p)).
/// For a kink, these may form several stretches, and the interval reaches to the last. It ends at
/// the parameter's bound if that is among them. It is open if even the farthest values are not
/// rejected.
///
/// Source: Bates and Watts (1988), Nonlinear Regression Analysis, sec. 6.1.
void fill_profile_intervals(Fit& fit, const FitPoints& points, const Solution& solution);

}  // namespace scalelaw
