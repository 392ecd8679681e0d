#pragma once

#include "fit/covariance.hpp"
#include "fit/regression.hpp"

namespace scalelaw {

/// theta from the reported parameters of a finished fit.
SmallVector working_parameters(const Fit& fit);

/// What is known of a fit before it is solved: law, scale, n, distinct_x, range of x, dof,
/// confidence.
Fit fit_of(const FitPoints& points, double confidence);

/// Estimates on the reported scale, with standard errors, intervals and tests where `covariance` is
/// given and classic errors beside them where `classic` is. Fills parameters, log_alpha and
/// covariance.
///
/// @throws FitError not-identifiable if a positive parameter leaves the range of double.
void fill_parameters(Fit& fit, std::span<const double> theta, const Covariance* covariance,
                     const Covariance* classic);

/// Says which parameters stand on a bound, and takes from those errors and tests.
void mark_bounds(Fit& fit, const Solution& solution);

/// A kink that lies on an x is that x, which exp(ln x) need not be.
void place_kink(Fit& fit, const FitPoints& points, const Solution& solution);

/// sigma and R2.
void fill_explained(Fit& fit, const FitPoints& points, const Solution& solution);

/// Likelihood and information criteria; nothing for an exact fit.
void fill_likelihood(Fit& fit, const FitPoints& points, const Solution& solution);

/// F, curvature, lack of fit, Cook's distance, scatter trend.
void fill_least_squares_figures(Fit& fit, const FitPoints& points, const Solution& solution);

/// Figures of the curve in the unit of y: rmse, mape, smearing, speedup. `fitted` has one value a
/// cell, on the scale of the fit.
void fill_curve_figures(Fit& fit, const FitPoints& points, std::span<const double> fitted);

/// Appends the warnings that the figures call for.
void fill_warnings(Fit& fit, const FitOptions& options);

}  // namespace scalelaw
