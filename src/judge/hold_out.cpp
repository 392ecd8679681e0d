#include <algorithm>
#include <cmath>

#include "fit/distributions.hpp"
#include "judge/rank_parts.hpp"

namespace scalelaw {
namespace {

/// What is held out: the rows of the greatest x as one mean.
struct Target {
  double x;
  std::uint64_t n = 0;
  double mean_log = 0;
  double weight = 0;  ///< Sum over its rows.
};

Target target_of(std::span<const Cell> held_out) {
  Target target{.x = held_out.front().x};
  double sum = 0;
  for (const Cell& cell : held_out) {
    const double mass = static_cast<double>(cell.count) * cell.weight;
    target.n += cell.count;
    target.weight += mass;
    sum += mass * cell.mean_log;
  }
  target.mean_log = sum / target.weight;
  return target;
}

/// A mean of new rows scatters by sigma over the root of their weight, and the curve by its error.
std::optional<bool> is_inside(const Fit& fit, const Target& target, double log_error) {
  const auto curve_se = fit.curve_se(target.x);
  if (!curve_se || !fit.sigma || !(*fit.sigma > 0)) return std::nullopt;
  const double scatter = *fit.sigma * *fit.sigma / target.weight;
  const double reach = student_t_factor(fit.confidence, static_cast<double>(fit.dof)) *
                       std::sqrt(scatter + *curve_se * *curve_se);
  return std::abs(log_error) <= reach;
}

}  // namespace

std::optional<HoldOut> hold_out(std::span<const Cell> cells, std::span<const Law* const> laws,
                                const RankOptions& options) {
  if (cells.empty()) return std::nullopt;
  const auto at_last = [&](const Cell& cell) { return cell.x == cells.back().x; };
  const auto split = std::find_if(cells.begin(), cells.end(), at_last);
  const auto kept = cells.first(static_cast<std::size_t>(split - cells.begin()));
  if (kept.empty()) return std::nullopt;
  const Target target = target_of(cells.subspan(kept.size()));
  RankOptions wald = options;
  wald.intervals = Intervals::kWald;
  HoldOut out{.x = target.x, .n = target.n, .laws = {}};
  for (const Law* law : laws) {
    const auto result = fit_or_reason(kept, ranking_fit_options(*law, wald, Figures::kEstimates));
    const Fit* fit = std::get_if<Fit>(&result);
    if (fit == nullptr) continue;
    const double curve = fit->curve(target.x);
    if (!(curve > 0) || !std::isfinite(curve)) continue;
    const double log_error = target.mean_log - std::log(curve);
    out.laws.push_back({law, log_error, is_inside(*fit, target, log_error)});
  }
  if (out.laws.empty()) return std::nullopt;
  std::stable_sort(out.laws.begin(), out.laws.end(), [](const HeldOutLaw& a, const HeldOutLaw& b) {
    return std::abs(a.log_error) < std::abs(b.log_error);
  });
  return out;
}

}  // namespace scalelaw
