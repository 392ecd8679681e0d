#pragma once

#include <array>
#include <functional>

namespace scalelaw {

using Point2 = std::array<double, 2>;

/// A least value of a function of two variables, and where it is.
struct Minimum2 {
  Point2 at{};
  double value = 0;
};

/// The least value that Nelder and Mead's simplex finds from `start` with sides `step`; begun again
/// from where it ends until that gains nothing, as a simplex may collapse early. The function may
/// be infinite, not NaN.
///
/// Source: Nelder and Mead, Computer Journal 7 (1965) 308-313.
Minimum2 minimise(const std::function<double(const Point2&)>& function, const Point2& start,
                  const Point2& step);

}  // namespace scalelaw
