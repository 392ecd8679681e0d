#include "scalelaw/judge/history.hpp"

#include <algorithm>
#include <cmath>

#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/contrast.hpp"

namespace scalelaw {
namespace {

struct Weighted {
  double estimate;
  double se;
  std::optional<double> dof;
  std::size_t index;  ///< Place among all points.
};

std::vector<Weighted> points_that_count(std::span<const HistoryPoint> points) {
  std::vector<Weighted> counted;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const HistoryPoint& point = points[i];
    if (point.se && *point.se > 0) counted.push_back({point.estimate, *point.se, point.dof, i});
  }
  return counted;
}

struct Split {
  std::size_t place = 0;  ///< Place of the first point after it.
  double before = 0;
  double after = 0;
  double statistic = 0;
};

/// The best split of all; the first of equal ones.
Split best_split(std::span<const Weighted> points) {
  // Differences from the first estimate, so that a common level costs no digits.
  const double origin = points.front().estimate;
  double all_weights = 0;
  double all_sums = 0;
  for (const Weighted& point : points) {
    const double weight = 1 / (point.se * point.se);
    all_weights += weight;
    all_sums += weight * (point.estimate - origin);
  }
  Split best;
  best.statistic = -1;
  double weights = 0;
  double sums = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double weight = 1 / (points[i - 1].se * points[i - 1].se);
    weights += weight;
    sums += weight * (points[i - 1].estimate - origin);
    const double before = sums / weights;
    const double after = (all_sums - sums) / (all_weights - weights);
    const double variance = 1 / weights + 1 / (all_weights - weights);
    const double statistic = (after - before) * (after - before) / variance;
    if (statistic > best.statistic) best = {i, origin + before, origin + after, statistic};
  }
  return best;
}

/// The statistic of one draw without a change.
double drawn_statistic(std::span<const Weighted> points, RandomStream& random,
                       std::vector<Weighted>& draw) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    draw[i].estimate = points[i].se * random.normal();
    draw[i].se = points[i].se;
    const auto dof = points[i].dof;
    if (dof && *dof > 0) draw[i].se *= std::sqrt(random.chi_squared(*dof) / *dof);
  }
  return best_split(draw).statistic;
}

}  // namespace

std::optional<ChangePoint> change_point(std::span<const HistoryPoint> points,
                                        const ChangeOptions& options, std::uint64_t stream) {
  const std::vector<Weighted> counted = points_that_count(points);
  if (counted.size() < 3) return std::nullopt;
  const Split split = best_split(counted);
  RandomStream random(options.seed, stream);
  std::vector<Weighted> draw = counted;
  std::uint32_t as_great = 0;
  for (std::uint32_t i = 0; i < options.draws; ++i) {
    if (drawn_statistic(counted, random, draw) >= split.statistic) ++as_great;
  }
  return ChangePoint{.first_after = counted[split.place].index,
                     .before = split.before,
                     .after = split.after,
                     .change = split.after - split.before,
                     .statistic = split.statistic,
                     .p = (1.0 + as_great) / (1.0 + options.draws),
                     .at_floor = as_great == 0};
}

void adjust_for_groups(std::vector<GroupHistory>& groups) {
  std::vector<double> p_values;
  for (const GroupHistory& group : groups) {
    if (group.change) p_values.push_back(group.change->p);
  }
  const std::vector<double> adjusted = holm_adjusted(p_values);
  std::size_t next = 0;
  for (GroupHistory& group : groups) {
    if (group.change) group.change->p_holm = adjusted[next++];
  }
}

bool has_changed(const GroupHistory& group, double confidence) {
  return group.change && group.change->p_holm && *group.change->p_holm < 1 - confidence;
}

std::optional<double> bound_of_p_holm(const ChangePoint& change) {
  if (!change.at_floor || !change.p_holm || *change.p_holm >= 1) return std::nullopt;
  const double unit = std::pow(10.0, std::floor(std::log10(*change.p_holm)) - 1);
  return std::ceil(*change.p_holm / unit - 1e-9) * unit;
}

}  // namespace scalelaw
