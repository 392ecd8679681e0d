#pragma once

#include "fit/regression.hpp"
#include "scalelaw/fit/direction_dof.hpp"

namespace scalelaw {

/// How many degrees of freedom functions of the parameters have under CR2, where covariance_of()
/// has it.
DirectionDof cr2_directions(const FitPoints& points, const Solution& solution);

}  // namespace scalelaw
