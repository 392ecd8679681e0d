#include <cmath>

#include "judge/levels.hpp"
#include "judge/rank_parts.hpp"

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

}  // namespace scalelaw
