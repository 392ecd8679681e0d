#pragma once

#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/figure.hpp"

namespace scalelaw {

/// The content of a figure of a surface.
struct DrawnSurface {
  GroupKey group;
  std::vector<double> n;  ///< The runs.
  std::vector<double> d;
  std::vector<double> y;
  Fit fit;
};

/// The response against the compute K * n * d: the runs, the law along some values of the first
/// scale, and the least value that each compute can reach, with its interval, up to ten times the
/// greatest compute. This least value is left out if an exponent is not positive.
Figure surface_figure(const StudyReport& report, const DrawnSurface& surface);

}  // namespace scalelaw
