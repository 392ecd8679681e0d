#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scalelaw/fit/law.hpp"
#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

/// What is known of a law's parameters before the fit, on the scale on which they are reported.
struct Constraints {
  std::vector<std::pair<std::string, double>> fixed;      ///< Parameters and their values.
  std::vector<std::pair<std::string, std::string>> tied;  ///< The second equals the first.
  std::vector<std::pair<std::string, Interval>> bounded;  ///< Parameters and their ranges.

  bool empty() const { return fixed.empty() && tied.empty() && bounded.empty(); }
};

/// The law under these constraints. Fixed and tied parameters take no degree of freedom: a fit
/// reports the fixed value without an error, and of tied parameters the same estimate twice. An
/// estimate at the end of a range is on a bound, as at the law's own bounds. The law lives as long
/// as the program, and equal constraints give the same law.
///
/// @throws DataError if a name is none of the law's parameters or stands twice, a value or range
/// lies outside the law's own, tied parameters have different meanings, or nothing is left to fit;
/// also for the broken law unless its break is fixed.
const Law& constrained(const Law& law, const Constraints& constraints);

/// The constraints of a law, "E = 1.69", "beta = alpha", "alpha in 0.2..0.5"; none for a law whose
/// parameters are free.
std::vector<std::string> constraints_of(const Law& law);

}  // namespace scalelaw
