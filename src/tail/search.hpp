#pragma once

#include <cstddef>
#include <optional>

#include "tail/sample.hpp"

namespace scalelaw {

/// A tail of a sample, and its power law.
struct TailFit {
  std::size_t first = 0;  ///< The first distinct value of the tail.
  double log_x_min = 0;
  double alpha = 0;
  double distance = 0;  ///< KS distance between the tail and its power law.
};

/// The maximum-likelihood power law of the values >= x_min. Empty if there are none or all are
/// equal.
std::optional<TailFit> fit_tail(const TailSample& sample, bool discrete, double log_x_min);

/// The tail that is closest to its power law, among those that begin at a distinct value and hold
/// another one; the earliest of equals. Empty if all values are equal.
///
/// The result is exact although few candidates are examined in full. The search begins with a
/// coarse grid of candidates, and drops a candidate at the first place that is farther than the
/// best so far. Two rising distribution functions bound their distance between two places. In all
/// this takes about n logarithms and a few n exponentials.
std::optional<TailFit> closest_tail(const TailSample& sample, bool discrete);

/// Standard error of alpha by the curvature of the likelihood, with x_min taken as known.
double alpha_standard_error(double alpha, std::size_t tail_n, bool discrete, double x_min);

/// ln of a power law's density (if discrete, its probability) at x_min. At x it is smaller by alpha
/// ln(x / x_min).
double power_law_log_scale(double alpha, bool discrete, double x_min);

/// ln P(X >= x) of a power law.
double power_law_log_share(double alpha, bool discrete, double x_min, double x);

}  // namespace scalelaw
