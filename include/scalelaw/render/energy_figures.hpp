#pragma once

#include <span>
#include <string>

#include "scalelaw/energy/caps.hpp"
#include "scalelaw/energy/energy_scaling.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/render/figure.hpp"
#include "scalelaw/render/study_figures.hpp"
#include "scalelaw/runs/utilisation.hpp"

namespace scalelaw {

/// Speed and energy over N, both relative to the smallest: Frey et al. 2022, Figure 5.
Figure energy_speed_figure(const StudyAxes& axes, std::span<const GroupEnergy> groups);

/// Energy against GPU-hours, with the lines through the origin and with an intercept.
Figure gpu_hours_figure(const StudyAxes& axes, std::span<const GroupEnergy> groups);

/// Speed and energy of settings relative to each group's reference: Frey et al. 2022, Figures 6 and
/// 17.
/// @param tells_values  Whether the caption says what each setting takes; not beside a table.
Figure caps_figure(const StudyAxes& axes, const std::string& setting,
                   std::span<const GroupCaps> groups, bool tells_values = true);

/// Time against energy: every point with its setting, its number of GPUs and its intervals, the
/// frontier as a staircase, the default, and the optima with the runs that cost as much. Where a
/// panel has many points, words stand only at those on the frontier and at the optima.
/// @param tells_costs  Whether the caption explains the cost of each optimum.
Figure pareto_figure(const StudyAxes& axes, std::span<const std::string> knobs,
                     std::span<const GroupPareto> groups, double confidence = 0.95,
                     bool tells_costs = true);

/// Mean utilisation of multiprocessors and memory over N: Frey et al. 2022, Figure 3.
Figure utilisation_figure(const StudyAxes& axes, std::span<const GroupUtilisation> groups);

/// The coefficient of variation of utilisation over N: Figures 4, 15 and 16.
Figure variation_figure(const StudyAxes& axes, std::span<const GroupUtilisation> groups);

/// Utilisation of memory against that of multiprocessors at the least and the greatest N: Figure 2.
Figure joint_figure(const StudyAxes& axes, std::span<const GroupUtilisation> groups);

}  // namespace scalelaw
