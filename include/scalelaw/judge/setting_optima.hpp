#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/surface_runs.hpp"
#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

/// Why a cell tells no optimum of the setting.
enum class CellFault {
  kFewValues,  ///< Fewer than four values of the setting: three fix a parabola whatever their
               ///< errors.
  kNoMinimum,  ///< The loss does not rise on both sides.
  kEdge,       ///< The minimum lies outside the values that were run.
};

/// "few-values", "no-minimum", "edge".
std::string_view name_of(CellFault fault);

/// Runs of one size and number of tokens with several values of a setting.
struct SettingCell {
  double n;
  double d;
  std::size_t runs;
  std::size_t values;  ///< Different ones of the setting.
  Interval range;      ///< Of the setting.
  /// Of ln of the value at which the loss is least; empty if the cell has a fault.
  std::optional<Estimate> log_best = {};
  std::optional<double> loss = {};  ///< The parabola's there.
  std::optional<CellFault> fault = {};
};

/// The best value of a setting over n and d: best = at_centre (n / n0)^n_exponent (d /
/// d0)^d_exponent.
struct SettingOptima {
  std::vector<SettingCell> cells;  ///< By n, then d.
  std::size_t used;                ///< Cells without a fault.
  double n0;                       ///< Geometric means over these.
  double d0;
  Estimate log_at_centre;
  std::optional<Estimate> n_exponent = {};  ///< Empty if n does not vary, or only with d.
  std::optional<Estimate> d_exponent = {};  ///< Empty if d does not vary, or only with n.
  bool together = false;  ///< d is a power of n, so that n_exponent is that of both.
  /// Of both exponents by draws of cells; empty below eight cells, where they do not hold.
  std::optional<BootstrapEstimate> n_bootstrap = {};
  std::optional<BootstrapEstimate> d_bootstrap = {};
};

using GroupSettingOptima = Grouped<SettingOptima>;

/// Finds the best value of a setting, such as the learning rate, in each cell of (n, d), and how it
/// moves with n and d.
///
/// Model: in each cell ln y is a parabola in ln s with independent scatter. Its vertex, if it lies
/// within the values of the cell, is the optimum. ln of the optima is linear in ln n and ln d, plus
/// errors that differ from cell to cell: least squares over cells, with the standard errors CR2 of
/// cells (one optimum each, so HC2) and Satterthwaite's degrees of freedom. The bootstrap draws
/// whole cells. Cells whose minimum lies at an edge are left out: they bound the optimum from one
/// side only.
///
/// @param setting  One value > 0 per run.
/// @throws FitError too-few-points if fewer than two cells more than exponents are left, with the
/// faults of the others.
/// @throws std::invalid_argument if sizes differ.
///
/// Source: the parabolas of Bjorck et al. (2024); Bell and McCaffrey (2002).
SettingOptima setting_optima(const SurfaceRuns& runs, std::span<const double> setting,
                             double confidence, std::uint64_t seed = 1);

/// The same for every group, whose setting is the first of SurfaceRuns::more.
std::vector<GroupSettingOptima> setting_optima(std::span<const SurfaceRuns> groups,
                                               double confidence);

}  // namespace scalelaw
