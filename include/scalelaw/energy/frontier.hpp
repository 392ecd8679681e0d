#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalelaw {

// Each point has two costs, and less is better. A point is dominated if another one is at least as
// good in both costs and better in one. Equal points do not dominate each other.

/// The points that no other point dominates, sorted by a, then b, then index. Equal points are
/// either all included or all left out.
///
/// O(n log n): a sample removes most dominated points, then follow a sort and one pass. It takes
/// about 48 bytes per point.
///
/// @param threads  Threads of the sort; the result is the same for any number.
/// @throws std::invalid_argument if a and b differ in size or a value is NaN.
std::vector<std::size_t> pareto_frontier(std::span<const double> a, std::span<const double> b,
                                         int threads = 1);

/// The area that a frontier dominates, up to a reference point.
struct DominatedArea {
  double area = 0;  ///< Dominated area below the reference, in units of a times b.
  /// Corners of the lower left outline by ascending a: all points, the steps between them, and both
  /// ends at the reference. Empty if no point beats the reference in both costs.
  std::vector<double> outline_a;
  std::vector<double> outline_b;
};

/// The hypervolume of two costs (Zitzler and Thiele 1999): larger is better.
///
/// @param frontier  Indices as pareto_frontier() gives them.
DominatedArea dominated_area(std::span<const double> a, std::span<const double> b,
                             std::span<const std::size_t> frontier, double reference_a,
                             double reference_b);

/// The weights for which one point is the best.
struct EtaRange {
  std::size_t point;
  double from;  ///< Least eta, in [0, 1].
  double to;    ///< Greatest eta, > from.
};

/// The eta ranges in which each point has the least eta * b + (1 - eta) * a, from eta = 0 to 1
/// without gaps. These points are the corners of the frontier's convex hull; at a border both
/// neighbours cost the same. The last of several equal points stands for all.
///
/// @param frontier  Indices as pareto_frontier() gives them, at least one.
std::vector<EtaRange> eta_ranges(std::span<const double> a, std::span<const double> b,
                                 std::span<const std::size_t> frontier);

}  // namespace scalelaw
