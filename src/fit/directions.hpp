#pragma once

#include "fit/regression.hpp"
#include "scalelaw/fit/direction_dof.hpp"

namespace scalelaw {

/// The degrees of freedom of functions of the parameters under CR2, where covariance_of() has it.
DirectionDof cr2_directions(const FitPoints& points, const Solution& solution);

}  // namespace scalelaw
