#pragma once

#include <string>
#include <vector>

#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/render/pareto_report.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

/// MaxPower, where there is one.
struct MaxPower {
  std::string from;           ///< A column, or the option; empty: there is none.
  std::vector<double> watts;  ///< By group of the observations, where kinds of hardware differ.
  std::string warning;        ///< What the user should know of it; empty: nothing.
};

/// Sets MaxPower and etas that the user left out.
/// @throws DataError if an eta below 1 was asked for and nothing tells MaxPower.
MaxPower complete(ParetoOptions& pareto, const MeasuredRuns& runs);

/// The head of the report; where MaxPower is from and warnings are for the caller to add.
ParetoReport pareto_report(const StudyOptions& study, const MeasuredRuns& runs,
                           const ParetoOptions& options);

}  // namespace scalelaw::cli
