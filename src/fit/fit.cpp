#include "scalelaw/fit/fit.hpp"

#include <cmath>
#include <stdexcept>

#include "base/per_thread.hpp"
#include "fit/bootstrap.hpp"
#include "fit/bound_curves.hpp"
#include "fit/figures.hpp"
#include "fit/free_law.hpp"
#include "fit/nonlinear.hpp"
#include "fit/pooled_slopes.hpp"
#include "fit/regression.hpp"
#include "fit/robust_fit.hpp"
#include "scalelaw/base/names.hpp"

namespace scalelaw {
namespace {

/// Memory that one thread reuses from fit to fit.
struct Workspace {
  FitPoints points;
  Solution solution;
  SmallVector theta{};
  std::vector<double> residuals;
};

void check_options(const FitOptions& options) {
  if (options.law == nullptr) throw std::invalid_argument("fit_law: no law");
  if (options.law->inputs() != 1) throw std::invalid_argument("fit_law: a law of several x");
  if (options.law->parameters().size() > kMaxParameters) {
    throw std::invalid_argument("fit_law: the law has too many parameters");
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw std::invalid_argument("fit_law: confidence is not between 0 and 1");
  }
  if (options.pooling) check_pooling(options);
}

void check_inputs(const Law& law, std::span<const double> x) {
  if (x.size() != law.inputs()) throw std::invalid_argument("Fit: not as many x as the law takes");
}

void check_points(std::span<const Cell> cells) {
  for (const Cell& cell : cells) {
    if (cell.count != 1) {
      throw std::invalid_argument("fit_law: robust fits and the bootstrap need cells of count 1");
    }
  }
}

void check_robust(const Solution& solution, Robust robust) {
  if (!solution.linear) {
    throw DataError(
        "robust fits are for laws that are linear on the scale of the fit: power, lognormal, "
        "linear and proportional, and not with normal errors for the first two");
  }
  if (robust == Robust::kTheilSen && !(solution.p == 2 && solution.intercept)) {
    throw DataError(
        "a Theil-Sen line has a slope and an intercept, which this law has not: use huber instead");
  }
}

void take_pooled_sigma(Fit& fit, const std::shared_ptr<const Pooling>& pooling) {
  fit.pooling = pooling;
  fit.own = OwnFigures{.sigma = fit.sigma};
  fit.sigma = pooling->sigma;
}

Fit least_squares_fit(const Workspace& work, const FitOptions& options) {
  const FitPoints& points = work.points;
  const Solution& solution = work.solution;
  Fit fit = fit_of(points, options.confidence);
  fit.se = options.se;
  if (is_clustered(options.se)) fit.clusters = cluster_count(points);
  const bool classic_asked = options.se == StandardError::kClassic;
  const auto classic = options.pooling ? pooled_covariance(solution, *options.pooling)
                                       : classic_covariance(points, solution);
  const auto asked = classic_asked ? classic : covariance_of(points, solution, options.se);
  fill_parameters(fit, std::span(solution.theta).first(solution.p), asked ? &*asked : nullptr,
                  classic && !classic_asked ? &*classic : nullptr);
  place_kink(fit, points, solution);
  mark_bounds(fit, solution);
  // A profile assumes even scatter, and other standard errors are requested because it is not.
  if (!solution.linear && classic_asked && options.intervals == Intervals::kProfile) {
    fill_profile_intervals(fit, points, solution);
  }
  fill_explained(fit, points, solution);
  if (options.pooling) take_pooled_sigma(fit, options.pooling);
  if (options.bound_curves) fill_bound_curves(fit, points);
  if (options.figures >= Figures::kCurve) fill_likelihood(fit, points, solution);
  if (options.figures == Figures::kAll) fill_least_squares_figures(fit, points, solution);
  return fit;
}

RobustSolution robust_solution(FitPoints& points, Solution& scratch, const FitOptions& options) {
  return options.robust == Robust::kHuber ? huber_fit(points, scratch)
                                          : theil_sen_fit(points, scratch, options.confidence);
}

/// Fills estimates and the figures of the curve. Figures that need least squares stay empty.
Fit robust_fit(Workspace& work, const FitOptions& options) {
  const Solution& ordinary = work.solution;
  check_robust(ordinary, options.robust);
  Solution scratch = ordinary;
  const RobustSolution robust = robust_solution(work.points, scratch, options);
  std::optional<Covariance> covariance;
  if (options.robust == Robust::kHuber) {
    covariance = huber_covariance(work.points, ordinary, robust);
  }
  Fit fit = fit_of(work.points, options.confidence);
  const auto theta = std::span(robust.theta).first(ordinary.p);
  fill_parameters(fit, theta, covariance ? &*covariance : nullptr, nullptr);
  if (robust.slope_ci) fit.parameters[1].ci = robust.slope_ci;
  if (fit.n >= 2 * ordinary.p && fit.dof > 0) fit.sigma = robust.scale;
  work.theta = robust.theta;
  residuals_about(work.points, ordinary, robust.theta, work.residuals);
  return fit;
}

/// Fits a resample of the points as the points themselves were fitted.
bool refit(const Workspace& work, const FitOptions& options, FitPoints& points, Solution& scratch,
           SmallVector& theta) {
  if (!work.solution.linear) {
    const auto end = descend_near(points, work.theta, Precision::kRss);
    if (end) theta = end->theta;
    return end.has_value();
  }
  if (options.robust == Robust::kNone) {
    solve_linear(points, scratch);
    theta = scratch.theta;
    return true;
  }
  const auto solution = if_possible([&] { return robust_solution(points, scratch, options); });
  if (solution) theta = solution->theta;
  return solution.has_value();
}

std::optional<Bootstrap> bootstrap_fit(const Workspace& work, const FitOptions& options,
                                       std::uint64_t random_stream) {
  Solution scratch = work.solution;
  const BootstrapProblem problem{
      .points = &work.points,
      .solution = &work.solution,
      .residuals = work.residuals,
      .theta = std::span(work.theta).first(work.solution.p),
      .exactly_linear = work.solution.linear && options.robust == Robust::kNone,
      .refit = [&](FitPoints& points, SmallVector& theta) {
        return refit(work, options, points, scratch, theta);
      }};
  return bootstrap_of(problem, options, random_stream);
}

}  // namespace

SmallVector working_parameters(const Fit& fit) {
  SmallVector theta{};
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    theta[k] = fit.law->parameters()[k].working(fit.parameters[k].estimate);
  }
  return theta;
}

Interval reported_interval(const ParameterSpec& spec, const Interval& working) {
  if (!spec.is_exponential()) return working;
  return {std::isfinite(working.lower) ? std::exp(working.lower) : working.lower,
          std::exp(working.upper)};
}

double Fit::sigma_dof() const { return pooling ? pooling->dof : static_cast<double>(dof); }

double Fit::joint_dof() const {
  auto least = static_cast<double>(dof);
  for (const Parameter& parameter : parameters) {
    if (parameter.dof) least = std::min(least, *parameter.dof);
  }
  return least;
}

std::optional<Fit::LogCurve> Fit::log_curve(double x) const {
  const double value = curve(x);
  if (!std::isnormal(value) || value < 0) return std::nullopt;
  std::optional<double> error = curve_se(x);
  if (error && scale == Scale::kOriginal) *error /= value;
  return LogCurve{std::log(value), error};
}

double Fit::curve(std::span<const double> x) const {
  check_inputs(*law, x);
  const SmallVector theta = working_parameters(*this);
  const double eta = law->predictor(x, std::span(theta).first(parameters.size()), response);
  return law->scale() == Scale::kLog ? std::exp(eta) : eta;
}

std::optional<double> Fit::curve_se(std::span<const double> x) const {
  check_inputs(*law, x);
  const std::size_t p = parameters.size();
  if (covariance.size() != p * p) return std::nullopt;
  const SmallVector theta = working_parameters(*this);
  SmallVector gradient{};
  const double eta =
      law->gradient(x, std::span(theta).first(p), response, std::span(gradient).first(p));
  double variance = 0;
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t k = 0; k < p; ++k) {
      variance += gradient[j] * covariance[j * p + k] * gradient[k];
    }
  }
  const double slope = linked_value(law->scale(), scale, eta).slope;
  return std::abs(slope) * std::sqrt(std::max(variance, 0.0));
}

Fit fit_law(std::span<const Cell> cells, const FitOptions& options, std::uint64_t random_stream) {
  check_options(options);
  const bool resampled = options.bootstrap.resamples > 0;
  if (resampled || options.robust != Robust::kNone) check_points(cells);
  thread_local PerThread<PerLaw<Workspace>> workspaces;
  Workspace& work = (*workspaces)[*options.law];
  observe(cells, options, work.points);
  solve(work.points, work.solution);
  work.theta = work.solution.theta;
  work.residuals = work.solution.residual;
  Fit fit = options.robust == Robust::kNone ? least_squares_fit(work, options)
                                            : robust_fit(work, options);
  if (fit.pooling && fit.pooling->slopes) {
    take_pooled_slope(fit, work.points, work.solution, work.residuals);
  }
  if (resampled) fit.bootstrap = bootstrap_fit(work, options, random_stream);
  fill_held(fit);
  if (options.figures == Figures::kEstimates) return fit;
  fill_curve_figures(fit, work.points, work.residuals);
  if (options.figures != Figures::kAll) return fit;
  fill_warnings(fit, options);
  fit.free_law = test_against_free_law(
      fit, options, [&](const FitOptions& freely) { return fit_law(cells, freely); });
  return fit;
}

std::string_view name_of(Response response) {
  return word_for(response, {{Response::kTime, "time"}, {Response::kRate, "rate"}});
}

std::string_view name_of(Errors errors) {
  return word_for(errors, {{Errors::kLognormal, "lognormal"}, {Errors::kNormal, "normal"}});
}

std::string_view name_of(StandardError se) {
  using enum StandardError;
  return word_for(se, {{kClassic, "classic"},
                       {kHc0, "hc0"},
                       {kHc1, "hc1"},
                       {kHc2, "hc2"},
                       {kHc2Bm, "hc2-bm"},
                       {kHc3, "hc3"},
                       {kCluster, "cluster"},
                       {kCr2, "cr2"},
                       {kSandwich, "sandwich"}});
}

std::string_view name_of(Robust robust) {
  using enum Robust;
  return word_for(robust, {{kNone, "none"}, {kHuber, "huber"}, {kTheilSen, "theil-sen"}});
}

std::string_view name_of(BootstrapKind kind) {
  using enum BootstrapKind;
  return word_for(kind,
                  {{kWebb, "webb"}, {kWild, "wild"}, {kResidual, "residual"}, {kCase, "case"}});
}

}  // namespace scalelaw
