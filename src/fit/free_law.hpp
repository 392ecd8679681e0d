#pragma once

#include <functional>
#include <optional>

#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// Holds a fit whose law has fixed or tied parameters against the same law without them.
///
/// Least squares are compared by the F test of the residual sums of squares. Other fits have no
/// such sums: there the free fit's covariance says how far its parameters lie from what was given
/// (Wald's test), with the degrees of freedom of the free fit.
///
/// @param fit_freely  Makes the fit under other options.
/// @return Empty if no parameter is fixed or tied, if groups share their scatter, or if the free
/// law has no fit, no degrees of freedom or no scatter.
///
/// Source: Seber and Wild, Nonlinear Regression (1989), sec. 5.3.
std::optional<FreeLawTest> test_against_free_law(
    const Fit& held, const FitOptions& options,
    const std::function<Fit(const FitOptions&)>& fit_freely);

}  // namespace scalelaw
