#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scalelaw/energy/pareto.hpp"

namespace scalelaw {

/// RunScatter of (ln time, ln energy) of runs about their points: centred sums of squares and
/// products over all points.
struct RunScatter {
  double time = 0;
  double energy = 0;
  double product = 0;
  std::int64_t dof = 0;
};

RunScatter scatter_of(std::span<const KnobRuns> points);

/// A point's price of a second, in W, by TimeCost; 0 without max_power.
std::vector<double> time_prices(std::span<const KnobRuns> points, const ParetoOptions& options);

/// Fills shares and intervals of `pareto`, whose points, costs and savings are there.
void add_uncertainty(Pareto& pareto, const RunScatter& scatter, std::span<const double> prices,
                     const ParetoOptions& options, std::uint64_t stream);

}  // namespace scalelaw
