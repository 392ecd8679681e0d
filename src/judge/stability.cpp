// Fits of parts of the points: what they foretell at the greatest x, and how the exponent moves.

#include <algorithm>
#include <cmath>

#include "judge/levels.hpp"
#include "judge/rank_parts.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kFewestLevels = 3;  ///< Fewest x that tell an exponent.

void add_beta(std::vector<PartialBeta>& out, std::span<const Cell> cells,
              const RankOptions& options, std::optional<double> left_out = std::nullopt) {
  static const Law& power = *find_law("power");
  const auto result =
      fit_or_reason(cells, ranking_fit_options(power, options, Figures::kEstimates));
  const Fit* fit = std::get_if<Fit>(&result);
  if (fit == nullptr) return;
  out.push_back({.x_min = cells.front().x,
                 .x_max = cells.back().x,
                 .left_out = left_out,
                 .beta = fit->parameters[1].estimate,
                 .se = fit->parameters[1].se});
}

/// A mean of new rows scatters by sigma over the root of their weight, and the curve has its error.
HeldOutLaw held_out_law(const Fit& fit, double x, double weight, double log_error) {
  HeldOutLaw held{fit.law, log_error, {}};
  const auto curve_se = fit.curve_se(x);
  if (!curve_se || !fit.sigma || !(*fit.sigma > 0)) return held;
  const double error = std::sqrt(*fit.sigma * *fit.sigma / weight + *curve_se * *curve_se);
  const auto dof = static_cast<double>(fit.dof);
  held.inside = std::abs(log_error) <= student_t_factor(fit.confidence, dof) * error;
  const double t = log_error / error;
  if (std::isfinite(t)) held.p = student_t_p(t, dof);  // Both may be beyond all numbers.
  return held;
}

}  // namespace

Stability stability_of(std::span<const Cell> cells, const RankOptions& options) {
  Stability stability;
  const std::vector<std::size_t> begins = level_begins(cells);
  const std::size_t levels = begins.size() - 1;
  std::vector<Cell> rest;
  for (std::size_t k = 0; levels >= kFewestLevels && k < levels; ++k) {
    rest.assign(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(begins[k]));
    rest.insert(rest.end(), cells.begin() + static_cast<std::ptrdiff_t>(begins[k + 1]),
                cells.end());
    add_beta(stability.leave_one_out, rest, options, cells[begins[k]].x);
  }
  for (std::size_t k = kFewestLevels; k < levels; ++k) {
    add_beta(stability.prefixes, cells.first(begins[k]), options);
    add_beta(stability.suffixes, cells.subspan(begins[levels - k]), options);
  }
  for (std::size_t k = 0; k + 1 < levels; ++k) {
    add_beta(stability.local, cells.subspan(begins[k], begins[k + 2] - begins[k]), options);
  }
  return stability;
}

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
  HoldOut out{.x = x, .n = held_out.n};
  for (const Law* law : laws) {
    const auto result = fit_or_reason(kept, ranking_fit_options(*law, wald, Figures::kEstimates));
    const Fit* fit = std::get_if<Fit>(&result);
    if (fit == nullptr) continue;
    const double curve = fit->curve(x);
    if (!(curve > 0) || !std::isfinite(curve)) continue;
    const double log_error = held_out.mean - std::log(curve);
    out.laws.push_back(held_out_law(*fit, x, held_out.weight, log_error));
  }
  if (out.laws.empty()) return std::nullopt;
  std::ranges::stable_sort(out.laws, [](const HeldOutLaw& a, const HeldOutLaw& b) {
    return std::abs(a.log_error) < std::abs(b.log_error);
  });
  return out;
}

}  // namespace scalelaw
