// What follows from the fit of a surface: its scatter, its values and least places.

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>

#include "fit/figures.hpp"
#include "fit/surface_fit.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

/// The surface for fresh data as the law chinchilla has it.
struct FreshLaw {
  double a;
  double b;
  double alpha;
  double beta;
  /// 5 x 5, of (ln A, ln B, E, alpha, beta); empty where the fit has none.
  std::vector<double> covariance = {};
};

std::vector<double> logs_of(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw std::invalid_argument("fit_surface: a value is not positive and finite");
    }
    logs.push_back(std::log(value));
  }
  return logs;
}

/// Takes the mean off the values, and returns it.
double centre(std::vector<double>& values) {
  const double mean = mean_of(values);
  for (double& value : values) value -= mean;
  return mean;
}

/// ln(f x^k) of a scale as a form takes it.
std::vector<double> logs_of(std::span<const double> values, const SurfaceForm& form) {
  std::vector<double> logs = logs_of(values);
  if (form.power == 1) return logs;
  for (double& value : logs) value = form.log_factor + form.power * value;
  return logs;
}

double distance_outside(const Interval& range, double value) {
  const double width = std::log(range.upper / range.lower);
  const double beyond =
      std::max({0.0, std::log(value / range.upper), std::log(range.lower / value)});
  return beyond / width;
}

Interval about(double median, double reach) {
  return {median * std::exp(-reach), median * std::exp(reach)};
}

RepeatedTokens repeats_at(const Fit& fit, double n, double d, double unique) {
  const SmallVector theta = working_parameters(fit);
  const auto working = std::span(theta).first(fit.parameters.size());
  const RepeatedData at = repeated_data({std::log(n), std::log(d), std::log(unique)}, working);
  return {.unique = unique,
          .effective_n = std::exp(at.log_n),
          .effective_d = std::exp(at.log_d),
          .fresh_median = fit.curve(std::array{n, d, d})};
}

/// The same for a value with errors on a scale.
Interval about(double value, double reach, Scale scale) {
  return scale == Scale::kLog ? about(value, reach) : Interval{value - reach, value + reach};
}

FreshLaw fresh_law(const Fit& fit) {
  const SurfaceForm& form = form_of(*fit.law);
  const auto& parameters = fit.parameters;
  // Of each working parameter of the law chinchilla, the derivatives by those of the fit.
  SmallMatrix moves{};
  for (std::size_t k = 0; k < 5; ++k) moves[k][k] = 1;
  FreshLaw fresh{.a = parameters[0].estimate,
                 .b = parameters[1].estimate,
                 .alpha = form.power * parameters[3].estimate,
                 .beta = form.power * parameters[form.exponent(1)].estimate};
  if (form.one_exponent) {
    const double factor = std::exp(-parameters[3].estimate * form.log_factor);
    fresh.a *= factor;
    fresh.b *= factor;
    moves[0][3] = moves[1][3] = -form.log_factor;
    moves[3][3] = moves[4][3] = form.power;
    moves[4][4] = 0;
  }
  if (fit.covariance.empty()) return fresh;
  const std::size_t p = parameters.size();
  const std::size_t taken = std::min<std::size_t>(p, 5);
  fresh.covariance.assign(25, 0);
  for (std::size_t j = 0; j < 5; ++j) {
    for (std::size_t k = 0; k < 5; ++k) {
      for (std::size_t s = 0; s < taken; ++s) {
        for (std::size_t t = 0; t < taken; ++t) {
          if (moves[j][s] == 0 || moves[k][t] == 0) continue;
          fresh.covariance[5 * j + k] += moves[j][s] * moves[k][t] * fit.covariance[p * s + t];
        }
      }
    }
  }
  return fresh;
}

}  // namespace

Interval range_of(std::span<const double> values) {
  const auto [least, greatest] = std::ranges::minmax_element(values);
  return {*least, *greatest};
}

SurfaceScales scales_of(const SurfaceRuns& runs) { return {runs.n, runs.d, runs.unique}; }

std::vector<Interval> ranges_of(const SurfaceScales& scales) {
  std::vector<Interval> ranges{range_of(scales.n), range_of(scales.d)};
  if (!scales.unique.empty()) ranges.push_back(range_of(scales.unique));
  return ranges;
}

std::size_t different_places(const SurfaceScales& scales) {
  std::set<std::array<double, 3>> places;
  for (std::size_t i = 0; i < scales.size(); ++i) places.insert(scales.at(i));
  return places.size();
}

std::array<double, 3> SurfacePoints::scales_at(std::size_t i) const {
  const double n = std::exp((u[i] + centre[0] - form.log_factor) / form.power);
  const double d = std::exp((v[i] + centre[1] - form.log_factor) / form.power);
  return {n, d, form.repeats ? std::exp(unique[i] + centre[1]) : d};
}

SurfacePoints SurfacePoints::like() const {
  SurfacePoints out;
  out.form = form;
  out.centre = centre;
  return out;
}

void SurfacePoints::add(const SurfacePoints& other, std::size_t i, double times) {
  u.push_back(other.u[i]);
  v.push_back(other.v[i]);
  if (form.repeats) unique.push_back(other.unique[i]);
  w.push_back(other.w[i]);
  weight.push_back(times);
}

Fit surface_head(const SurfaceScales& scales, const FitOptions& options) {
  Fit fit;
  fit.law = options.law;
  fit.scale = options.errors == Errors::kNormal ? Scale::kOriginal : options.law->scale();
  fit.response = options.response;
  fit.confidence = options.confidence;
  fit.n = scales.size();
  fit.distinct_x = different_places(scales);
  fit.dof = static_cast<std::int64_t>(scales.size()) -
            static_cast<std::int64_t>(options.law->fitted_parameters());
  return fit;
}

SurfacePoints points_of(const Law& law, const SurfaceScales& scales, std::span<const double> y,
                        std::span<const std::uint32_t> cluster) {
  SurfacePoints points;
  points.form = form_of(law);
  points.u = logs_of(scales.n, points.form);
  points.v = logs_of(scales.d, points.form);
  points.w = logs_of(y);
  points.centre = {centre(points.u), centre(points.v), centre(points.w)};
  if (points.form.repeats) points.unique = logs_of(scales.unique);
  for (double& value : points.unique) value -= points.centre[1];
  points.weight.assign(y.size(), 1);
  std::vector<std::uint32_t> names(cluster.begin(), cluster.end());
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::uint32_t name : cluster) {
    const auto place = std::ranges::lower_bound(names, name);
    points.cluster.push_back(static_cast<std::uint32_t>(place - names.begin()));
  }
  return points;
}

void fill_scatter(Fit& fit, std::span<const double> y, double tss,
                  std::span<const double> residuals) {
  const auto n = static_cast<double>(y.size());
  const bool logs = fit.scale == Scale::kLog;
  if (fit.dof > 0) fit.sigma = std::sqrt(fit.rss / static_cast<double>(fit.dof));
  if (tss > 0) fit.r2 = 1 - fit.rss / tss;
  if (fit.r2 && fit.dof > 0) {
    fit.r2_adjusted = 1 - (1 - *fit.r2) * (n - 1) / static_cast<double>(fit.dof);
  }
  double squares = 0;
  double relative = 0;
  double smearing = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double share = logs ? std::expm1(residuals[i]) : residuals[i] / y[i];
    const double off = logs ? y[i] * share : residuals[i];
    squares += off * off / n;
    relative += std::abs(share) / n;
    smearing += std::exp(-residuals[i]) / n;
  }
  fit.rmse = std::sqrt(squares);
  fit.mape = relative;
  if (logs) fit.smearing = smearing;
}

void fill_surface(Fit& fit, const SurfaceRuns& runs, double objective, const FitOptions& options) {
  const SurfaceScales scales = scales_of(runs);
  const SurfacePoints points = points_of(*options.law, scales, runs.y, {});
  const ResidualLoss shape = loss_of(options);
  const bool logs = shape.scale == Scale::kLog;
  std::vector<double> residuals;
  for (std::size_t i = 0; i < runs.y.size(); ++i) {
    const std::array x = scales.at(i);
    const double curve = fit.curve(std::span(x).first(options.law->inputs()));
    residuals.push_back(logs ? std::log(curve / runs.y[i]) : curve - runs.y[i]);
  }
  const double unit = logs ? 1 : std::exp(points.centre[2]);
  fill_scatter(fit, runs.y, unit * unit * SurfaceLoss(points, shape).squares_about_mean(),
               residuals);
  fit.r2_adjusted.reset();  // Its degrees of freedom are those of all groups.
  SurfaceFigures figures{.x_range = ranges_of(scales),
                         .objective = objective,
                         .starts = 0,
                         .met = 0,
                         .gradient = 0,
                         .split = split_of(fit)};
  if (std::isfinite(shape.delta)) figures.huber_delta = shape.delta;
  fit.surface = std::make_shared<const SurfaceFigures>(std::move(figures));
}

std::optional<std::array<Estimate, 2>> split_of(const Fit& fit) {
  const FreshLaw fresh = fresh_law(fit);
  const double alpha = fresh.alpha;
  const double beta = fresh.beta;
  if (!(alpha > 0 && beta > 0)) return std::nullopt;
  std::array<Estimate, 2> split;
  split[0].estimate = beta / (alpha + beta);
  split[1].estimate = alpha / (alpha + beta);
  if (fresh.covariance.empty()) return split;
  const auto covariance = [&fresh](std::size_t j, std::size_t k) {
    return fresh.covariance[5 * j + k];
  };
  const double variance = covariance(3, 3) / (alpha * alpha) + covariance(4, 4) / (beta * beta) -
                          2 * covariance(3, 4) / (alpha * beta);
  if (form_of(*fit.law).one_exponent || !(variance > 0)) return split;  // Both held, or equal.
  const double log_odds_se = std::sqrt(variance);
  const double reach = student_t_factor(fit.confidence, fit.joint_dof()) * log_odds_se;
  for (Estimate& estimate : split) {
    const double share = estimate.estimate;
    const double odds = share / (1 - share);
    const auto share_at = [odds](double shift) { return 1 - 1 / (1 + odds * std::exp(shift)); };
    estimate.se = share * (1 - share) * log_odds_se;
    estimate.ci = Interval{share_at(-reach), share_at(reach)};
  }
  return split;
}

SurfacePoint surface_at(const Fit& fit, double n, double d, double confidence,
                        std::optional<double> unique) {
  const std::array all{n, d, unique.value_or(d)};
  const auto x = std::span(all).first(fit.law->inputs());
  SurfacePoint point{.n = n, .d = d, .median = fit.curve(x)};
  if (x.size() == 3) point.repeats = repeats_at(fit, n, d, x[2]);
  const auto& ranges = fit.surface->x_range;
  for (std::size_t k = 0; k < std::min(ranges.size(), x.size()); ++k) {
    point.extrapolation = std::max(point.extrapolation, distance_outside(ranges[k], x[k]));
  }
  const auto se = fit.curve_se(x);
  if (!se || !fit.sigma) return point;
  const double factor = student_t_factor(confidence, fit.joint_dof());
  point.ci = about(point.median, factor * *se, fit.scale);
  point.pi = about(point.median, factor * std::hypot(*se, *fit.sigma), fit.scale);
  return point;
}

std::optional<SurfaceOptimum> surface_optimum(const Fit& fit, double product, double confidence) {
  const FreshLaw fresh = fresh_law(fit);
  const double alpha = fresh.alpha;
  const double beta = fresh.beta;
  if (!(alpha > 0 && beta > 0)) return std::nullopt;
  const double c = std::log(product);
  const double log_ratio = std::log(fresh.a * alpha) - std::log(fresh.b * beta);
  const double log_n = (log_ratio + beta * c) / (alpha + beta);
  const double n = std::exp(log_n);
  // The split changes the surface only in second order, so its errors are those of the point.
  SurfaceOptimum out{.point = surface_at(fit, n, product / n, confidence)};
  if (fit.covariance.empty()) return out;
  const std::array<double, 5> gradient{1 / (alpha + beta), -1 / (alpha + beta), 0,
                                       (1 / alpha - log_n) / (alpha + beta),
                                       (c - 1 / beta - log_n) / (alpha + beta)};
  double variance = 0;
  for (std::size_t j = 0; j < 5; ++j) {
    for (std::size_t k = 0; k < 5; ++k) {
      variance += gradient[j] * fresh.covariance[5 * j + k] * gradient[k];
    }
  }
  const double reach =
      student_t_factor(confidence, fit.joint_dof()) * std::sqrt(std::max(0.0, variance));
  out.n_ci = about(n, reach);
  out.d_ci = about(product / n, reach);
  return out;
}

}  // namespace scalelaw
