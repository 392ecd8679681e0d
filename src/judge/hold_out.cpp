#include <algorithm>
#include <cmath>

#include "judge/levels.hpp"
#include "judge/rank_parts.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// A mean of new rows scatters by sigma over the root of their weight, and the curve has its error.
std::optional<bool> is_inside(const Fit& fit, double x, double weight, double log_error) {
  const auto curve_se = fit.curve_se(x);
  if (!curve_se || !fit.sigma || !(*fit.sigma > 0)) return std::nullopt;
  const double scatter = *fit.sigma * *fit.sigma / weight;
  const double reach = student_t_factor(fit.confidence, static_cast<double>(fit.dof)) *
                       std::sqrt(scatter + *curve_se * *curve_se);
  return std::abs(log_error) <= reach;
}

}  // namespace

std::optional<HoldOut> hold_out(std::span<const Cell> cells, std::span<const Law* const> laws,
                                const RankOptions& options) {
  if (cells.empty()) return std::nullopt;
  const std::vector<std::size_t> begins = level_begins(cells);
  const auto kept = cells.first(begins[begins.size() - 2]);
  if (kept.empty()) return std::nullopt;
  const double x = cells.back().x;
  const LogMean held_out = log_mean(cells.subspan(kept.size()));
  RankOptions wald = options;
  wald.intervals = Intervals::kWald;
  HoldOut out{.x = x, .n = held_out.n, .laws = {}};
  for (const Law* law : laws) {
    const auto result = fit_or_reason(kept, ranking_fit_options(*law, wald, Figures::kEstimates));
    const Fit* fit = std::get_if<Fit>(&result);
    if (fit == nullptr) continue;
    const double curve = fit->curve(x);
    if (!(curve > 0) || !std::isfinite(curve)) continue;
    const double log_error = held_out.mean - std::log(curve);
    out.laws.push_back({law, log_error, is_inside(*fit, x, held_out.weight, log_error)});
  }
  if (out.laws.empty()) return std::nullopt;
  std::stable_sort(out.laws.begin(), out.laws.end(), [](const HeldOutLaw& a, const HeldOutLaw& b) {
    return std::abs(a.log_error) < std::abs(b.log_error);
  });
  return out;
}

}  // namespace scalelaw
