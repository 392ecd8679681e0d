#pragma once

#include <string>
#include <vector>

#include "scalelaw/energy/caps.hpp"
#include "scalelaw/energy/pareto.hpp"

namespace scalelaw {

/// MaxPower of the Zeus cost, where there is one.
struct MaxPower {
  std::string from;           ///< A column, or "--max-power"; empty: there is none.
  std::vector<double> watts;  ///< For each group of the observations, if a column tells it.
  std::string warning;        ///< What the user should know about it; empty: nothing.
};

/// Completes the options from the table: MaxPower where the user gave none and all hardware shares
/// one greatest power limit, and the eta 0.5 where MaxPower is known and the user gave no eta.
/// @throws DataError if an eta is below 1 and nothing tells MaxPower.
MaxPower complete(ParetoOptions& options, const MeasuredRuns& runs);

/// Completes MaxPower of the curves' cost likewise. Returns where it is from, in words; empty if no
/// eta was given, so that there is no cost.
/// @throws DataError if the greatest power limit differs among kinds of hardware.
std::string complete(CapsOptions& options, const MeasuredRuns& runs);

}  // namespace scalelaw
