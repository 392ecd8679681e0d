#pragma once

#include <array>
#include <functional>

namespace scalelaw {

using Point2 = std::array<double, 2>;

/// The least value of a function of two variables, and its place.
struct Minimum2 {
  Point2 at{};
  double value = 0;
};

/// The least value that the simplex of Nelder and Mead finds from `start` with sides `step`. A
/// simplex may collapse early, so it starts again from its end until that gains nothing. The
/// function may be infinite, but not NaN.
///
/// Source: Nelder and Mead, Computer Journal 7 (1965) 308-313.
Minimum2 minimise(const std::function<double(const Point2&)>& function, const Point2& start,
                  const Point2& step);

}  // namespace scalelaw
