#pragma once

#include <functional>

#include "fit/regression.hpp"

namespace scalelaw {

/// A smooth function of p numbers, which returns its value at `at` and writes its gradient to
/// `gradient`. A value that is not finite counts as too high.
using SmoothFunction = std::function<double(const SmallVector& at, SmallVector& gradient)>;

/// Descends by BFGS (Nocedal and Wright 2006, ch. 6) until the value stops falling, and returns the
/// place. The line search uses bisection for the weak Wolfe conditions (Lewis and Overton 2013),
/// which also passes jumps in the second derivative of a Huber loss.
/// @param inverse  An estimate of the inverse Hessian, which sets the length of the first step.
/// @param enough  Stops where a step can lower the value by no more than that.
SmallVector bfgs(const SmoothFunction& function, std::size_t p, const SmallVector& start,
                 const SmallMatrix& inverse, double enough = 0);

}  // namespace scalelaw
