#pragma once

#include <optional>
#include <span>

#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

/// A line from medians.
struct TheilSen {
  double intercept;
  double slope;
  /// Sen's interval. Empty if so few points cannot reach the confidence (n < 5 for 95 %).
  std::optional<Interval> slope_ci;
};

/// Theil-Sen line. The slope is the median of (y_j - y_i) / (x_j - x_i) over all pairs with
/// different x, the intercept median(y) - slope * median(x). 29 % of the points may be arbitrary.
///
/// The interval is Sen's, from the distribution of Kendall's tau with corrections for ties in x and
/// y. Time O(n log n), memory O(n): with many points, a search narrows each slope down to a
/// relative 1e-15 while a merge sort counts the pairs below it.
///
/// @param x,y  n values each, in any order.
/// @throws FitError too-few-points if n < 2, too-few-x if all x are equal.
/// @throws std::invalid_argument if x and y differ in size.
///
/// Source: Theil (1950); Sen (1968), eq. 2.6; Conover (1980) for the intercept. Checked against
/// scipy 1.10 theilslopes(method="separate").
TheilSen theil_sen(std::span<const double> x, std::span<const double> y, double confidence = 0.95);

}  // namespace scalelaw
