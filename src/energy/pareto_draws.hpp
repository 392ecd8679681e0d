#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scalelaw/energy/pareto.hpp"

namespace scalelaw {

/// The scatter of (ln time, ln energy) of runs about their points: centred sums of squares and
/// products over all points.
struct RunScatter {
  double time = 0;
  double energy = 0;
  double product = 0;
  std::int64_t dof = 0;
};

RunScatter scatter_of(std::span<const KnobRuns> points);

/// The price of a second in W for each point, by TimeCost: MaxPower of all its GPUs, or the
/// greatest such value of any point. It is 0 without MaxPower.
std::vector<double> time_prices(std::span<const KnobRuns> points, const ParetoOptions& options);

/// Fills in the shares and intervals of `pareto`, which already has points, costs and savings.
void add_uncertainty(Pareto& pareto, const RunScatter& scatter, std::span<const double> prices,
                     const ParetoOptions& options, std::uint64_t stream);

}  // namespace scalelaw
