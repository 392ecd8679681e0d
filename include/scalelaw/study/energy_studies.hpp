#pragma once

#include <optional>

#include "scalelaw/base/group_results.hpp"
#include "scalelaw/energy/caps.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/render/caps_report.hpp"
#include "scalelaw/render/energy_report.hpp"
#include "scalelaw/render/pareto_report.hpp"
#include "scalelaw/study/measures.hpp"
#include "scalelaw/study/prices.hpp"

namespace scalelaw {

/// How energy scales.
struct EnergyRequest {
  StudyOptions study;
  MeasureOptions measures;
  WorkloadColumns workload;
  FootprintOptions footprint;
  std::optional<Price> gpu_price;  ///< Of one GPU for one hour.
};

/// Runs with their energy, and the head of a report on them.
struct EnergyStudy {
  EnergyReport report;
  MeasuredRuns runs;
};

/// Reads the inputs and says what was chosen and what was left out. energy_each() answers for each
/// group.
/// @throws DataError if there is nothing to read, or a price has no use.
EnergyStudy read_energies(const EnergyRequest& request, const CallConditions& conditions);

/// What settings save.
struct CapsRequest {
  StudyOptions study;  ///< `factors` name the setting; empty: the usual one.
  MeasureOptions measures{.x_optional = true, .gpus_if_there = true, .energy_optional = true};
  CapsOptions caps;
};

struct CapsStudy {
  CapsReport report;
  MeasuredRuns runs;
  CapsOptions options;  ///< As groups are compared.
};

/// Reads the inputs and says what was chosen and what was left out.
/// @throws DataError if there is no setting to compare.
CapsStudy read_caps(const CapsRequest& request, const CallConditions& conditions);

/// The comparisons of all groups, which are made again each time.
GroupResults<Caps> comparisons_of(const CapsStudy& study, const CallConditions& conditions);

/// Takes what all groups have in common into the report, and says with what settings are compared.
void take_summary(CapsStudy& study, const GroupResults<Caps>& groups, const Messages& say);

/// Says whether curves over the setting were fitted, and why not if they were asked for.
void say_of_curves(const CapsStudy& study, const Messages& say);

/// Which settings are the best compromises of time and energy.
struct ParetoRequest {
  StudyOptions study;  ///< `factors` name the knobs; empty: the usual ones.
  MeasureOptions measures{.has_x = false, .gpus_if_there = true};
  ParetoOptions pareto{.etas = {}};
};

struct ParetoStudy {
  ParetoReport report;
  MeasuredRuns runs;
  MaxPower max_power;
};

/// Reads the inputs and says what was chosen and what was left out.
/// @throws DataError if there are no knobs, or one is named twice.
ParetoStudy read_pareto(const ParetoRequest& request, const CallConditions& conditions);

/// The frontiers of all groups, which are made again each time.
GroupResults<Pareto> frontiers_of(const ParetoStudy& study);

/// What all frontiers have in common.
/// @throws DataError if no group has the default.
ParetoSurvey survey_of(const ParetoStudy& study, const GroupResults<Pareto>& groups);

}  // namespace scalelaw
