#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include "scalelaw/judge/contrast.hpp"

namespace scalelaw {

/// The line of one level: y = ln t over g = -ln N (+ln N for a rate), so that the slope is beta.
struct LevelLine {
  double mass;    ///< Sum of count * weight.
  double g_mean;  ///< Mean of g, weighted by mass like y_mean.
  double y_mean;
  double g_spread;  ///< Sum of mass * (g - g_mean)^2.
  double slope;     ///< beta.
  double variance;  ///< RSS / dof of the level alone.
  double dof;       ///< > 0.

  double rss() const { return variance * dof; }
};

/// @param fit  The fit of these cells, with dof > 0.
LevelLine level_line(std::span<const Cell> cells, const Fit& fit);

/// Sums over the levels of several lines.
struct LineSums {
  double mass = 0;
  double g_mean = 0;
  double y_mean = 0;
  double g_spread = 0;        ///< Within levels.
  double common_slope = 0;    ///< Slope of parallel lines.
  double slope_scatter = 0;   ///< What separate slopes explain: sum of g_spread * (slope -
                              ///< common_slope)^2.
  double offset_scatter = 0;  ///< What parallel lines explain beyond one line.
  double rss = 0;             ///< Residual sum of squares of separate lines.
  double dof = 0;
};

LineSums sums_of(std::span<const LevelLine> lines);

/// A variance and its degrees of freedom.
struct Variance {
  double value;
  double dof;
};

/// The variance sum_l coefficient_l sigma_l^2, where each level estimates its own sigma. Degrees of
/// freedom after Satterthwaite (1946).
Variance own_variance(std::span<const double> coefficients, std::span<const LevelLine> lines);

/// The same if all levels share one variance.
Variance pooled_variance(std::span<const double> coefficients, const Variance& common);

/// F of what `df1` more terms explain; nothing where the larger model leaves no residuals.
std::optional<FTest> f_test(double explained, double df1, double rss, double df2);

/// An estimate with standard error, interval, t and two-sided p (Student); exact fits have no t.
Estimate estimate_of(double estimate, const Variance& variance, double confidence);

/// The covariate model of levels whose values are numbers > 0, or the reason why there is none.
/// Factors with a single value in these levels are left out.
std::variant<CovariateModel, std::string> covariate_model(std::span<const LevelCells* const> levels,
                                                          std::span<const std::string> factors,
                                                          const ContrastOptions& options);

}  // namespace scalelaw
