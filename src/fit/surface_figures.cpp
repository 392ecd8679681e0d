// What follows from the fit of a surface: its scatter, its values and least places.

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>

#include "fit/surface_fit.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

/// ln of the values minus their mean, which is added to `centre`.
std::vector<double> centred_logs(std::span<const double> values, double& centre) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw std::invalid_argument("fit_surface: a value is not positive and finite");
    }
    logs.push_back(std::log(value));
  }
  centre = mean_of(logs);
  for (double& value : logs) value -= centre;
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

/// The same for a value with errors on a scale.
Interval about(double value, double reach, Scale scale) {
  return scale == Scale::kLog ? about(value, reach) : Interval{value - reach, value + reach};
}

}  // namespace

Interval range_of(std::span<const double> values) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return {*least, *greatest};
}

std::size_t different_places(std::span<const double> n, std::span<const double> d) {
  std::set<std::pair<double, double>> places;
  for (std::size_t i = 0; i < n.size(); ++i) places.emplace(n[i], d[i]);
  return places.size();
}

Fit surface_head(std::span<const double> n, std::span<const double> d, const FitOptions& options) {
  Fit fit;
  fit.law = options.law;
  fit.scale = options.errors == Errors::kNormal ? Scale::kOriginal : options.law->scale();
  fit.response = options.response;
  fit.confidence = options.confidence;
  fit.n = n.size();
  fit.distinct_x = different_places(n, d);
  fit.dof = static_cast<std::int64_t>(n.size()) -
            static_cast<std::int64_t>(options.law->fitted_parameters());
  return fit;
}

SurfacePoints points_of(std::span<const double> n, std::span<const double> d,
                        std::span<const double> y, std::span<const std::uint32_t> cluster) {
  SurfacePoints points;
  points.u = centred_logs(n, points.centre[0]);
  points.v = centred_logs(d, points.centre[1]);
  points.w = centred_logs(y, points.centre[2]);
  points.weight.assign(y.size(), 1);
  std::vector<std::uint32_t> names(cluster.begin(), cluster.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::uint32_t name : cluster) {
    const auto place = std::lower_bound(names.begin(), names.end(), name);
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
  const SurfacePoints points = points_of(runs.n, runs.d, runs.y, {});
  const ResidualLoss shape = loss_of(options);
  const bool logs = shape.scale == Scale::kLog;
  std::vector<double> residuals;
  for (std::size_t i = 0; i < runs.y.size(); ++i) {
    const double curve = fit.curve(std::array{runs.n[i], runs.d[i]});
    residuals.push_back(logs ? std::log(curve / runs.y[i]) : curve - runs.y[i]);
  }
  const double unit = logs ? 1 : std::exp(points.centre[2]);
  fill_scatter(fit, runs.y, unit * unit * SurfaceLoss(points, shape).squares_about_mean(),
               residuals);
  fit.r2_adjusted.reset();  // Its degrees of freedom are those of all groups.
  SurfaceFigures figures{.x_range = {range_of(runs.n), range_of(runs.d)},
                         .objective = objective,
                         .starts = 0,
                         .met = 0,
                         .gradient = 0,
                         .split = split_of(fit)};
  if (std::isfinite(shape.delta)) figures.huber_delta = shape.delta;
  fit.surface = std::make_shared<const SurfaceFigures>(std::move(figures));
}

std::optional<std::array<Estimate, 2>> split_of(const Fit& fit) {
  const double alpha = fit.parameters[3].estimate;
  const double beta = fit.parameters[4].estimate;
  if (!(alpha > 0 && beta > 0)) return std::nullopt;
  std::array<Estimate, 2> split;
  split[0].estimate = beta / (alpha + beta);
  split[1].estimate = alpha / (alpha + beta);
  if (fit.covariance.empty()) return split;
  const auto covariance = [&fit](std::size_t j, std::size_t k) {
    return fit.covariance[5 * j + k];
  };
  const double variance = covariance(3, 3) / (alpha * alpha) + covariance(4, 4) / (beta * beta) -
                          2 * covariance(3, 4) / (alpha * beta);
  if (!(variance > 0)) return split;  // Both exponents are held, or equal.
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

SurfacePoint surface_at(const Fit& fit, double n, double d, double confidence) {
  const std::array x{n, d};
  SurfacePoint point{.n = n, .d = d, .median = fit.curve(x)};
  const auto& ranges = fit.surface->x_range;
  point.extrapolation = std::max(distance_outside(ranges[0], n), distance_outside(ranges[1], d));
  const auto se = fit.curve_se(x);
  if (!se || !fit.sigma) return point;
  const double factor = student_t_factor(confidence, fit.joint_dof());
  point.ci = about(point.median, factor * *se, fit.scale);
  point.pi = about(point.median, factor * std::hypot(*se, *fit.sigma), fit.scale);
  return point;
}

std::optional<SurfaceOptimum> surface_optimum(const Fit& fit, double product, double confidence) {
  const double alpha = fit.parameters[3].estimate;
  const double beta = fit.parameters[4].estimate;
  if (!(alpha > 0 && beta > 0)) return std::nullopt;
  const double c = std::log(product);
  const double log_ratio =
      std::log(fit.parameters[0].estimate * alpha) - std::log(fit.parameters[1].estimate * beta);
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
      variance += gradient[j] * fit.covariance[5 * j + k] * gradient[k];
    }
  }
  const double reach =
      student_t_factor(confidence, fit.joint_dof()) * std::sqrt(std::max(0.0, variance));
  out.n_ci = about(n, reach);
  out.d_ci = about(product / n, reach);
  return out;
}

}  // namespace scalelaw
