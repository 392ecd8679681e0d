#include "fit/regression.hpp"
#include "base/errors.hpp"
#include "base/per_thread.hpp"
#include "scalelaw/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace scalelaw {
namespace {

void check_cell(const Cell& cell, bool logarithmic_x) {
  if (cell.count == 0) throw std::invalid_argument("fit_law: a cell has no rows");
  if (!(cell.weight > 0) || !std::isfinite(cell.weight)) {
    throw std::invalid_argument("fit_law: a weight is not positive and finite");
  }
  if (!std::isfinite(cell.x) || (logarithmic_x && !(cell.x > 0))) {
    throw std::invalid_argument("fit_law: an x is not finite, or not positive under a logarithm");
  }
}

void check_response(double mean, double scatter) {
  // Written as !(>=) so that NaN is refused too.
  if (!std::isfinite(mean) || !(scatter >= 0)) {
    throw std::invalid_argument("fit_law: the moments of a cell are not finite");
  }
  if (std::isinf(scatter)) {
    throw FitError(FailureCode::kNotIdentifiable,
                   "the squares of y are beyond the range of double; take another unit for y");
  }
}

void check_counts(const FitPoints& points, std::size_t p) {
  const auto name = points.law->name();
  if (points.n < p || points.n == 0) {
    throw fit_error(FailureCode::kTooFewPoints,
                    "{} cannot determine the {} of the {} law; measure more runs",
                    counted(points.n, "point"), counted(p, "parameter"), name);
  }
  if (points.distinct_x < p) {
    throw fit_error(FailureCode::kTooFewX,
                    "all {} points lie at {} of x, the {} law needs at least {}, and {} to be "
                    "checked; measure other scales",
                    points.n, counted(points.distinct_x, "value"), name, p, p + 1);
  }
}

[[noreturn]] void throw_no_spread(const FitPoints& points) {
  throw fit_error(FailureCode::kNoSpread,
                  "x spans only {} to {}, too little for the {} law in double precision",
                  points.cells.front().x, points.cells.back().x, points.law->name());
}

bool same_design(const FitPoints& points, const Solution& out) {
  const auto same_x = [](const Cell& cell, double x) { return cell.x == x; };
  return out.design_law == points.law->id() && out.design_response == points.response &&
         std::equal(points.cells.begin(), points.cells.end(), out.design_x.begin(),
                    out.design_x.end(), same_x);
}

/// Fills `design` with the rows of a linear law, unless a group with the same x left them there. In
/// most studies all groups have the same x.
void fill_design(const FitPoints& points, Solution& out) {
  if (same_design(points, out)) return;
  out.rows_mass.clear();
  const std::size_t p = out.p;
  const SmallVector origin{};
  out.design.resize(points.size() * p);
  out.design_x.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    out.design_x[i] = points.cells[i].x;
    points.law->gradient(points.cells[i].x, std::span(origin).first(p), points.response,
                         std::span(out.design).subspan(i * p, p));
  }
  out.design_law = points.law->id();
  out.design_response = points.response;
}

bool first_column_is_constant(const FitPoints& points, const Solution& out) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (out.design[i * out.p] != 1) return false;
  }
  return true;
}

/// Mean of the responses, in long double: a large offset must not cost the intercept its digits.
long double mean_response(const FitPoints& points) {
  long double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += static_cast<long double>(points.mass[i]) * points.mean[i];
  }
  return sum / points.total_mass;
}

/// Sums of y = a + b g about the means of both.
struct CentredLine {
  long double g_mean;
  long double y_mean;
  double largest_g;
  double gg;
  double gy;
  double yy;
};

/// Writes g to the second column of the rows and y to the residuals, both about their means.
CentredLine centred_line(const FitPoints& points, Solution& out) {
  long double sum_g = 0;
  double largest_g = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double g = out.design[2 * i + 1];
    sum_g += static_cast<long double>(points.mass[i]) * g;
    largest_g = std::max(largest_g, std::abs(g));
  }
  const long double g_mean = sum_g / points.total_mass;
  const long double y_mean = mean_response(points);
  const auto g_centre = static_cast<double>(g_mean);
  const auto y_centre = static_cast<double>(y_mean);
  // The remainder after rounding the centres; exact in double.
  const auto g_rest = static_cast<double>(g_mean - g_centre);
  const auto y_rest = static_cast<double>(y_mean - y_centre);
  double gg = 0;
  double gy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double g = (out.design[2 * i + 1] - g_centre) - g_rest;
    const double y = (points.mean[i] - y_centre) - y_rest;
    out.rows[2 * i + 1] = g;
    out.residual[i] = y;
    gg += points.mass[i] * g * g;
    gy += points.mass[i] * g * y;
    yy += points.mass[i] * y * y;
  }
  return {g_mean, y_mean, largest_g, gg, gy, yy};
}

/// Solves y = a + b g: the QR of the centred one-column design, written out.
void solve_line(const FitPoints& points, Solution& out) {
  const std::size_t m = points.size();
  const auto [g_mean, y_mean, largest_g, gg, gy, yy] = centred_line(points, out);
  const double spread = std::sqrt(gg / points.total_mass);
  if (!(spread > 1e-12 * std::max(largest_g, points.law->logarithmic_x() ? 1.0 : 0.0))) {
    throw_no_spread(points);
  }
  const double first_slope = gy / gg;
  double correction = 0;  // One step of iterative refinement.
  for (std::size_t i = 0; i < m; ++i) {
    correction += points.mass[i] * out.rows[2 * i + 1] *
                  (out.residual[i] - first_slope * out.rows[2 * i + 1]);
  }
  const long double slope = first_slope + static_cast<long double>(correction / gg);
  out.theta[1] = static_cast<double>(slope);
  out.theta[0] = static_cast<double>(y_mean - slope * g_mean);

  const double root_mass = 1 / std::sqrt(points.total_mass);
  const double root_gg = 1 / std::sqrt(gg);
  double rss = points.within;
  for (std::size_t i = 0; i < m; ++i) {
    out.residual[i] -= out.theta[1] * out.rows[2 * i + 1];
    rss += points.mass[i] * out.residual[i] * out.residual[i];
    out.rows[2 * i] = root_mass;
    out.rows[2 * i + 1] *= root_gg;
  }
  out.back[0] = {root_mass, -static_cast<double>(g_mean) * root_gg};
  out.back[1] = {0, root_gg};
  out.explained = out.theta[1] * out.theta[1] * gg;
  out.tss = points.within + yy;
  out.rss = rss > noise_floor(points, std::abs(out.theta[1]) * largest_g) ? rss : 0;
}

/// Solves y = b g.
void solve_ray(const FitPoints& points, Solution& out) {
  const std::size_t m = points.size();
  double gg = 0;
  long double gy = 0;
  double yy = 0;
  double largest_g = 0;
  for (std::size_t i = 0; i < m; ++i) {
    const double g = out.design[i];
    gg += points.mass[i] * g * g;
    gy += static_cast<long double>(points.mass[i]) * g * points.mean[i];
    yy += points.mass[i] * points.mean[i] * points.mean[i];
    largest_g = std::max(largest_g, std::abs(g));
  }
  if (!(gg > 0)) throw_no_spread(points);
  out.theta[0] = static_cast<double>(gy / gg);
  const double root_gg = 1 / std::sqrt(gg);
  double rss = points.within;
  for (std::size_t i = 0; i < m; ++i) {
    out.residual[i] = points.mean[i] - out.theta[0] * out.design[i];
    rss += points.mass[i] * out.residual[i] * out.residual[i];
    out.rows[i] = out.design[i] * root_gg;
  }
  out.back[0] = {root_gg};
  out.explained = out.theta[0] * out.theta[0] * gg;
  out.tss = points.within + yy;
  out.rss = rss > noise_floor(points, std::abs(out.theta[0]) * largest_g) ? rss : 0;
}

/// Total sum of squares about the mean, or about 0.
double total_sum_of_squares(const FitPoints& points, bool about_mean) {
  const double centre = about_mean ? static_cast<double>(mean_response(points)) : 0;
  double sum = points.within;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += points.mass[i] * (points.mean[i] - centre) * (points.mean[i] - centre);
  }
  return sum;
}

/// Solves linear laws with more parameters by projections on the orthonormal rows.
void solve_by_qr(const FitPoints& points, Solution& out) {
  const bool known = out.rows_mass == points.mass;
  if (!known && !orthonormalise(points, out)) {
    throw fit_error(FailureCode::kNotIdentifiable,
                    "the terms of the {} law cannot be told apart at these x", points.law->name());
  }
  out.rows_mass = points.mass;
  const std::size_t p = out.p;
  out.residual = points.mean;
  std::array<long double, kMaxParameters> coefficients{};
  for (int pass = 0; pass < 2; ++pass) {  // The second pass refines.
    std::array<long double, kMaxParameters> step{};
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t k = 0; k < p; ++k) {
        step[k] += static_cast<long double>(points.mass[i]) * out.rows[i * p + k] * out.residual[i];
      }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      long double fitted = 0;
      for (std::size_t k = 0; k < p; ++k) fitted += step[k] * out.rows[i * p + k];
      out.residual[i] -= static_cast<double>(fitted);
    }
    for (std::size_t k = 0; k < p; ++k) coefficients[k] += step[k];
  }
  double largest = 0;
  for (std::size_t j = 0; j < p; ++j) {
    long double theta = 0;
    for (std::size_t k = 0; k < p; ++k) theta += out.back[j][k] * coefficients[k];
    out.theta[j] = static_cast<double>(theta);
  }
  double rss = points.within;
  for (std::size_t i = 0; i < points.size(); ++i) {
    rss += points.mass[i] * out.residual[i] * out.residual[i];
    for (std::size_t j = 0; j < p; ++j) {
      largest = std::max(largest, std::abs(out.theta[j] * out.design[i * p + j]));
    }
  }
  out.tss = total_sum_of_squares(points, out.intercept);
  out.rss = rss > noise_floor(points, largest) ? rss : 0;
  out.explained = std::max(0.0, out.tss - out.rss);
}

using Real = long double;
using RealMatrix = std::array<std::array<Real, kMaxParameters>, kMaxParameters>;

/// The columns of the whitened design, scaled to length 1; writes their lengths to `lengths`.
bool fill_unit_columns(const FitPoints& points, const Solution& solution,
                       std::vector<Real>& columns, std::array<Real, kMaxParameters>& lengths) {
  const std::size_t m = points.size();
  columns.resize(m * solution.p);
  for (std::size_t k = 0; k < solution.p; ++k) {
    Real square = 0;
    for (std::size_t i = 0; i < m; ++i) {
      Real& entry = columns[k * m + i];
      entry = std::sqrt(static_cast<Real>(points.mass[i])) * solution.design[i * solution.p + k];
      square += entry * entry;
    }
    if (solution.on_bound[k]) continue;
    lengths[k] = std::sqrt(square);
    if (!(lengths[k] > 0) || !std::isfinite(lengths[k])) return false;
    for (std::size_t i = 0; i < m; ++i) columns[k * m + i] /= lengths[k];
  }
  return true;
}

/// Makes column k orthogonal to earlier columns and of length 1; records the factors in `r`.
bool orthogonalise_column(std::span<Real> columns, std::size_t m, std::size_t k,
                          const Solution& solution, RealMatrix& r) {
  constexpr Real kCollinear = 1e-14L;  // The design is known only to double precision.
  Real* const column = columns.data() + k * m;
  for (int pass = 0; pass < 2; ++pass) {  // "Twice is enough" (Kahan).
    for (std::size_t j = 0; j < k; ++j) {
      if (solution.on_bound[j]) continue;
      const Real* const other = columns.data() + j * m;
      Real along = 0;
      for (std::size_t i = 0; i < m; ++i) along += other[i] * column[i];
      for (std::size_t i = 0; i < m; ++i) column[i] -= along * other[i];
      r[j][k] += along;
    }
  }
  Real square = 0;
  for (std::size_t i = 0; i < m; ++i) square += column[i] * column[i];
  r[k][k] = std::sqrt(square);
  if (!(r[k][k] > kCollinear)) return false;
  for (std::size_t i = 0; i < m; ++i) column[i] /= r[k][k];
  return true;
}

/// Sets back = diag(1 / lengths) R^-1, column by column.
void fill_back(const RealMatrix& r, const std::array<Real, kMaxParameters>& lengths,
               Solution& solution) {
  for (std::size_t k = 0; k < solution.p; ++k) {
    std::array<Real, kMaxParameters> inverse{};
    for (std::size_t j = k + 1; j-- > 0;) {
      if (solution.on_bound[j] || solution.on_bound[k]) continue;
      Real sum = j == k ? 1 : 0;
      for (std::size_t l = j + 1; l <= k; ++l) sum -= r[j][l] * inverse[l];
      inverse[j] = sum / r[j][j];
    }
    for (std::size_t j = 0; j < solution.p; ++j) {
      const bool used = j <= k && !solution.on_bound[j] && !solution.on_bound[k];
      solution.back[j][k] = used ? static_cast<double>(inverse[j] / lengths[j]) : 0;
    }
  }
}

}  // namespace

std::size_t parameter_named(const Law& law, std::string_view name) {
  std::vector<std::string> names;
  for (const ParameterSpec& parameter : law.parameters()) {
    if (parameter.name == name) return names.size();
    names.emplace_back(parameter.name);
  }
  throw data_error("the {} law has no parameter '{}'; its parameters are: {}", law.name(), name,
                   joined(names));
}

void check_pooling(const FitOptions& options) {
  const Law& law = *options.law;
  const bool suits = law.linear() && law.scale() == Scale::kLog &&
                     (options.pool != Pool::kSlopes || law.parameters().size() == 2);
  if (suits && options.errors == Errors::kLognormal && options.robust == Robust::kNone &&
      options.se == StandardError::kClassic && options.bootstrap.resamples == 0) {
    return;
  }
  throw std::invalid_argument(
      "pooling is for least squares of ln y by linear laws with classic standard errors");
}

void observe(std::span<const Cell> cells, const FitOptions& options, FitPoints& out) {
  out.cells = cells;
  out.law = options.law;
  out.response = options.response;
  out.rate_of_one = options.rate_of_one;
  out.scale = options.errors == Errors::kNormal ? Scale::kOriginal
              : options.in_logs                 ? Scale::kLog
                                                : options.law->scale();
  out.n = 0;
  out.distinct_x = 0;
  out.total_mass = out.within = out.largest = 0;
  out.weighted = false;
  out.mass.resize(cells.size());
  out.mean.resize(cells.size());
  const bool logarithmic_x = options.law->logarithmic_x();
  double previous_x = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    check_cell(cell, logarithmic_x);
    if (cell.x < previous_x) throw std::invalid_argument("fit_law: cells are not sorted by x");
    if (cell.x > previous_x) ++out.distinct_x;
    previous_x = cell.x;
    out.n += cell.count;
    out.mass[i] = static_cast<double>(cell.count) * cell.weight;
    out.mean[i] = out.scale == Scale::kLog ? cell.mean_log : cell.mean;
    check_response(out.mean[i], out.scatter(i));
    out.total_mass += out.mass[i];
    out.within += cell.weight * out.scatter(i);
    out.largest = std::max(out.largest, std::abs(out.mean[i]));
    out.weighted = out.weighted || cell.weight != 1;
  }
}

double noise_floor(const FitPoints& points, double largest_term) {
  // A logarithm has an absolute error of about one epsilon, however small it is.
  const double unit = points.scale == Scale::kLog ? 1.0 : 0.0;
  const double noise =
      8 * std::numeric_limits<double>::epsilon() * (unit + points.largest + largest_term);
  return points.total_mass * noise * noise;
}

bool orthonormalise(const FitPoints& points, Solution& solution) {
  thread_local PerThread<std::vector<Real>> kept;
  std::vector<Real>& columns = *kept;
  std::array<Real, kMaxParameters> lengths{};
  RealMatrix r{};
  if (!fill_unit_columns(points, solution, columns, lengths)) return false;
  const std::size_t m = points.size();
  const std::size_t p = solution.p;
  solution.rows.resize(m * p);
  for (std::size_t k = 0; k < p; ++k) {
    const bool used = !solution.on_bound[k];
    if (used && !orthogonalise_column(columns, m, k, solution, r)) return false;
    for (std::size_t i = 0; i < m; ++i) {
      const Real root = std::sqrt(static_cast<Real>(points.mass[i]));
      solution.rows[i * p + k] = used ? static_cast<double>(columns[k * m + i] / root) : 0;
    }
  }
  fill_back(r, lengths, solution);
  return true;
}

void solve_linear(const FitPoints& points, Solution& solution) {
  solution.rows.resize(points.size() * solution.p);
  solution.residual.resize(points.size());
  if (solution.p == 1) {
    solve_ray(points, solution);
  } else if (solution.p == 2 && solution.intercept) {
    solve_line(points, solution);
  } else {
    solve_by_qr(points, solution);
  }
}

void solve(const FitPoints& points, Solution& out) {
  const Law& law = *points.law;
  out.p = law.parameters().size();
  out.fitted = law.fitted_parameters();
  out.theta = {};
  out.on_bound = {};
  check_counts(points, out.fitted);
  out.linear = law.linear() && law.scale() == points.scale;
  if (!out.linear) {
    out.design_law = 0;
    out.intercept = false;
    solve_nonlinear(points, out);
    out.tss = total_sum_of_squares(points, true);
    return;
  }
  fill_design(points, out);
  out.intercept = first_column_is_constant(points, out);
  solve_linear(points, out);
}

}  // namespace scalelaw
