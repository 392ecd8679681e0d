#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

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

/// Calls visit(point) for each point that no other dominates, in their order.
/// @param points  Sorted.
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

}  // namespace scalelaw
