#pragma once

#include <cmath>

namespace scalelaw {

/// Chi-squared with `dof` > 0 degrees of freedom, whole or not, at a cost that does not depend on
/// it (Marsaglia and Tsang 2000).
/// @param random  Has uniform() and normal().
template <class Random>
double chi_squared_draw(Random& random, double dof) {
  if (dof < 2) return chi_squared_draw(random, dof + 2) * std::pow(random.uniform(), 2 / dof);
  const double d = dof / 2 - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double z = random.normal();
    const double v = std::pow(1 + c * z, 3);
    if (v > 0 && std::log(random.uniform()) < z * z / 2 + d - d * v + d * std::log(v)) {
      return 2 * d * v;
    }
  }
}

}  // namespace scalelaw
