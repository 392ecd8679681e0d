#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/fit/direction_dof.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/fit/pooling.hpp"

namespace scalelaw {

/// More parameters than any law has. It sizes the small matrices, which need no heap.
inline constexpr std::size_t kMaxParameters = 9;

using SmallVector = std::array<double, kMaxParameters>;
/// Row-major with kMaxParameters columns, of which the first p are used.
using SmallMatrix = std::array<SmallVector, kMaxParameters>;

/// The response of one group on the scale of the fit, and further sums over its cells.
struct FitPoints {
  std::span<const Cell> cells;
  const Law* law = nullptr;
  Response response = Response::kTime;
  bool rate_of_one = false;
  Scale scale = Scale::kLog;
  std::uint64_t n = 0;  ///< Points (rows).
  std::size_t distinct_x = 0;
  double total_mass = 0;  ///< Sum of count * weight.
  double within = 0;      ///< Weighted scatter inside the cells, which no curve changes.
  double largest = 0;     ///< Greatest |response|, to tell rounding noise from scatter.
  bool weighted = false;
  std::vector<double> mass;  ///< count * weight of each cell.
  std::vector<double> mean;  ///< Mean response of each cell.

  std::size_t size() const { return cells.size(); }
  double scatter(std::size_t i) const {
    return scale == Scale::kLog ? cells[i].ss_log : cells[i].ss;
  }
};

/// A least-squares solution and its linearisation: the source of standard errors and influences.
///
/// The rows q_i, one per cell, are orthonormal: the sum over cells of mass_i q_i q_i' is I. A row
/// of cell i has leverage weight_i |q_i|^2. If the coefficients of the q change, an estimate
/// changes by `back` times that.
struct Solution {
  std::size_t p = 0;
  std::size_t fitted = 0;  ///< Of these, how many the fit finds; others are held.
  bool intercept = false;  ///< The first column of a linear design is 1.
  bool linear = true;
  SmallVector theta{};
  std::array<bool, kMaxParameters> on_bound{};  ///< The linearisation holds it fixed there.
  SmallMatrix back{};
  /// Weighted, with the scatter inside cells; exactly 0 if it is rounding noise.
  double rss = 0;
  double explained = 0;  ///< Weighted regression sum of squares (linear laws only).
  double tss = 0;  ///< Weighted; about the mean, or about 0 for linear laws without intercept.
  std::vector<double> rows;                    ///< size x p.
  std::vector<double> residual;                ///< Cell mean minus fitted value.
  std::vector<double> design;                  ///< size x p: gradient of the fitted value.
  std::vector<double> design_x;                ///< If `design` is that of a linear law, its x.
  std::uint64_t design_law = 0;                ///< The id of its law; 0 for others.
  Response design_response = Response::kTime;  ///< The direction of its response.
  std::vector<double> rows_mass;               ///< Masses for which `rows` come from that design.

  std::span<const double> row(std::size_t i) const { return {rows.data() + i * p, p}; }
  double squared_length(std::size_t i) const {
    double sum = 0;
    for (const double q : row(i)) sum += q * q;
    return sum;
  }
  /// back back' times `variance`: the covariance of the estimates where points scatter evenly.
  SmallMatrix even_covariance(double variance) const;
};

/// The place of a law's parameter. @throws DataError if it has none of that name.
std::size_t parameter_named(const Law& law, std::string_view name);

/// @throws std::invalid_argument if groups that are fitted so cannot share their scatter.
void check_pooling(const FitOptions& options);

/// Checks the cells and collects the inputs of the fit in `out`, whose memory is reused.
///
/// @throws std::invalid_argument if cells are empty, not sorted by x, or not finite as needed.
void observe(std::span<const Cell> cells, const FitOptions& options, FitPoints& out);

/// Solves the law's least-squares problem into `out`, whose memory is reused. Linear laws of one or
/// two parameters have a closed form, larger ones use column-pivoted QR, and other laws use
/// Levenberg-Marquardt steps.
///
/// @throws FitError too-few-points, too-few-x, no-spread, not-converged or not-identifiable.
void solve(const FitPoints& points, Solution& out);

/// The same for linear laws if `solution` already has `design` and `intercept`, for refits with
/// other masses or responses. `total_mass` must be the sum of the masses.
void solve_linear(const FitPoints& points, Solution& solution);

/// Covariance of the working parameters, and their degrees of freedom if these are not n - p.
struct Covariance {
  SmallMatrix matrix{};
  std::array<std::optional<double>, kMaxParameters> dof{};
};

/// sigma^2 (X'X)^-1; empty at dof 0.
std::optional<Covariance> classic_covariance(const FitPoints& points, const Solution& solution);

/// The same with the variance of all groups, and its degrees of freedom.
Covariance pooled_covariance(const Solution& solution, const Pooling& pooling);

/// The number of different runs.
std::size_t cluster_count(const FitPoints& points);

/// The covariance of the requested kind, from cells (docs/explanation/standard-errors.md). Empty if
/// it is undefined: no degrees of freedom, fewer than two clusters, scores of clusters that cancel,
/// or a point of leverage 1 under HC2 and HC3.
///
/// Source: White (1980) HC0; MacKinnon & White (1985) HC1-HC3; Bell & McCaffrey (2002) HC2 with
/// their degrees of freedom and CR2; Liang & Zeger (1986) CR1; Pustejovsky & Tipton (2018)
/// Satterthwaite degrees of freedom.
std::optional<Covariance> covariance_of(const FitPoints& points, const Solution& solution,
                                        StandardError kind);

/// A row's leverage counts as 1 from here on: the difference is rounding.
inline constexpr double kFullLeverage = 1 - 1e-10;

/// A weighted sum of squared residuals below this is rounding noise: the fit is exact.
double noise_floor(const FitPoints& points, double largest_term);

/// Computes `rows` and `back` from `design` by modified Gram-Schmidt, done twice, in long double.
/// Rows and columns of parameters on a bound are 0. False if the columns are collinear.
bool orthonormalise(const FitPoints& points, Solution& solution);

/// The iterative part of solve(), in nonlinear.cpp.
void solve_nonlinear(const FitPoints& points, Solution& out);

/// What one thread remembers from group to group, separately for each law, because ranking fits
/// several laws in turn. If there are too many laws, the first one is forgotten.
template <class T>
class PerLaw {
 public:
  T& operator[](const Law& law) {
    for (auto& [owner, value] : entries_) {
      if (owner == law.id()) return value;
    }
    auto& entry = entries_[next_++ % entries_.size()];
    entry.first = law.id();
    return entry.second;
  }

 private:
  static constexpr std::size_t kLaws = 12;
  std::array<std::pair<std::uint64_t, T>, kLaws> entries_{};  ///< By the id of the law.
  std::size_t next_ = 0;
};

/// How many degrees of freedom functions of the parameters have under CR2, where covariance_of()
/// has it.
DirectionDof cr2_directions(const FitPoints& points, const Solution& solution);

}  // namespace scalelaw
