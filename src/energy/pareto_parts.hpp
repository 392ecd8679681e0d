#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "scalelaw/energy/pareto.hpp"

namespace scalelaw {

/// A point on its way through the sort.
struct SweepPoint {
  double a;
  double b;
  std::size_t index;

  bool operator<(const SweepPoint& other) const {
    if (a != other.a) return a < other.a;
    if (b != other.b) return b < other.b;
    return index < other.index;
  }
};

/// Calls visit(point) for each of the sorted points that no other dominates, in their order.
template <class Visit>
void visit_frontier(std::span<const SweepPoint> points, Visit visit) {
  double least_b = std::numeric_limits<double>::infinity();
  bool any = false;
  for (std::size_t i = 0; i < points.size();) {
    // The first point with this a has the least b of them. It must beat all points before it.
    const SweepPoint& first = points[i];
    const bool is_best = !any || first.b < least_b;
    for (; is_best && i < points.size() && points[i].a == first.a && points[i].b == first.b; ++i) {
      visit(points[i]);
    }
    if (is_best) least_b = first.b;
    any = true;
    while (i < points.size() && points[i].a == first.a) ++i;
  }
}

/// Sums of squares and products of (ln time, ln energy) of runs about the means of their points.
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
