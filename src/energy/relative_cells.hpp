#pragma once

#include <span>
#include <vector>

#include "scalelaw/energy/caps.hpp"
#include "scalelaw/runs/cell.hpp"

namespace scalelaw {

/// A cell (one response at one setting and N) in a sum of log means.
struct WeightedCell {
  const Cell* cell;
  double weight;
};

/// The scatter of one response over a group, for cells that have none of their own.
struct GroupScatter {
  double pooled_variance = 0;
  double pooled_dof = 0;       ///< 0: there are only single runs.
  double paired_variance = 0;  ///< Of one run, by the ratios of one setting to the reference.
  double paired_dof = 0;       ///< 0: too few N.
  double block_variance = 0;
  double block_dof = 0;  ///< 0: settings and N leave none.
};

/// Pooled over cells; where some are single runs, also what is left over additive effects of
/// setting and N.
/// @param settings  The cells of each setting.
GroupScatter scatter_of(std::span<const std::vector<Cell>> settings);

/// The sum of weight * ln mean with what its uncertainty rests on.
struct LogSum {
  Estimate estimate;
  RatioEvidence evidence = RatioEvidence::kNone;
};

LogSum log_sum(std::span<const WeightedCell> cells, const GroupScatter& scatter, double confidence);

}  // namespace scalelaw
