#pragma once

#include "fit/regression.hpp"

namespace scalelaw {

/// Replaces the intervals of the parameters by profile likelihood; those that stood there become
/// wald_ci. Leaves all as it is at dof 0 and for exact fits.
///
/// An interval holds the values v around the estimate with RSS(v) <= RSS (1 + t^2 / (n - p)); that
/// of a kink reaches to the last of them where they are several stretches. It ends at the
/// parameter's bound if that is among them, and is open towards values that are not rejected
/// however far out.
///
/// Source: Bates and Watts (1988), Nonlinear Regression Analysis, sec. 6.1.
void fill_profile_intervals(Fit& fit, const FitPoints& points, const Solution& solution);

}  // namespace scalelaw
