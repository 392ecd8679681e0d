#include "scalelaw/statistics/estimate.hpp"

#include <algorithm>
#include <numeric>

#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {

Estimate student_estimate(double estimate, double se, double dof, double confidence) {
  Estimate out;
  out.estimate = estimate;
  if (!(dof > 0) || !std::isfinite(se)) return out;
  out.se = se;
  out.dof = dof;
  out.ci = interval_at(out, confidence);
  if (se > 0) {
    out.t = estimate / se;
    out.p = student_t_p(*out.t, dof);
  }
  return out;
}

std::optional<Interval> interval_at(const Estimate& estimate, double confidence) {
  if (!estimate.se || !estimate.dof) return std::nullopt;
  const double reach = student_t_factor(confidence, *estimate.dof) * *estimate.se;
  return Interval{estimate.estimate - reach, estimate.estimate + reach};
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto remaining = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, remaining * p_values[order[rank]]));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

}  // namespace scalelaw
