#include "scalelaw/energy/frontier.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "energy/pareto_parts.hpp"
#include "scalelaw/base/parallel.hpp"

namespace scalelaw {
namespace {

std::vector<SweepPoint> sweep_points(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) {
    throw std::invalid_argument("pareto_frontier: a and b differ in size");
  }
  std::vector<SweepPoint> points(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) {
      throw std::invalid_argument("pareto_frontier: a value is NaN");
    }
    points[i] = {a[i], b[i], i};
  }
  return points;
}

/// A few points that no other point of a sample dominates, by a. Empty where they would not help.
std::vector<SweepPoint> sample_frontier(std::span<const SweepPoint> points) {
  constexpr std::size_t kSample = 1024;
  constexpr std::size_t kFew = 64;
  if (points.size() < 4 * kSample) return {};
  std::vector<SweepPoint> sample;
  for (std::size_t i = 0; i < kSample; ++i) sample.push_back(points[points.size() / kSample * i]);
  std::sort(sample.begin(), sample.end());
  std::vector<SweepPoint> frontier;
  visit_frontier(std::span<const SweepPoint>(sample),
                 [&frontier](const SweepPoint& point) { frontier.push_back(point); });
  return frontier.size() <= kFew ? frontier : std::vector<SweepPoint>();
}

/// Removes most dominated points before they cost a sort.
void drop_dominated(std::vector<SweepPoint>& points) {
  const std::vector<SweepPoint> sample = sample_frontier(points);
  if (sample.empty()) return;
  std::erase_if(points, [&sample](const SweepPoint& point) {
    // The last sampled point whose a is no greater has the least b of these.
    const auto above = std::ranges::upper_bound(sample, point.a, {}, &SweepPoint::a);
    if (above == sample.begin()) return false;
    const SweepPoint& best = *std::prev(above);
    return best.b < point.b || (best.b == point.b && best.a < point.a);
  });
}

/// The eta at which two points of a frontier cost the same. The first has the smaller a.
double even_eta(double a1, double b1, double a2, double b2) {
  return (a2 - a1) / ((a2 - a1) + (b1 - b2));
}

}  // namespace

std::vector<std::size_t> pareto_frontier(std::span<const double> a, std::span<const double> b,
                                         int threads) {
  std::vector<SweepPoint> points = sweep_points(a, b);
  drop_dominated(points);
  parallel_sort(points, threads);
  std::vector<std::size_t> frontier;
  visit_frontier(std::span<const SweepPoint>(points),
                 [&frontier](const SweepPoint& point) { frontier.push_back(point.index); });
  return frontier;
}

DominatedArea dominated_area(std::span<const double> a, std::span<const double> b,
                             std::span<const std::size_t> frontier, double reference_a,
                             double reference_b) {
  DominatedArea out;
  double height = reference_b;  // Height of the step at which the next point begins.
  const auto corner = [&out](double at_a, double at_b) {
    out.outline_a.push_back(at_a);
    out.outline_b.push_back(at_b);
  };
  for (const std::size_t i : frontier) {
    if (a[i] >= reference_a || b[i] >= height) continue;
    corner(a[i], height);
    corner(a[i], b[i]);
    out.area += (reference_a - a[i]) * (height - b[i]);
    height = b[i];
  }
  if (!out.outline_a.empty()) corner(reference_a, height);
  return out;
}

std::vector<EtaRange> eta_ranges(std::span<const double> a, std::span<const double> b,
                                 std::span<const std::size_t> frontier) {
  std::vector<EtaRange> ranges;
  for (const std::size_t i : frontier) {
    double from = 0;
    while (!ranges.empty()) {
      EtaRange& last = ranges.back();
      const bool same = a[last.point] == a[i] && b[last.point] == b[i];
      from = same ? last.from : even_eta(a[last.point], b[last.point], a[i], b[i]);
      if (!same && from > last.from) break;
      ranges.pop_back();
      from = 0;
    }
    // Where eta rounds to 1, no eta is left for which the point is best.
    if (!ranges.empty() && from >= 1) continue;
    if (!ranges.empty()) ranges.back().to = from;
    ranges.push_back({i, ranges.empty() ? 0 : from, 1});
  }
  return ranges;
}

}  // namespace scalelaw
