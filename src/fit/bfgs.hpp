#pragma once

#include <functional>

#include "fit/regression.hpp"

namespace scalelaw {

/// Where a descent ended.
struct Minimum {
  SmallVector at{};
  double value = 0;
  int steps = 0;
};

/// A smooth function of p numbers: its value at `at`, its gradient in `gradient`. A value that is
/// not finite is taken for one that is too high.
using SmoothFunction = std::function<double(const SmallVector& at, SmallVector& gradient)>;

/// Descends by BFGS (Nocedal and Wright 2006, ch. 6) until the value stops falling, with a line
/// search for the weak Wolfe conditions by bisection (Lewis and Overton 2013), which also gets past
/// the places where the second derivative of a Huber loss jumps. The first step is as long as
/// `inverse`, an estimate of the inverse Hessian, says.
///
/// @param p  At most kMaxParameters.
Minimum descend_bfgs(const SmoothFunction& function, std::size_t p, const SmallVector& start,
                     const SmallMatrix& inverse);

}  // namespace scalelaw
