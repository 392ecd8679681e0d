#include "scalelaw/judge/setting_optima.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "fit/bootstrap.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/least_squares.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kSameScale = 1.01;  ///< Sizes and tokens within 1 % are one cell.
constexpr std::size_t kFewestValues = 4;
constexpr std::size_t kFewestDrawnCells = 8;
constexpr std::uint32_t kDraws = 2000;
constexpr double kTogether = 1e-6;  ///< For a smaller 1 - r^2, ln n and ln d are one scale.

/// For each value the number of its heap: sorted values that follow within kSameScale.
std::vector<std::size_t> heaps_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  std::vector<double> starts;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i] > kSameScale * sorted[i - 1]) starts.push_back(sorted[i]);
  }
  std::vector<std::size_t> heaps;
  for (const double value : values) {
    const auto next = std::ranges::upper_bound(starts, value);
    heaps.push_back(static_cast<std::size_t>(next - starts.begin()));
  }
  return heaps;
}

/// The rows of each cell, by n, then d.
std::vector<std::vector<std::size_t>> rows_by_cell(const SurfaceRuns& runs) {
  const std::vector<std::size_t> sizes = heaps_of(runs.n);
  const std::vector<std::size_t> tokens = heaps_of(runs.d);
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> cells;
  for (std::size_t i = 0; i < runs.y.size(); ++i) cells[{sizes[i], tokens[i]}].push_back(i);
  std::vector<std::vector<std::size_t>> out;
  for (auto& [key, rows] : cells) out.push_back(std::move(rows));
  return out;
}

std::vector<double> logs_at(std::span<const double> values, std::span<const std::size_t> rows) {
  std::vector<double> logs;
  for (const std::size_t row : rows) logs.push_back(std::log(values[row]));
  return logs;
}

/// Fills the optimum of a cell, or its fault.
void find_vertex(SettingCell& cell, std::span<const double> log_settings,
                 std::span<const double> log_losses, double confidence) {
  if (cell.values < kFewestValues) {
    cell.fault = CellFault::kFewValues;
    return;
  }
  const double centre = mean_of(log_settings);
  std::vector<double> design;
  for (const double value : log_settings) {
    design.push_back(value - centre);
    design.push_back((value - centre) * (value - centre));
  }
  const LeastSquares fit = least_squares(log_losses, design, 2);
  const double slope = fit.estimates[1];
  const double bend = fit.estimates[2];
  if (!(bend > 0)) {
    cell.fault = CellFault::kNoMinimum;
    return;
  }
  const double vertex = -slope / (2 * bend);
  const double log_best = centre + vertex;
  if (log_best < std::log(cell.range.lower) || log_best > std::log(cell.range.upper)) {
    cell.fault = CellFault::kEdge;
    return;
  }
  cell.loss = std::exp(fit.estimates[0] + slope * vertex / 2);
  double variance = 0;
  if (!fit.covariance.empty()) {
    const std::array<double, 2> moves{-1 / (2 * bend), -vertex / bend};
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t k = 0; k < 2; ++k) {
        variance += moves[j] * moves[k] * fit.covariance[3 * (j + 1) + k + 1];
      }
    }
  }
  cell.log_best = student_estimate(log_best, std::sqrt(std::max(0.0, variance)),
                                   static_cast<double>(fit.dof), confidence);
}

SettingCell cell_of(const SurfaceRuns& runs, std::span<const double> setting,
                    std::span<const std::size_t> rows, double confidence) {
  const std::vector<double> log_settings = logs_at(setting, rows);
  const auto [least, greatest] = std::ranges::minmax_element(log_settings);
  SettingCell cell{.n = std::exp(mean_of(logs_at(runs.n, rows))),
                   .d = std::exp(mean_of(logs_at(runs.d, rows))),
                   .runs = rows.size(),
                   .values = std::set<double>(log_settings.begin(), log_settings.end()).size(),
                   .range = {std::exp(*least), std::exp(*greatest)}};
  find_vertex(cell, log_settings, logs_at(runs.y, rows), confidence);
  return cell;
}

/// The optima as a regression: a column of ones, and those of the scales that vary.
struct Optima {
  Matrix design;
  Vector log_best;
};

Vector solved(const Matrix& design, const Vector& values) {
  return (design.transpose() * design).ldlt().solve(design.transpose() * values);
}

/// A coefficient with its error by CR2 of clusters of one, and Satterthwaite's degrees of freedom.
Estimate coefficient(const Optima& optima, Eigen::Index k, double confidence) {
  const Matrix& design = optima.design;
  const Eigen::Index n = design.rows();
  const Matrix inverse =
      (design.transpose() * design).ldlt().solve(Matrix::Identity(design.cols(), design.cols()));
  const Matrix hat = design * inverse * design.transpose();
  const Vector residual = optima.log_best - hat * optima.log_best;
  const Vector weights = design * inverse.col(k);
  double variance = 0;
  Matrix spread(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double factor = weights[i] / std::sqrt(std::max(1e-12, 1 - hat(i, i)));
    variance += factor * factor * residual[i] * residual[i];
    for (Eigen::Index j = 0; j < n; ++j) spread(j, i) = ((i == j ? 1 : 0) - hat(j, i)) * factor;
  }
  const Matrix products = spread.transpose() * spread;
  const double dof = products.trace() * products.trace() / products.squaredNorm();
  return student_estimate(solved(design, optima.log_best)[k], std::sqrt(variance), dof, confidence);
}

/// Coefficients of drawn cells; those that cannot be told are left out.
std::vector<std::vector<double>> drawn_coefficients(const Optima& optima, std::uint64_t seed) {
  const auto n = static_cast<std::uint32_t>(optima.design.rows());
  const Eigen::Index p = optima.design.cols();
  RandomStream stream(seed);
  std::vector<std::vector<double>> draws(static_cast<std::size_t>(p));
  for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
    Matrix design(n, p);
    Vector values(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto place = static_cast<Eigen::Index>(stream.below(n));
      design.row(i) = optima.design.row(place);
      values[i] = optima.log_best[place];
    }
    const Eigen::LDLT<Matrix> solver(design.transpose() * design);
    constexpr double kFlat = 1e-9;
    const Vector pivots = solver.vectorD();
    if (!(pivots.minCoeff() > kFlat * pivots.maxCoeff())) continue;
    const Vector found = solver.solve(design.transpose() * values);
    for (Eigen::Index k = 0; k < p; ++k) draws[static_cast<std::size_t>(k)].push_back(found[k]);
  }
  return draws;
}

std::string faults_text(const std::vector<SettingCell>& cells) {
  std::map<CellFault, std::size_t> counts;
  for (const SettingCell& cell : cells) {
    if (cell.fault) ++counts[*cell.fault];
  }
  std::vector<std::string> texts;
  for (const auto& [fault, count] : counts) {
    texts.push_back(
        fmt::format("{} {}", counted(count, "cell"),
                    fault == CellFault::kFewValues   ? "with fewer than four values of the setting"
                    : fault == CellFault::kNoMinimum ? "where the loss does not rise on both sides"
                                                     : "with the minimum outside the sweep"));
  }
  return texts.empty() ? "" : "; there are " + joined(texts, ", ");
}

/// The scales that vary among the cells: n, d, or n alone where d is a power of it.
struct Varying {
  bool n;
  bool d;
  bool together;
};

Varying varying(const Vector& n, const Vector& d) {
  constexpr double kNone = 1e-12;
  const double nn = n.squaredNorm();
  const double dd = d.squaredNorm();
  const double nd = n.dot(d);
  const bool has_n = nn > kNone;
  const bool has_d = dd > kNone;
  const bool together = has_n && has_d && 1 - nd * nd / (nn * dd) < kTogether;
  return {has_n, has_d && !together, together};
}

}  // namespace

std::string_view name_of(CellFault fault) {
  return word_for(fault, {{CellFault::kFewValues, "few-values"},
                          {CellFault::kNoMinimum, "no-minimum"},
                          {CellFault::kEdge, "edge"}});
}

SettingOptima setting_optima(const SurfaceRuns& runs, std::span<const double> setting,
                             double confidence, std::uint64_t seed) {
  if (runs.n.size() != runs.y.size() || runs.d.size() != runs.y.size() ||
      setting.size() != runs.y.size()) {
    throw std::invalid_argument("setting_optima: sizes differ");
  }
  SettingOptima out{.cells = {}, .used = 0, .n0 = 0, .d0 = 0, .log_at_centre = {}};
  std::vector<double> log_n;
  std::vector<double> log_d;
  std::vector<double> best;
  for (const std::vector<std::size_t>& rows : rows_by_cell(runs)) {
    out.cells.push_back(cell_of(runs, setting, rows, confidence));
    const SettingCell& cell = out.cells.back();
    if (cell.fault) continue;
    log_n.push_back(std::log(cell.n));
    log_d.push_back(std::log(cell.d));
    best.push_back(cell.log_best->estimate);
  }
  out.used = best.size();
  const auto used = static_cast<Eigen::Index>(best.size());
  Vector n = Eigen::Map<const Vector>(log_n.data(), used);
  Vector d = Eigen::Map<const Vector>(log_d.data(), used);
  if (used > 0) {
    out.n0 = std::exp(n.mean());
    out.d0 = std::exp(d.mean());
    n.array() -= n.mean();
    d.array() -= d.mean();
  }
  const Varying scales = varying(n, d);
  const Eigen::Index columns = 1 + (scales.n ? 1 : 0) + (scales.d ? 1 : 0);
  if (columns == 1 || used < columns + 1) {
    throw FitError(
        FailureCode::kTooFewPoints,
        fmt::format("{} an optimum of the setting, and at least {} of different sizes or "
                    "tokens are needed{}",
                    used == 1 ? "1 cell tells" : fmt::format("{} cells tell", used),
                    std::max<Eigen::Index>(columns + 1, 3), faults_text(out.cells)));
  }
  Optima optima{Matrix::Ones(used, columns), Eigen::Map<const Vector>(best.data(), used)};
  if (scales.n) optima.design.col(1) = n;
  if (scales.d) optima.design.col(columns - 1) = d;
  out.together = scales.together;
  out.log_at_centre = coefficient(optima, 0, confidence);
  if (scales.n) out.n_exponent = coefficient(optima, 1, confidence);
  if (scales.d) out.d_exponent = coefficient(optima, columns - 1, confidence);
  if (out.used < kFewestDrawnCells) return out;
  auto draws = drawn_coefficients(optima, seed);
  if (draws.front().size() < 9 * kDraws / 10) return out;
  const double reach = student_t_factor(confidence, static_cast<double>(used - columns));
  if (scales.n) out.n_bootstrap = percentile_estimate(draws[1], reach);
  if (scales.d) out.d_bootstrap = percentile_estimate(draws.back(), reach);
  return out;
}

std::vector<GroupSettingOptima> setting_optima(std::span<const SurfaceRuns> groups,
                                               double confidence) {
  std::vector<GroupSettingOptima> out;
  for (const SurfaceRuns& runs : groups) {
    out.push_back({runs.group, outcome_of([&] {
                     return setting_optima(runs, runs.more.front(), confidence);
                   })});
  }
  return out;
}

}  // namespace scalelaw
