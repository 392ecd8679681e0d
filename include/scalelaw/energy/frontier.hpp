#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalelaw {

// Two costs a point, both better when smaller. A point is dominated if another one has neither cost
// greater and one of them less; equal points do not dominate each other.

/// The points that none dominates, by a, then b, then index. Of equal points either all are there
/// or none.
///
/// O(n log n): a sort, then one pass, after a look at a sample has taken out what is far behind.
/// Some 48 bytes a point.
///
/// @param threads  Of the sort; the result is the same for any number.
/// @throws std::invalid_argument if a and b differ in size or a value is NaN.
std::vector<std::size_t> pareto_frontier(std::span<const double> a, std::span<const double> b,
                                         int threads = 1);

/// Where the frontier of points stands before a reference point.
struct DominatedArea {
  double area = 0;  ///< Of what lies below the reference and is dominated, in units of a times b.
  /// The corners of its lower left outline, a ascending: each point and each step between two, with
  /// the ends at the reference. Empty if no point is better than the reference in both costs.
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

/// For which eta which point has the least eta * b + (1 - eta) * a: the corners of the frontier's
/// convex hull, from eta = 0 to eta = 1 without gaps. At the border of two ranges both points cost
/// the same. Of equal points the last one stands for all.
///
/// @param frontier  Indices as pareto_frontier() gives them, at least one.
std::vector<EtaRange> eta_ranges(std::span<const double> a, std::span<const double> b,
                                 std::span<const std::size_t> frontier);

}  // namespace scalelaw
