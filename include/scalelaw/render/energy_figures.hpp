#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "scalelaw/energy/caps.hpp"
#include "scalelaw/energy/energy_scaling.hpp"
#include "scalelaw/render/figure.hpp"

namespace scalelaw {

/// A group of runs as a figure names it.
struct NamedEnergy {
  std::string name;
  const EnergyScaling* scaling;
};

/// Energy and speed over those at the smallest x, with intervals: Frey et al. 2022, Figure 5.
/// @param legend  What the names are values of.
Figure energy_speed_figure(const std::string& x, const std::string& legend,
                           const std::vector<NamedEnergy>& groups);

/// All settings of one group at one x, or over all.
struct NamedComparison {
  std::string name;
  const SettingComparison* comparison;
};

/// Speed and energy of every setting over those of the reference, with intervals: Frey et al. 2022,
/// Figures 6 and 17.
/// @param setting  Its column; @param reference  the value that others are compared with.
Figure settings_figure(const std::string& setting, const std::string& reference,
                       const std::vector<NamedComparison>& groups);

}  // namespace scalelaw
