#include "fit/figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/errors.hpp"
#include "base/per_thread.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

std::optional<double> if_finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<Interval> if_finite(Interval interval) {
  const bool finite = std::isfinite(interval.lower) && std::isfinite(interval.upper);
  return finite ? std::optional(interval) : std::nullopt;
}

/// Fills an estimate in place: copying its figures takes longer than computing them.
void fill_working(Estimate& estimate, const Fit& fit, double theta, std::size_t k,
                  const Covariance* covariance, const Covariance* classic) {
  estimate.estimate = theta;
  if (classic != nullptr) estimate.classic_se = if_finite(std::sqrt(classic->matrix[k][k]));
  if (covariance == nullptr) return;
  estimate.se = if_finite(std::sqrt(covariance->matrix[k][k]));
  estimate.dof = covariance->dof[k];
  if (!estimate.se) return;
  const double dof = estimate.dof.value_or(static_cast<double>(fit.dof));
  const double reach = student_t_factor(fit.confidence, dof) * *estimate.se;
  estimate.ci = if_finite(Interval{theta - reach, theta + reach});
}

void add_test(Estimate& estimate, std::int64_t residual_dof) {
  if (!estimate.se || !(*estimate.se > 0)) return;
  estimate.t = estimate.estimate / *estimate.se;
  estimate.p = student_t_p(*estimate.t, estimate.dof.value_or(static_cast<double>(residual_dof)));
}

/// Fills exp of a working estimate: the standard error by the delta method, the interval by exp of
/// its ends. There is no test, because "alpha = 1" depends on the unit of y.
void fill_exponential(Estimate& reported, const Estimate& working) {
  reported.estimate = std::exp(working.estimate);
  if (working.se) reported.se = if_finite(reported.estimate * *working.se);
  if (working.classic_se) reported.classic_se = if_finite(reported.estimate * *working.classic_se);
  if (working.ci) reported.ci = if_finite(exp_of(*working.ci));
  reported.dof = working.dof;
}

void check_range(const Parameter& parameter) {
  if (std::isnormal(parameter.estimate)) return;
  throw fit_error(
      FailureCode::kNotIdentifiable,
      "{} leaves the range of double: the curve at x = 1 lies too far outside the observed x",
      parameter.name);
}

double total_dof(const Fit& fit, const Solution& solution) {
  const bool about_zero = solution.linear && !solution.intercept;
  return static_cast<double>(fit.n) - (about_zero ? 0 : 1);
}

void fill_f_test(Fit& fit, const Solution& solution) {
  const double slopes = static_cast<double>(solution.p) - (solution.intercept ? 1 : 0);
  if (!fit.r2 || fit.dof <= 0 || !solution.linear || !(slopes > 0) || !(solution.rss > 0)) return;
  const auto dof = static_cast<double>(fit.dof);
  fit.f = if_finite(solution.explained / slopes / (solution.rss / dof));
  if (!fit.f) return;
  // With one slope, F is t squared and Student's p is faster.
  fit.f_p = slopes == 1 ? student_t_p(std::sqrt(*fit.f), dof) : f_p(*fit.f, slopes, dof);
}

/// The cells of one x, [begin, end).
struct Level {
  std::size_t begin;
  std::size_t end;
};

Level level_at(const FitPoints& points, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < points.size() && points.cells[end].x == points.cells[begin].x) ++end;
  return {begin, end};
}

/// Mean of y over the rows of a level.
double mean_of_level(const FitPoints& points, Level level) {
  if (level.end - level.begin == 1) return points.cells[level.begin].mean;
  double sum = 0;
  double rows = 0;
  for (std::size_t i = level.begin; i < level.end; ++i) {
    const auto count = static_cast<double>(points.cells[i].count);
    sum += count * points.cells[i].mean;
    rows += count;
  }
  return sum / rows;
}

/// Tests replicates against the distance of the level means from the curve (Draper & Smith, sec.
/// 2.1). It is approximate for laws that are not linear.
void fill_lack_of_fit(Fit& fit, const FitPoints& points, const Solution& solution) {
  const std::uint64_t pure_dof = fit.n - fit.distinct_x;
  if (pure_dof == 0 || fit.distinct_x <= solution.fitted) return;
  double pure_error = points.within;
  double lack = 0;
  for (Level level{0, 0}; level.end < points.size();) {
    level = level_at(points, level.end);
    double mass = 0;
    double residuals = 0;
    for (std::size_t i = level.begin; i < level.end; ++i) {
      mass += points.mass[i];
      residuals += points.mass[i] * solution.residual[i];
    }
    const double mean_residual = residuals / mass;
    lack += mass * mean_residual * mean_residual;
    for (std::size_t i = level.begin; i < level.end; ++i) {
      const double deviation = solution.residual[i] - mean_residual;
      pure_error += points.mass[i] * deviation * deviation;
    }
  }
  if (!(pure_error > noise_floor(points, 0))) return;
  const double df1 = static_cast<double>(fit.distinct_x) - static_cast<double>(solution.fitted);
  const auto df2 = static_cast<double>(pure_dof);
  const double f = (lack / df1) / (pure_error / df2);
  if (std::isfinite(f)) fit.lack_of_fit = LackOfFit{.f = f, .p = f_p(f, df1, df2)};
}

/// The variable whose square bends the law: ln x or x; of a line, up to the sign, its slope column.
double bending_variable(const FitPoints& points, const Solution& solution, std::size_t i) {
  if (solution.p == 2 && solution.intercept) return solution.design[2 * i + 1];
  const double x = points.cells[i].x;
  return points.law->logarithmic_x() ? std::log(x) : x;
}

/// The mean of the bending variable, which is subtracted before squaring if an intercept and the
/// variable itself absorb the difference; else 0.
double bending_centre(const FitPoints& points, const Solution& solution) {
  if (!solution.intercept) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += points.mass[i] * bending_variable(points, solution, i);
  }
  return sum / points.total_mass;
}

/// The bending term's squared length, before and after it is made orthogonal to the law's columns.
struct BendLengths {
  double before;
  double after;
};

/// Writes the bending term to `bend`, made orthogonal by Gram-Schmidt. kP is the number of
/// parameters if the compiler is to know it, else 0.
template <std::size_t kP>
BendLengths orthogonal_bend(const FitPoints& points, const Solution& solution,
                            std::vector<double>& bend) {
  const std::size_t p = kP > 0 ? kP : solution.p;
  const std::size_t m = points.size();
  const double centre = bending_centre(points, solution);
  BendLengths lengths{0, 0};
  bend.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    const double v = bending_variable(points, solution, i) - centre;
    bend[i] = v * v;
    lengths.before += points.mass[i] * bend[i] * bend[i];
  }
  for (int pass = 0; pass < 2; ++pass) {  // "Twice is enough" (Kahan).
    SmallVector projections{};
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t k = 0; k < p; ++k) {
        projections[k] += points.mass[i] * solution.rows[i * p + k] * bend[i];
      }
    }
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t k = 0; k < p; ++k) {
        bend[i] -= projections[k] * solution.rows[i * p + k];
      }
    }
  }
  for (std::size_t i = 0; i < m; ++i) lengths.after += points.mass[i] * bend[i] * bend[i];
  return lengths;
}

/// Adds (ln x)^2 or x^2 to the law, by the theorem of Frisch, Waugh and Lovell.
void fill_curvature(Fit& fit, const FitPoints& points, const Solution& solution) {
  if (!solution.linear || fit.distinct_x <= solution.p || fit.n <= solution.p) return;
  thread_local PerThread<std::vector<double>> kept;
  std::vector<double>& bend = *kept;
  const BendLengths lengths = solution.p == 2 ? orthogonal_bend<2>(points, solution, bend)
                                              : orthogonal_bend<0>(points, solution, bend);
  if (!(lengths.after > 1e-20 * lengths.before)) return;  // The law already bends this way.
  double along = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    along += points.mass[i] * bend[i] * solution.residual[i];
  }
  fit.curvature = Curvature{.estimate = along / lengths.after};
  const std::int64_t dof = fit.dof - 1;
  if (dof <= 0 || !(solution.rss > 0)) return;
  double rss = points.within;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double residual = solution.residual[i] - fit.curvature->estimate * bend[i];
    rss += points.mass[i] * residual * residual;
  }
  if (!(rss > noise_floor(points, 0))) return;
  const double se = std::sqrt(rss / static_cast<double>(dof) / lengths.after);
  fit.curvature->t = fit.curvature->estimate / se;
  fit.curvature->p = student_t_p(*fit.curvature->t, static_cast<double>(dof));
}

/// The row of a cell that lies furthest from the curve.
struct FurthestRow {
  double y;
  double residual;
};

FurthestRow furthest_row(const FitPoints& points, const Solution& solution, std::size_t i) {
  const Cell& cell = points.cells[i];
  if (cell.count == 1) return {cell.mean, solution.residual[i]};
  const bool logs = points.scale == Scale::kLog;
  const double fitted = points.mean[i] - solution.residual[i];
  const double low = (logs ? std::log(cell.min) : cell.min) - fitted;
  const double high = (logs ? std::log(cell.max) : cell.max) - fitted;
  return std::abs(low) > std::abs(high) ? FurthestRow{cell.min, low} : FurthestRow{cell.max, high};
}

/// Two-sided p of a squared internally studentised residual, from the external one.
struct Studentised {
  double t;
  double p;
};

Studentised studentised(double square, double dof) {
  const double rest = dof - square;  // 0 where all other residuals are 0.
  if (!(rest > 0)) return {std::numeric_limits<double>::infinity(), 0};
  const double t = std::sqrt(square * (dof - 1) / rest);
  return {t, student_t_p(t, dof - 1)};
}

/// The chance that any run without fault reaches a Cook's distance, by Bonferroni's bound. Runs of
/// high leverage have most of it.
double chance_of_distance(const FitPoints& points, const Solution& solution, double distance,
                          double dof) {
  double chance = 0;
  for (std::size_t i = 0; i < points.size() && chance < 1; ++i) {
    const double h = points.cells[i].weight * solution.squared_length(i);
    const double square = distance * static_cast<double>(solution.fitted) * (1 - h) / h;
    if (!(square < dof)) continue;  // No residual is as large.
    chance += static_cast<double>(points.cells[i].count) * studentised(square, dof).p;
  }
  return std::min(chance, 1.0);
}

/// The row with the greatest externally studentised residual (Cook and Weisberg 1982, sec. 2.2).
struct Furthest {
  std::size_t cell = 0;
  double square = 0;  ///< Of the internally studentised residual.
};

/// The greatest power of ten of which all y are multiples; 0 if it is 1e-6 of the greatest or less.
double printed_unit(const FitPoints& points) {
  double greatest = 0;
  for (const Cell& cell : points.cells) greatest = std::max(greatest, std::abs(cell.max));
  const auto is_multiple = [](double y, double unit) {
    return std::abs(y / unit - std::round(y / unit)) <= 1e-9 * std::max(1.0, std::abs(y / unit));
  };
  for (double power = std::floor(std::log10(greatest)); greatest > 0; --power) {
    const double unit = std::pow(10, power);
    if (unit <= 1e-6 * greatest) break;
    const bool fits = std::ranges::all_of(points.cells, [&](const Cell& cell) {
      return is_multiple(cell.min, unit) && is_multiple(cell.max, unit);
    });
    if (fits) return unit;
  }
  return 0;
}

void fill_outlier(Fit& fit, const FitPoints& points, const Solution& solution, Furthest furthest) {
  const FurthestRow row = furthest_row(points, solution, furthest.cell);
  const auto [t, p] = studentised(furthest.square, static_cast<double>(fit.dof));
  const double h = points.cells[furthest.cell].weight * solution.squared_length(furthest.cell);
  const double from_others = row.residual / (1 - h);
  const double distance = points.scale == Scale::kLog ? row.y * std::expm1(std::abs(from_others))
                                                      : std::abs(from_others);
  fit.outlier = Outlier{.x = points.cells[furthest.cell].x,
                        .y = row.y,
                        .t = std::copysign(t, row.residual),
                        .p = std::min(1.0, static_cast<double>(fit.n) * p),
                        .is_rounded = distance <= printed_unit(points)};
}

/// Cook (1977), and the run furthest from the curve. Undefined if a point has leverage 1, since the
/// curve passes through it whatever its y.
void fill_influence(Fit& fit, const FitPoints& points, const Solution& solution) {
  if (fit.dof <= 0 || !(solution.rss > 0)) return;
  const auto dof = static_cast<double>(fit.dof);
  const double variance = solution.rss / dof;
  double greatest = 0;
  Furthest furthest;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double weight = points.cells[i].weight;
    const double h = weight * solution.squared_length(i);
    if (h > kFullLeverage) {
      fit.sole_support_x = points.cells[i].x;
      return;
    }
    const double residual = furthest_row(points, solution, i).residual;
    const double square = weight * residual * residual / ((1 - h) * variance);
    if (square > furthest.square) furthest = {i, square};
    greatest = std::max(greatest, square * h / (1 - h));
  }
  fit.cooks_distance_max = greatest / static_cast<double>(solution.fitted);
  if (fit.dof < 2) return;
  fit.cooks_distance_p = chance_of_distance(points, solution, *fit.cooks_distance_max, dof);
  fill_outlier(fit, points, solution, furthest);
}

/// Breusch and Pagan (1979): half the squares that ln x explains of r^2 / (rss / n).
void fill_scatter_trend(Fit& fit, const FitPoints& points, const Solution& solution) {
  constexpr std::uint64_t kFewest = 10;  // With fewer, the chi-squared limit means little.
  if (fit.n < kFewest || !(solution.rss > 0) || fit.distinct_x < 2) return;
  const bool own_log = points.law->logarithmic_x() && solution.p == 2 && solution.intercept;
  thread_local PerThread<std::vector<double>> kept;
  std::vector<double>& z = *kept;
  z.resize(points.size());
  double z_sum = 0;
  const auto n = static_cast<double>(fit.n);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = points.cells[i].x;
    if (own_log) {
      z[i] = solution.design[2 * i + 1];
    } else {
      // ln(x / x_min), because the logarithm of x itself would lose the digits of a large offset.
      z[i] = fit.x_min > 0 ? std::log1p((x - fit.x_min) / fit.x_min) : x;
    }
    z_sum += static_cast<double>(points.cells[i].count) * z[i];
  }
  const double z_mean = z_sum / n;
  double zz = 0;
  double zg = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto count = static_cast<double>(points.cells[i].count);
    const double squares =
        points.cells[i].weight *
        (points.scatter(i) + count * solution.residual[i] * solution.residual[i]);
    zz += count * (z[i] - z_mean) * (z[i] - z_mean);
    zg += (z[i] - z_mean) * squares;
  }
  if (!(zz > 0)) return;
  const double slope_numerator = zg / (solution.rss / n);
  fit.scatter_trend_p = chi_squared1_p(0.5 * slope_numerator * slope_numerator / zz);
}

void fill_speedup(Fit& fit, double first_mean, double last_mean, double first_curve,
                  double last_curve) {
  const bool rate = fit.response == Response::kRate;
  const auto speedup = [&](double first, double last) {
    return speedup_of_all(rate ? last / first : first / last, fit.x_max / fit.x_min,
                          fit.rate_of_one);
  };
  const double observed = speedup(first_mean, last_mean);
  const double implied = speedup(first_curve, last_curve);
  if (std::isfinite(observed) && std::isfinite(implied)) fit.speedup = Speedup{observed, implied};
}

}  // namespace

namespace {

BootstrapEstimate* bootstrap_of(Fit& fit, std::size_t k) {
  const bool known = fit.bootstrap && k < fit.bootstrap->parameters.size();
  return known ? &fit.bootstrap->parameters[k] : nullptr;
}

void set_fixed(Fit& fit, std::size_t k, double value) {
  Parameter& parameter = fit.parameters[k];
  const std::string_view name = std::exchange(parameter, {}).name;
  parameter.name = name;
  parameter.estimate = value;
  parameter.fixed = true;
  if (BootstrapEstimate* const drawn = bootstrap_of(fit, k)) *drawn = {0, {value, value}};
}

void set_equal(Fit& fit, std::size_t k, std::size_t leader) {
  Parameter& parameter = fit.parameters[k];
  const std::string_view name = std::exchange(parameter, fit.parameters[leader]).name;
  parameter.name = name;
  parameter.tied_to = fit.parameters[leader].name;
  if (BootstrapEstimate* const drawn = bootstrap_of(fit, k)) *drawn = *bootstrap_of(fit, leader);
  if (fit.covariance.empty()) return;
  const std::size_t p = fit.parameters.size();
  const auto entry = [&](std::size_t row, std::size_t column) -> double& {
    return fit.covariance[row * p + column];
  };
  for (std::size_t j = 0; j < p; ++j) entry(k, j) = entry(leader, j);
  for (std::size_t j = 0; j < p; ++j) entry(j, k) = entry(j, leader);
}

}  // namespace

Fit fit_of(const FitPoints& points, double confidence) {
  Fit fit;
  fit.law = points.law;
  fit.scale = points.scale;
  fit.response = points.response;
  fit.rate_of_one = points.rate_of_one;
  fit.n = points.n;
  fit.distinct_x = points.distinct_x;
  fit.x_min = points.cells.front().x;
  fit.x_max = points.cells.back().x;
  fit.dof = static_cast<std::int64_t>(points.n) -
            static_cast<std::int64_t>(points.law->fitted_parameters());
  fit.confidence = confidence;
  return fit;
}

void fill_parameters(Fit& fit, std::span<const double> theta, const Covariance* covariance,
                     const Covariance* classic) {
  const auto specs = fit.law->parameters();
  fit.parameters.reserve(specs.size());
  for (std::size_t k = 0; k < specs.size(); ++k) {
    Parameter& parameter = fit.parameters.emplace_back();
    parameter.name = specs[k].name;
    if (specs[k].transform == Transform::kExp) {
      Estimate other;
      Estimate& working = k == 0 ? fit.log_alpha.emplace() : other;
      fill_working(working, fit, theta[k], k, covariance, classic);
      fill_exponential(parameter, working);
      check_range(parameter);
    } else {
      fill_working(parameter, fit, theta[k], k, covariance, classic);
      add_test(parameter, fit.dof);
    }
  }
  if (covariance == nullptr) return;
  fit.covariance.reserve(specs.size() * specs.size());
  for (std::size_t j = 0; j < specs.size(); ++j) {
    for (std::size_t k = 0; k < specs.size(); ++k) {
      fit.covariance.push_back(covariance->matrix[j][k]);
    }
  }
}

void place_kink(Fit& fit, const FitPoints& points, const Solution& solution) {
  const auto kink = fit.law->kink();
  if (!kink) return;
  for (const Cell& cell : points.cells) {
    if (std::log(cell.x) == solution.theta[*kink]) fit.parameters[*kink].estimate = cell.x;
  }
}

void mark_bounds(Fit& fit, const Solution& solution) {
  for (std::size_t k = 0; k < solution.p; ++k) {
    if (!solution.on_bound[k]) continue;
    Parameter& parameter = fit.parameters[k];
    const double estimate = parameter.estimate;
    static_cast<Estimate&>(parameter) = {};
    parameter.estimate = estimate;
    parameter.on_bound = true;
  }
}

void fill_held(Fit& fit) {
  if (fit.law->fitted_parameters() == fit.parameters.size()) return;
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    const Constraint held = fit.law->constraint(k);
    if (held.value) set_fixed(fit, k, *held.value);
    if (held.equal_to) set_equal(fit, k, *held.equal_to);
  }
  if (!fit.law->is_fitted(0)) fit.log_alpha.reset();
}

void fill_explained(Fit& fit, const FitPoints& points, const Solution& solution) {
  fit.rss = solution.rss;
  if (fit.dof > 0) fit.sigma = std::sqrt(solution.rss / static_cast<double>(fit.dof));
  if (!(solution.tss > noise_floor(points, 0))) return;  // y is constant: nothing to explain.
  const double unexplained = solution.linear ? solution.rss / (solution.explained + solution.rss)
                                             : solution.rss / solution.tss;
  // From the explained share if that is the small one, because its digits survive.
  fit.r2 =
      solution.linear ? solution.explained / (solution.explained + solution.rss) : 1 - unexplained;
  if (fit.dof <= 0) return;
  fit.r2_adjusted = 1 - unexplained * total_dof(fit, solution) / static_cast<double>(fit.dof);
}

void fill_likelihood(Fit& fit, const FitPoints& points, const Solution& solution) {
  double log_weights = 0;
  if (points.weighted) {
    for (const Cell& cell : points.cells) {
      log_weights += static_cast<double>(cell.count) * std::log(cell.weight);
    }
  }
  fill_likelihood(fit, solution.fitted, log_weights);
}

void fill_likelihood(Fit& fit, std::size_t fitted, double log_weights) {
  if (!(fit.rss > 0)) return;  // The likelihood of an exact fit is infinite.
  const auto n = static_cast<double>(fit.n);
  const double log_likelihood =
      -0.5 * n * (std::log(2 * std::numbers::pi * fit.rss / n) + 1) + 0.5 * log_weights;
  const double k = static_cast<double>(fitted) + 1;
  fit.log_likelihood = log_likelihood;
  fit.aic = 2 * k - 2 * log_likelihood;
  if (n - k - 1 > 0) fit.aicc = *fit.aic + 2 * k * (k + 1) / (n - k - 1);
  fit.bic = k * std::log(n) - 2 * log_likelihood;
}

void fill_least_squares_figures(Fit& fit, const FitPoints& points, const Solution& solution) {
  fill_f_test(fit, solution);
  fill_curvature(fit, points, solution);
  fill_lack_of_fit(fit, points, solution);
  fill_influence(fit, points, solution);
  fill_scatter_trend(fit, points, solution);
}

void fill_curve_figures(Fit& fit, const FitPoints& points, std::span<const double> residuals) {
  const bool logs = points.scale == Scale::kLog;
  const auto n = static_cast<double>(fit.n);
  double squares = 0;
  double relative = 0;
  double smearing = 0;
  double first_mean = 0;
  double first_curve = 0;
  double mean = 0;
  double curve = 0;
  for (Level level{0, 0}; level.end < points.size();) {
    level = level_at(points, level.end);
    mean = mean_of_level(points, level);
    const double fitted = points.mean[level.begin] - residuals[level.begin];
    curve = logs ? std::exp(fitted) : fitted;
    if (level.begin == 0) {
      first_mean = mean;
      first_curve = curve;
    }
    for (std::size_t i = level.begin; i < level.end; ++i) {
      const Cell& cell = points.cells[i];
      const auto count = static_cast<double>(cell.count);
      squares += cell.ss + count * (cell.mean - curve) * (cell.mean - curve);
      relative += count * std::abs((mean - curve) / mean);
      // exp(ln y - ln curve) is y / curve, whose mean over the rows of a cell is known.
      smearing += count * cell.mean / curve;
    }
  }
  fit.rmse = if_finite(std::sqrt(squares / n));
  fit.mape = if_finite(relative / n);
  if (logs) fit.smearing = if_finite(smearing / n);
  fill_speedup(fit, first_mean, mean, first_curve, curve);
}

std::optional<Interval> Fit::curve_ci(double at) const {
  if (!(sigma_dof() > 0)) return std::nullopt;
  const auto error = curve_se(at);
  if (!error) return std::nullopt;
  const double y = curve(at);
  const double reach = student_t_factor(confidence, sigma_dof());
  if (scale == Scale::kLog)
    return Interval{y * std::exp(-reach * *error), y * std::exp(reach * *error)};
  return Interval{y - reach * *error, y + reach * *error};
}

std::vector<Residual> residuals_of(const Fit& fit, std::span<const Cell> cells) {
  std::vector<Residual> residuals;
  const auto p = static_cast<double>(fit.parameters.size());
  const double sigma = fit.sigma.value_or(0);
  for (const Cell& cell : cells) {
    const bool logs = fit.scale == Scale::kLog;
    const double value =
        logs ? cell.mean_log - std::log(fit.curve(cell.x)) : cell.mean - fit.curve(cell.x);
    const double se = fit.curve_se(cell.x).value_or(0);
    const double leverage = sigma > 0 ? std::min(1.0, se * se / (sigma * sigma)) : 0;
    const double scale = sigma * std::sqrt(1 - leverage);
    const double standardised = scale > 0 ? value / scale : 0;
    residuals.push_back({cell.x, value, standardised,
                         leverage < 1 ? standardised * standardised * leverage / (1 - leverage) / p
                                      : std::numeric_limits<double>::quiet_NaN()});
  }
  std::vector<Residual*> ranked;
  for (Residual& residual : residuals) ranked.push_back(&residual);
  std::ranges::sort(ranked, [](const Residual* a, const Residual* b) {
    return a->standardised < b->standardised;
  });
  const auto n = static_cast<double>(ranked.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    ranked[i]->normal_quantile = normal_quantile((static_cast<double>(i) + 0.625) / (n + 0.25));
  }
  return residuals;
}

}  // namespace scalelaw
