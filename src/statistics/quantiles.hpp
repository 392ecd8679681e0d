#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace scalelaw {

/// Median of n >= 1 values, which it reorders: the middle one, or the mean of the middle two.
inline double median_of(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*std::max_element(values.begin(), middle) + *middle);
}

/// Median of n >= 1 values.
inline double median(std::vector<double> values) { return median_of(values); }

/// Quantiles at probabilities in [0, 1], linearly interpolated (Hyndman & Fan type 7, as NumPy).
std::vector<double> quantiles_of(std::span<const double> values,
                                 std::span<const double> probabilities);

}  // namespace scalelaw
