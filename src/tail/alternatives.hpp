#pragma once

#include <vector>

#include "scalelaw/tail/tail.hpp"
#include "tail/sample.hpp"
#include "tail/search.hpp"

namespace scalelaw {

/// The tail values of a sample, and the power law that fits them.
struct TailValues {
  bool discrete = false;
  double x_min = 0;
  double alpha = 0;
  double n = 0;
  std::vector<double> x;      ///< Distinct values.
  std::vector<double> z;      ///< ln(x / x_min).
  std::vector<double> count;  ///< Count of each.
  double mean_z = 0;
  double mean_square_z = 0;
  double mean_excess = 0;  ///< Mean of x / x_min - 1.
};

TailValues tail_values(const TailSample& sample, const TailFit& fit, double x_min, bool discrete);

/// All alternatives, fitted to the tail and compared with its power law. The log-normal and the
/// stretched exponential become a power law in the limit; `at_limit` is set if no member of the
/// family does better.
std::vector<TailAlternative> compare_alternatives(const TailValues& tail);

/// ln of the share at x and above, among x >= x_min, by a fitted alternative.
double log_share_from(const TailAlternative& alternative, double x_min, bool discrete, double x);

}  // namespace scalelaw
