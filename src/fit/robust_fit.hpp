#pragma once

#include "fit/regression.hpp"

namespace scalelaw {

/// A robust fit of a linear law to raw points.
struct RobustSolution {
  SmallVector theta{};
  double scale = 0;  ///< Median absolute residual / 0.6745; 0 if half the points fit exactly.
  std::optional<Interval> slope_ci = {};  ///< Sen's interval, for Theil-Sen.
};

/// Huber's M estimate (k = 1.345) by iteratively reweighted least squares, with a new scale in each
/// step. `points` and `work`, which holds the design, are scratch: masses and solution change.
///
/// @throws FitError not-converged.
///
/// Source: Huber (1981), ch. 7. Checked against statsmodels 0.13 RLM (1e-7).
RobustSolution huber_fit(FitPoints& points, Solution& work);

/// Theil-Sen in the coordinates of the law; `solution` holds the design.
RobustSolution theil_sen_fit(const FitPoints& points, const Solution& solution, double confidence);

/// Huber's asymptotic covariance H1 with its small-sample factor. Empty at dof 0, scale 0 or n <
/// 2p. `ordinary` is the least-squares solution of the same points.
///
/// Source: Huber (1981), eq. 7.6.1, as statsmodels' RLM default.
std::optional<Covariance> huber_covariance(const FitPoints& points, const Solution& ordinary,
                                           const RobustSolution& fit);

/// Residuals of a linear law at theta; `solution` holds its design.
void residuals_about(const FitPoints& points, const Solution& solution, const SmallVector& theta,
                     std::vector<double>& residuals);

}  // namespace scalelaw
