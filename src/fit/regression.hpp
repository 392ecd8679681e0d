#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// More than any law has; sizes the small matrices that need no heap.
inline constexpr std::size_t kMaxParameters = 9;

using SmallVector = std::array<double, kMaxParameters>;
/// Row-major with kMaxParameters columns, of which the first p are used.
using SmallMatrix = std::array<SmallVector, kMaxParameters>;

/// The response of one group on the scale of the fit, and what the cells say besides.
struct FitPoints {
  std::span<const Cell> cells;
  const Law* law = nullptr;
  Response response = Response::kTime;
  Scale scale = Scale::kLog;
  std::uint64_t n = 0;  ///< Points (rows).
  std::size_t distinct_x = 0;
  double total_mass = 0;  ///< Sum of count * weight.
  double within = 0;      ///< Weighted scatter inside the cells, which no curve can change.
  double largest = 0;     ///< Greatest |response|, for telling rounding noise from scatter.
  bool weighted = false;
  std::vector<double> mass;  ///< count * weight of each cell.
  std::vector<double> mean;  ///< Mean response of each cell.

  std::size_t size() const { return cells.size(); }
  double scatter(std::size_t i) const {
    return scale == Scale::kLog ? cells[i].ss_log : cells[i].ss;
  }
};

/// A least-squares solution with its linearisation, from which every standard error and influence
/// figure follows.
///
/// The rows q_i (one a cell) are orthonormal: sum over cells of mass_i q_i q_i' = I. A row of cell
/// i has leverage weight_i |q_i|^2, and an estimate moves by `back` times what the coefficients of
/// the q move.
struct Solution {
  std::size_t p = 0;
  bool intercept = false;  ///< The first column of a linear design is 1.
  bool linear = true;
  SmallVector theta{};
  std::array<bool, kMaxParameters> on_bound{};  ///< Held fixed there by the linearisation.
  SmallMatrix back{};
  /// Weighted, scatter inside cells included; exactly 0 where it is rounding noise.
  double rss = 0;
  double explained = 0;  ///< Weighted regression sum of squares (linear laws only).
  double tss = 0;  ///< Weighted; about the mean, or about 0 for linear laws without intercept.
  std::vector<double> rows;                    ///< size x p.
  std::vector<double> residual;                ///< Cell mean minus fitted value.
  std::vector<double> design;                  ///< size x p: gradient of the fitted value.
  std::vector<double> design_x;                ///< Where `design` is that of a linear law: its x,
  std::uint64_t design_law = 0;                ///< the id of its law (0 for others)
  Response design_response = Response::kTime;  ///< and the way of its response.
  std::vector<double> rows_mass;               ///< Masses for which `rows` come from that design.

  std::span<const double> row(std::size_t i) const { return {rows.data() + i * p, p}; }
  double squared_length(std::size_t i) const {
    double sum = 0;
    for (const double q : row(i)) sum += q * q;
    return sum;
  }
};

/// Checks the cells and gathers what the fit needs into `out`, whose memory is reused.
///
/// @throws std::invalid_argument if cells are not sorted by x, empty, or not finite where the law
/// needs them.
void observe(std::span<const Cell> cells, const FitOptions& options, FitPoints& out);

/// Solves the law's least-squares problem into `out`, whose memory is reused: in closed form for
/// linear laws of one or two parameters, by column-pivoted QR for larger ones, by
/// Levenberg-Marquardt steps otherwise.
///
/// @throws FitError too-few-points, too-few-x, no-spread, not-converged or not-identifiable.
void solve(const FitPoints& points, Solution& out);

/// The same for linear laws whose `design` and `intercept` stand in `solution` already: refits with
/// other masses or responses. `total_mass` must be the sum of the masses.
void solve_linear(const FitPoints& points, Solution& solution);

/// Below this a weighted sum of squared residuals is rounding noise: the fit is exact.
double noise_floor(const FitPoints& points, double largest_term);

/// Makes `rows` and `back` from `design` by modified Gram-Schmidt, done twice, in long double; rows
/// and columns of parameters on a bound are 0. False if the columns are collinear.
bool orthonormalise(const FitPoints& points, Solution& solution);

/// Iterative part of solve(): see nonlinear.cpp.
void solve_nonlinear(const FitPoints& points, Solution& out);

}  // namespace scalelaw
