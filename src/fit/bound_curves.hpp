#pragma once

#include <span>

#include "fit/regression.hpp"

namespace scalelaw {

/// Fills Fit::bound_curves at these x if a parameter is on a bound, or so near that its interval
/// reaches it. Curves are then no longer linear in their parameters, and standard errors, which
/// hold a parameter on its bound, are too small. Nothing is filled for other fits, for exact ones,
/// and for other than classic standard errors and laws of one smooth x in logarithms.
///
/// A curve belongs to the region if its residual sum of squares exceeds the least one by at most
/// (t sigma)^2, which is RSS (1 + t^2 / (n - p)) for a group alone. At its edge lie the curves that
/// a run added at that x pulls away from the best one (a multiplier of Lagrange in another guise).
///
/// Source: Bates and Watts (1988), Nonlinear Regression Analysis, sec. 6.1; Vander Wiel and Meeker
/// (1990) for profiles of a function of the parameters.
void fill_bound_curves(Fit& fit, const FitPoints& points, std::span<const double> x);

/// The same at nine x: the least one, the greatest one and the middle in logarithms, and up to 1024
/// times the greatest one.
void fill_bound_curves(Fit& fit, const FitPoints& points);

}  // namespace scalelaw
