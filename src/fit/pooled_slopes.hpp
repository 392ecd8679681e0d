#pragma once

#include <span>

#include "fit/regression.hpp"
#include "scalelaw/fit/pooling.hpp"
#include "statistics/hypothesis_tests.hpp"

namespace scalelaw {

/// The power law of a group about the means of its points: y = y_mean + beta (g - g_mean), where y
/// is ln t and g is -ln x (ln x for a rate).
struct GroupLine {
  double beta = 0;
  double spread = 0;  ///< Sum of mass * (g - g_mean)^2.
  double mass = 0;    ///< Sum of count * weight.
  double g_mean = 0;
  double rss = 0;
  double dof = 0;  ///< n - 2, which may be 0.
};

GroupLine group_line(const FitPoints& points, const Solution& solution);

/// The fewest groups that tell how exponents differ between groups.
inline constexpr std::size_t kFewestSlopes = 3;

/// The distribution of the groups' exponents.
///
/// Model: the exponent of a group is b + tau z, its line then scatters with sigma; z is standard
/// normal. Prefactors are free. tau and sigma are those of restricted maximum likelihood. What is
/// not known of tau / sigma is kept as a distribution: the restricted likelihood times a flat prior
/// of tau.
///
/// @param lines  At least kFewestSlopes, with scatter and degrees of freedom in one of them.
///
/// Source: Gelman (2006) for the prior; Hartung and Knapp (2001); docs/explanation/pooling.md.
/// Checked against R's lme4.
PooledSlopes pooled_slopes(std::span<const GroupLine> lines, double confidence);

/// Replaces the line of a fit by the one with the pooled exponent: the best linear unbiased
/// prediction at tau and sigma. Standard errors and intervals also hold what is not known of these.
/// Sets what follows from the line, and empties what a line that is drawn to others does not have:
/// F and likelihood.
/// @param fit  A fit under Pool::kSlopes. @param residuals  Of its cells.
void take_pooled_slope(Fit& fit, const FitPoints& points, const Solution& solution,
                       std::vector<double>& residuals);

/// One standard deviation for samples that share it, with Bartlett's test of that.
/// @param variances  At least one.
Pooling pooled_scatter(std::span<const SampleVariance> variances);

}  // namespace scalelaw
