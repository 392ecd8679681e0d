#include "scalelaw/energy/setting_curve.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/errors.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/random.hpp"
#include "statistics/spectra.hpp"

namespace scalelaw {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kNull = 2;            ///< Dimensions without roughness: straight lines.
constexpr double kCornerPrior = 0.9;  ///< Prior weight of curves with a corner.
constexpr int kPenalties = 41;        ///< Penalties that the average over ln penalty takes.

/// Means of ln y at the distinct settings, which are scaled to [0, 1].
struct CurvePoints {
  std::vector<double> at;  ///< The settings, not scaled.
  VectorXd u;
  VectorXd mean;
  VectorXd weight;  ///< Runs at each setting.
  double ss_within = 0;
  double runs = 0;
  double origin = 0;
  double range = 1;
  bool in_logs = false;  ///< Whether u is linear in ln setting.

  double place(double setting_value) const {
    return ((in_logs ? std::log(setting_value) : setting_value) - origin) / range;
  }
  double setting(double u_value) const {
    const double value = origin + range * u_value;
    return in_logs ? std::exp(value) : value;
  }
  /// The derivative of a setting after u there.
  double stretch(double setting_value) const { return in_logs ? range * setting_value : range; }
};

CurvePoints points_of(std::span<const double> settings, std::span<const double> y) {
  if (settings.size() != y.size()) throw std::invalid_argument("settings and y differ in size");
  std::vector<std::pair<double, double>> rows;
  for (std::size_t i = 0; i < y.size(); ++i) rows.emplace_back(settings[i], std::log(y[i]));
  std::ranges::sort(rows);
  std::vector<double> mean;
  std::vector<double> weight;
  CurvePoints points;
  std::vector<double>& at = points.at;
  for (std::size_t i = 0, end = 0; i < rows.size(); i = end) {
    double sum = 0;
    for (; end < rows.size() && rows[end].first == rows[i].first; ++end) sum += rows[end].second;
    const auto count = static_cast<double>(end - i);
    at.push_back(rows[i].first);
    mean.push_back(sum / count);
    weight.push_back(count);
    for (std::size_t j = i; j < end; ++j) {
      points.ss_within += std::pow(rows[j].second - mean.back(), 2);
    }
  }
  if (at.size() < kLeastSettingsOfCurve) {
    throw fit_error(FailureCode::kTooFewX,
                    "a curve over the setting needs {} different ones, found {}",
                    kLeastSettingsOfCurve, at.size());
  }
  const auto vector = [](const std::vector<double>& from) {
    return VectorXd(Eigen::Map<const VectorXd>(from.data(), static_cast<Index>(from.size())));
  };
  constexpr double kWide = 20;  // Batch sizes; clocks and power limits are not.
  points.in_logs = at.front() > 0 && at.back() > kWide * at.front();
  points.origin = points.in_logs ? std::log(at.front()) : at.front();
  points.range = (points.in_logs ? std::log(at.back()) : at.back()) - points.origin;
  points.u = vector(at).unaryExpr([&](double setting) { return points.place(setting); });
  points.mean = vector(mean);
  points.weight = vector(weight);
  points.runs = static_cast<double>(rows.size());
  return points;
}

/// A natural cubic spline through values g at the knots (Green and Silverman, sec. 2.1). Its second
/// derivatives at the inner knots are curvature * g, and its roughness is g' * roughness * g.
struct Spline {
  MatrixXd curvature;  ///< m x m; the first and last rows are 0.
  MatrixXd roughness;  ///< m x m.
};

Spline spline_over(const VectorXd& u) {
  const Index m = u.size();
  const VectorXd h = u.tail(m - 1) - u.head(m - 1);
  MatrixXd q = MatrixXd::Zero(m, m - 2);
  MatrixXd r = MatrixXd::Zero(m - 2, m - 2);
  for (Index j = 0; j < m - 2; ++j) {
    q(j, j) = 1 / h(j);
    q(j + 1, j) = -1 / h(j) - 1 / h(j + 1);
    q(j + 2, j) = 1 / h(j + 1);
    r(j, j) = (h(j) + h(j + 1)) / 3;
    if (j + 1 < m - 2) r(j, j + 1) = r(j + 1, j) = h(j + 1) / 6;
  }
  const MatrixXd inner = r.llt().solve(q.transpose());
  MatrixXd curvature = MatrixXd::Zero(m, m);
  curvature.middleRows(1, m - 2) = inner;
  return {std::move(curvature), q * inner};
}

/// The matrix that takes the spline's values at the knots to its values at `where`.
MatrixXd rows_at(const VectorXd& u, const Spline& spline, const VectorXd& where) {
  const Index m = u.size();
  MatrixXd rows = MatrixXd::Zero(where.size(), m);
  Index piece = 0;
  for (Index i = 0; i < where.size(); ++i) {
    while (piece + 2 < m && where(i) > u(piece + 1)) ++piece;
    const double h = u(piece + 1) - u(piece);
    const double b = (where(i) - u(piece)) / h;
    const double a = 1 - b;
    rows(i, piece) = a;
    rows(i, piece + 1) = b;
    const double left = (a * a * a - a) * h * h / 6;
    const double right = (b * b * b - b) * h * h / 6;
    rows.row(i) += left * spline.curvature.row(piece) + right * spline.curvature.row(piece + 1);
  }
  return rows;
}

/// The spline g = basis * c, where data and roughness are diagonal (Demmler and Reinsch 1975).
struct Diagonal {
  MatrixXd basis;
  VectorXd c;          ///< Coefficients of the means.
  VectorXd roughness;  ///< Ascending; the first kNull are 0.
};

Diagonal diagonal_of(const CurvePoints& points, const Spline& spline) {
  const VectorXd root = points.weight.cwiseSqrt();
  const MatrixXd scaled =
      root.cwiseInverse().asDiagonal() * spline.roughness * root.cwiseInverse().asDiagonal();
  const Index m = scaled.rows();
  const SymmetricEigen eigen = symmetric_eigen(
      {scaled.data(), static_cast<std::size_t>(scaled.size())}, static_cast<std::size_t>(m));
  const Eigen::Map<const MatrixXd> vectors(eigen.vectors.data(), m, m);
  Diagonal out;
  out.basis = root.cwiseInverse().asDiagonal() * vectors;
  out.c = vectors.transpose() * root.cwiseProduct(points.mean);
  out.roughness = Eigen::Map<const VectorXd>(eigen.values.data(), m).cwiseMax(0);
  out.roughness.head(kNull).setZero();
  return out;
}

/// A place where the slope may change, by a multiple of h(u) = max(u - place, 0).
struct Corner {
  double place;
  VectorXd c;  ///< Coefficients of h at the knots.

  double height(double u) const { return std::max(u - place, 0.0); }
};

/// Corners at the inner knots and half way between knots.
std::vector<Corner> corners_of(const CurvePoints& points, const Diagonal& spline) {
  const Index m = points.u.size();
  std::vector<Corner> corners;
  for (Index i = 2; i + 2 < 2 * m - 1; ++i) {
    const double place = 0.5 * (points.u(i / 2) + points.u((i + 1) / 2));
    const VectorXd h = (points.u.array() - place).cwiseMax(0);
    corners.push_back({place, spline.basis.transpose() * points.weight.cwiseProduct(h)});
  }
  return corners;
}

/// The posterior of the curve given a penalty and a corner, or no corner.
struct Candidate {
  double weight = 0;
  std::size_t penalty = 0;
  const Corner* corner = nullptr;
  double ss = 0;       ///< Residual sum of squares plus penalty.
  double size = 0;     ///< Size of the corner: its posterior mean,
  double size_sd = 0;  ///< and its standard deviation over sigma.
};

/// All candidates, and how much each penalty shrinks each coefficient.
struct CurveMixture {
  std::vector<VectorXd> shrink;
  std::vector<Corner> corners;
  std::vector<Candidate> candidates;
};

/// Penalties between the one that keeps every coefficient and the one that leaves a straight line.
std::vector<VectorXd> shrinkages_of(const Diagonal& spline) {
  const double least = std::log(1e-3 / spline.roughness(spline.c.size() - 1));
  const double greatest = std::log(1e3 / spline.roughness(kNull));
  std::vector<VectorXd> shrink;
  for (int i = 0; i < kPenalties; ++i) {
    const double penalty = std::exp(least + (greatest - least) * i / (kPenalties - 1));
    shrink.emplace_back((1 + penalty * spline.roughness.array()).inverse());
  }
  return shrink;
}

/// Turns ln weights into weights that sum to 1.
void normalise(std::vector<Candidate>& candidates) {
  double top = -kInfinity;
  for (const Candidate& candidate : candidates) top = std::max(top, candidate.weight);
  double sum = 0;
  for (Candidate& candidate : candidates)
    sum += candidate.weight = std::exp(candidate.weight - top);
  for (Candidate& candidate : candidates) candidate.weight /= sum;
}

/// Weights by restricted likelihood. A corner's prior is worth one run (Kass and Wasserman 1995).
CurveMixture mixture_of(const CurvePoints& points, const Diagonal& spline) {
  CurveMixture mixture{shrinkages_of(spline), corners_of(points, spline), {}};
  const double dof = points.runs - static_cast<double>(kNull);
  const double keep = points.runs / (points.runs + 1);
  const double prior =
      std::log(kCornerPrior / (1 - kCornerPrior) / static_cast<double>(mixture.corners.size())) +
      0.5 * std::log1p(-keep);
  for (std::size_t i = 0; i < mixture.shrink.size(); ++i) {
    const VectorXd lost = 1 - mixture.shrink[i].array();
    const double ss = points.ss_within + (lost.array() * spline.c.array().square()).sum();
    const double determinant = 0.5 * lost.tail(lost.size() - kNull).array().log().sum();
    const auto add = [&](Candidate candidate, double log_prior) {
      candidate.penalty = i;
      candidate.ss = std::max(candidate.ss, std::numeric_limits<double>::min());
      candidate.weight = determinant - 0.5 * dof * std::log(candidate.ss) + log_prior;
      mixture.candidates.push_back(candidate);
    };
    add({.corner = nullptr, .ss = ss}, 0);
    for (const Corner& corner : mixture.corners) {
      const VectorXd seen = lost.cwiseProduct(corner.c);
      const double precision = seen.dot(corner.c);
      const double size = seen.dot(spline.c) / precision;
      add({.corner = &corner,
           .ss = ss - keep * size * size * precision,
           .size = keep * size,
           .size_sd = std::sqrt(keep / precision)},
          prior);
    }
  }
  normalise(mixture.candidates);
  return mixture;
}

/// A curve: the coefficients of its smooth part, and its corner.
struct CornerCurve {
  VectorXd c;
  const Corner* corner = nullptr;
  double size = 0;

  VectorXd on(const VectorXd& where, const MatrixXd& rows) const {
    VectorXd values = rows * c;
    if (corner == nullptr) return values;
    for (Index i = 0; i < where.size(); ++i) values(i) += size * corner->height(where(i));
    return values;
  }
};

/// Draws a candidate by its weight.
const Candidate& drawn(const std::vector<Candidate>& candidates, double uniform) {
  for (const Candidate& candidate : candidates) {
    uniform -= candidate.weight;
    if (uniform < 0) return candidate;
  }
  return candidates.back();
}

CornerCurve drawn_curve(const Diagonal& spline, const CurveMixture& mixture, double dof,
                        RandomStream& stream) {
  const Candidate& candidate = drawn(mixture.candidates, stream.uniform());
  const VectorXd& shrink = mixture.shrink[candidate.penalty];
  const double sigma = std::sqrt(candidate.ss / stream.chi_squared(dof));
  CornerCurve curve{spline.c, candidate.corner, candidate.size};
  if (curve.corner != nullptr) {
    curve.size += sigma * candidate.size_sd * stream.normal();
    curve.c -= curve.size * curve.corner->c;
  }
  curve.c = shrink.cwiseProduct(curve.c);
  for (Index j = 0; j < curve.c.size(); ++j) {
    curve.c(j) += sigma * std::sqrt(shrink(j)) * stream.normal();
  }
  return curve;
}

/// The posterior mean at `where`.
VectorXd mean_on(const VectorXd& where, const MatrixXd& rows, const Diagonal& spline,
                 const CurveMixture& mixture) {
  VectorXd c = VectorXd::Zero(spline.c.size());
  VectorXd corners = VectorXd::Zero(where.size());
  for (const Candidate& candidate : mixture.candidates) {
    if (candidate.weight < 1e-12) continue;
    CornerCurve curve{spline.c, candidate.corner, candidate.size};
    if (curve.corner != nullptr) {
      curve.c -= curve.size * curve.corner->c;
      for (Index i = 0; i < where.size(); ++i) {
        corners(i) += candidate.weight * curve.size * curve.corner->height(where(i));
      }
    }
    c += candidate.weight * mixture.shrink[candidate.penalty].cwiseProduct(curve.c);
  }
  return rows * c + corners;
}

/// The slope at the knots, by differences of the curve beside them.
VectorXd slopes_on(const VectorXd& grid, const VectorXd& curve, const VectorXd& u) {
  const Index parts = (grid.size() - 1) / (u.size() - 1);
  VectorXd slopes(u.size());
  for (Index i = 0; i < u.size(); ++i) {
    const Index left = std::max<Index>(i * parts - 1, 0);
    const Index right = std::min<Index>(i * parts + 1, grid.size() - 1);
    slopes(i) = (curve(right) - curve(left)) / (grid(right) - grid(left));
  }
  return slopes;
}

/// Where a curve on a grid is least, by a parabola between its points; the ends are not refined.
double least_on(const VectorXd& grid, const VectorXd& curve) {
  Index i = 0;
  curve.minCoeff(&i);
  if (i == 0 || i + 1 == curve.size()) return grid(i);
  const double left = grid(i) - grid(i - 1);
  const double right = grid(i + 1) - grid(i);
  const double down = (curve(i - 1) - curve(i)) / left;
  const double up = (curve(i + 1) - curve(i)) / right;
  return grid(i) + 0.5 * (down * right - up * left) / (down + up);
}

/// Every knot, and points between them.
VectorXd fine_grid(const VectorXd& u) {
  const Index parts =
      2 * std::max<Index>(2, 128 / (u.size() - 1));  // Even: corners stand half way.
  VectorXd grid((u.size() - 1) * parts + 1);
  for (Index i = 0; i + 1 < grid.size(); ++i) {
    const Index piece = i / parts;
    const double b = static_cast<double>(i % parts) / static_cast<double>(parts);
    grid(i) = u(piece) + b * (u(piece + 1) - u(piece));
  }
  grid(grid.size() - 1) = u(u.size() - 1);
  return grid;
}

/// The interval with a share (1 - confidence) / 2 of the draws beyond each end.
Interval central(std::vector<double>& draws, double confidence) {
  std::ranges::sort(draws);
  const auto last = static_cast<double>(draws.size() - 1);
  const auto quantile = [&](double p) {
    const double place = p * last;
    const auto below = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(below);
    const double next = draws[std::min(below + 1, draws.size() - 1)];
    return draws[below] + part * (next - draws[below]);
  };
  return {quantile((1 - confidence) / 2), quantile((1 + confidence) / 2)};
}

/// Draws of the curve at the knots, and of the place where it is least.
struct CurveDraws {
  std::vector<std::vector<double>> values;  ///< One list per knot.
  std::vector<double> minima;               ///< On [0, 1].
};

CurveDraws drawn_curves(const CurvePoints& points, const Diagonal& spline,
                        const CurveMixture& mixture, const MatrixXd& to_grid, const VectorXd& grid,
                        std::uint32_t count) {
  RandomStream stream(1);
  const double dof = points.runs - static_cast<double>(kNull);
  CurveDraws draws;
  draws.values.resize(static_cast<std::size_t>(points.u.size()));
  const Index parts = (grid.size() - 1) / (points.u.size() - 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    const VectorXd curve = drawn_curve(spline, mixture, dof, stream).on(grid, to_grid);
    for (Index j = 0; j < points.u.size(); ++j) {
      draws.values[static_cast<std::size_t>(j)].push_back(curve(j * parts));
    }
    draws.minima.push_back(least_on(grid, curve));
  }
  return draws;
}

std::optional<Interval> minimum_interval(const CurvePoints& points, std::vector<double>& minima,
                                         double confidence) {
  const Interval ci = central(minima, confidence);
  return Interval{ci.lower <= 0 ? -kInfinity : points.setting(ci.lower),
                  ci.upper >= 1 ? kInfinity : points.setting(ci.upper)};
}

CurveMinimum minimum_of(const CurvePoints& points, const VectorXd& grid, const VectorXd& on_grid) {
  CurveMinimum minimum;
  const double u = least_on(grid, on_grid);
  minimum.at_edge = u <= 0 ? SweepEnd::kLower : u >= 1 ? SweepEnd::kUpper : SweepEnd::kNone;
  const double setting = points.setting(std::clamp(u, 0.0, 1.0));
  if (minimum.at_edge == SweepEnd::kNone) minimum.setting = setting;
  minimum.level = *std::ranges::min_element(
      points.at, [=](double a, double b) { return std::abs(a - setting) < std::abs(b - setting); });
  return minimum;
}

}  // namespace

std::string_view name_of(SweepEnd end) {
  return word_for(
      end, {{SweepEnd::kLower, "lower"}, {SweepEnd::kUpper, "upper"}, {SweepEnd::kNone, ""}});
}

SmoothCurve fit_smooth_curve(std::span<const double> settings, std::span<const double> y,
                             double confidence, std::uint32_t draws) {
  const CurvePoints points = points_of(settings, y);
  const Spline spline = spline_over(points.u);
  const Diagonal diagonal = diagonal_of(points, spline);
  const VectorXd grid = fine_grid(points.u);
  const MatrixXd to_grid = rows_at(points.u, spline, grid) * diagonal.basis;
  const CurveMixture mixture = mixture_of(points, diagonal);
  double variance = 0;
  for (const Candidate& candidate : mixture.candidates) {
    variance += candidate.weight * candidate.ss / (points.runs - static_cast<double>(kNull));
  }
  const VectorXd on_grid = mean_on(grid, to_grid, diagonal, mixture);
  const Index parts = (grid.size() - 1) / (points.u.size() - 1);
  const VectorXd g = on_grid(Eigen::seqN(0, points.u.size(), parts));
  const VectorXd slope = slopes_on(grid, on_grid, points.u);
  SmoothCurve curve;
  curve.at = points.at;
  curve.sigma = std::sqrt(variance);
  curve.minimum = minimum_of(points, grid, on_grid);
  const bool has_scatter = variance > 1e-24;  // Less is beyond the digits of a double.
  CurveDraws drawn;
  if (has_scatter) drawn = drawn_curves(points, diagonal, mixture, to_grid, grid, draws);
  if (has_scatter) curve.minimum.ci = minimum_interval(points, drawn.minima, confidence);
  for (Index i = 0; i < g.size(); ++i) {
    curve.counts.push_back(static_cast<std::uint64_t>(points.weight(i)));
    curve.value.push_back(std::exp(g(i)));
    curve.relative_slope.push_back(slope(i) / points.stretch(curve.at[curve.value.size() - 1]));
    curve.ci.emplace_back();
    if (!has_scatter) continue;
    const Interval ci = central(drawn.values[static_cast<std::size_t>(i)], confidence);
    curve.ci.back() = exp_of(ci);
  }
  return curve;
}

}  // namespace scalelaw
