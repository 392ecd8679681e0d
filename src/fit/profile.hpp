#pragma once

#include "fit/regression.hpp"

namespace scalelaw {

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
