#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace scalelaw {

/// An estimated variance and its degrees of freedom.
struct SampleVariance {
  double variance;
  double dof;  ///< > 0.
};

/// Bartlett's statistic of equal variances (1937), with his correction for few degrees of freedom:
/// chi-squared with one less degree of freedom than there are samples. Infinite if only some
/// variances are 0.
/// @param samples  Two or more, not all with variance 0.
inline double bartlett_statistic(std::span<const SampleVariance> samples) {
  double squares = 0;
  double dof = 0;
  for (const SampleVariance& sample : samples) {
    squares += sample.variance * sample.dof;
    dof += sample.dof;
  }
  double statistic = dof * std::log(squares / dof);
  double inverse = -1 / dof;
  for (const SampleVariance& sample : samples) {
    if (!(sample.variance > 0)) return std::numeric_limits<double>::infinity();
    statistic -= sample.dof * std::log(sample.variance);
    inverse += 1 / sample.dof;
  }
  const double df = static_cast<double>(samples.size()) - 1;
  return std::max(0.0, statistic / (1 + inverse / (3 * df)));
}

}  // namespace scalelaw
