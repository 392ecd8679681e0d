#pragma once

#include <span>
#include <vector>

#include "scalelaw/energy/caps.hpp"
#include "scalelaw/runs/cell.hpp"

namespace scalelaw {

/// One cell (one response at one setting and N) as a term in a sum of log means.
struct WeightedCell {
  const Cell* cell;
  double weight;
};

/// A variance and its degrees of freedom.
struct Spread {
  double variance = 0;
  double dof = 0;
};

/// The variance of one run of a group, for cells without scatter of their own.
struct GroupScatter {
  Spread pooled;  ///< Over all cells; no degrees of freedom if there are only single runs.
  Spread paired;  ///< From the ratios of one setting to the reference; none if there are too few N.
  Spread blocks;  ///< Over effects of setting and N; none if these leave none.
  Spread shared;  ///< Over all groups of the study, then in place of all others; none if not asked.
};

/// The scatter pooled over cells. If some cells are single runs, also the residual scatter of an
/// additive model of setting and N.
/// @param settings  The cells of each setting.
GroupScatter scatter_of(std::span<const std::vector<Cell>> settings);

/// The sum of weight * ln mean, and the evidence behind its uncertainty.
struct LogSum {
  Estimate estimate;
  RatioEvidence evidence = RatioEvidence::kNone;
};

LogSum log_sum(std::span<const WeightedCell> cells, const GroupScatter& scatter, double confidence);

/// Adds curves over the setting at every N with enough settings, and counts the N with too many.
/// Adds none if the settings are no numbers.
void add_curves(std::span<const SettingRuns> settings, const CapsOptions& options, Caps& caps);

}  // namespace scalelaw
