#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "tail/sample.hpp"

namespace scalelaw {

/// A tail of a sample with its power law.
struct TailFit {
  std::size_t first = 0;  ///< The first distinct value of the tail.
  double log_x_min = 0;
  double alpha = 0;
  double distance = 0;  ///< KS distance between the tail and its power law.
};

/// The power law of the values >= x_min, by maximum likelihood. Nothing if all of them are equal,
/// or there are none.
std::optional<TailFit> fit_tail(const TailSample& sample, bool discrete, double log_x_min);

/// The tail that is closest to its power law, of those that begin at a distinct value and hold
/// another; the earliest of equal ones. Nothing if all values are equal.
///
/// Exact, though few candidates are looked at in full: the search begins with the candidates of a
/// coarse grid, a candidate ends at the first place that is farther than the best so far, and
/// between two places both distribution functions rise, which bounds their distance. About n
/// logarithms and some n exponentials in all.
std::optional<TailFit> closest_tail(const TailSample& sample, bool discrete);

/// Standard error of alpha by the curvature of the likelihood, x_min taken for known.
double alpha_standard_error(double alpha, std::size_t tail_n, bool discrete, double x_min);

/// ln of the density (if discrete, the probability) of a power law at x_min; at x it is less by
/// alpha ln(x / x_min).
double power_law_log_scale(double alpha, bool discrete, double x_min);

/// ln P(X >= x) of a power law.
double power_law_log_share(double alpha, bool discrete, double x_min, double x);

}  // namespace scalelaw
