#pragma once

#include <algorithm>
#include <optional>

#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {

/// p of the F test whether means of repeated runs lie further from a law than the runs scatter
/// (Draper and Smith, sec. 2.1); empty where no run was repeated, or there is nothing beside.
/// @param rss     Sum of squares about the law, with `dof` degrees of freedom.
/// @param within  That of runs about the mean at their x, with `within_dof` of them.
inline std::optional<double> lack_of_fit_p(double rss, double dof, double within,
                                           double within_dof) {
  const double lack_dof = dof - within_dof;
  if (!(within_dof > 0 && within > 0 && lack_dof > 0)) return std::nullopt;
  const double f = std::max(0.0, rss - within) / lack_dof / (within / within_dof);
  return f_p(f, lack_dof, within_dof);
}

}  // namespace scalelaw
