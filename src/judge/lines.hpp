#pragma once

#include <optional>
#include <span>

#include "scalelaw/judge/contrast.hpp"

namespace scalelaw {

/// What the line of one level leaves for comparisons: y = ln t over g = -ln N (+ln N for a rate),
/// so that its slope is beta.
struct LevelLine {
  double mass;    ///< Sum of count * weight.
  double g_mean;  ///< Weighted by mass, like y_mean.
  double y_mean;
  double g_spread;  ///< Sum of mass * (g - g_mean)^2.
  double slope;     ///< beta.
  double variance;  ///< RSS / dof of the level alone.
  double dof;       ///< > 0.

  double rss() const { return variance * dof; }
};

/// @param fit  Of these cells, with dof > 0.
LevelLine level_line(std::span<const Cell> cells, const Fit& fit);

/// Several lines together; sums over levels.
struct LineSums {
  double mass = 0;
  double g_mean = 0;
  double y_mean = 0;
  double g_spread = 0;        ///< Within levels.
  double common_slope = 0;    ///< Of parallel lines.
  double slope_scatter = 0;   ///< Sum of g_spread * (slope - common_slope)^2: what separate slopes
                              ///< explain.
  double offset_scatter = 0;  ///< What parallel lines explain beyond one line.
  double rss = 0;             ///< Of separate lines.
  double dof = 0;
};

LineSums sums_of(std::span<const LevelLine> lines);

/// A variance with the degrees of freedom behind it.
struct Variance {
  double value;
  double dof;
};

/// Of a sum whose variance is sum_l coefficient_l sigma_l^2, each level's sigma estimated by
/// itself: degrees of freedom after Satterthwaite (1946).
Variance own_variance(std::span<const double> coefficients, std::span<const LevelLine> lines);

/// The same where all levels share one variance.
Variance pooled_variance(std::span<const double> coefficients, const Variance& common);

/// F of what `df1` more terms explain; nothing where the larger model leaves no residuals.
std::optional<FTest> f_test(double explained, double df1, double rss, double df2);

/// An estimate with standard error, interval, t and two-sided p (Student); exact fits have no t.
Estimate estimate_of(double estimate, const Variance& variance, double confidence);

}  // namespace scalelaw
