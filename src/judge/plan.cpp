#include "scalelaw/judge/plan.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fit/figures.hpp"
#include "judge/levels.hpp"
#include "runs/deliver_in_order.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

constexpr double kExact = 1e-9;  ///< A standard error of ln y that is rounding.

/// Information about theta from the runs so far, in units of one run.
Matrix information_of(const Fit& fit) {
  const auto p = static_cast<Index>(fit.parameters.size());
  if (fit.covariance.size() != fit.parameters.size() * fit.parameters.size() || !fit.sigma ||
      !(*fit.sigma > 0) || !(fit.sigma_dof() > 0)) {
    throw FitError(FailureCode::kNotIdentifiable,
                   "the fit has no standard errors to plan with: it is exact, or has as many "
                   "parameters as points");
  }
  const Matrix covariance =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          fit.covariance.data(), p, p);
  for (Index k = 0; k < p; ++k) {
    if (!(covariance(k, k) > 0)) {
      throw FitError(FailureCode::kNotIdentifiable,
                     "a parameter of the fit stands on its bound: plan with a simpler law");
    }
  }
  return *fit.sigma * *fit.sigma * covariance.inverse();
}

Vector gradient_at(const Fit& fit, double x) {
  const std::size_t p = fit.parameters.size();
  const SmallVector theta = working_parameters(fit);
  Vector gradient(static_cast<Index>(p));
  fit.law->gradient(x, std::span(theta).first(p), fit.response, {gradient.data(), p});
  return gradient;
}

/// The parameter that says how y scales: beta if the law has one, else the last.
Index exponent_of(const Fit& fit) {
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    if (fit.parameters[k].name == "beta") return static_cast<Index>(k);
  }
  return static_cast<Index>(fit.parameters.size()) - 1;
}

Sharpness sharpness(const Fit& fit, const Matrix& information, double dof,
                    const PlanOptions& options) {
  const Matrix inverse = information.inverse();
  const Vector target = gradient_at(fit, options.target);
  const double sigma = *fit.sigma;
  const Index exponent = exponent_of(fit);
  Sharpness out{};
  out.exponent_se = sigma * std::sqrt(inverse(exponent, exponent));
  out.curve_se = sigma * std::sqrt(target.dot(inverse * target));
  out.run_se = std::hypot(out.curve_se, sigma);
  // Two studies each have this standard error, and both kinds of mistakes are bounded.
  const double reach =
      student_t_factor(fit.confidence, 2 * dof) + student_t_factor(2 * options.power - 1, 2 * dof);
  out.detectable_exponent = reach * std::sqrt(2.0) * *out.exponent_se;
  out.detectable_log_time = reach * std::sqrt(2.0) * out.curve_se;
  return out;
}

std::vector<double> candidates_of(double x_min, double x_max, const PlanOptions& options) {
  if (!options.candidates.empty()) return options.candidates;
  const double last = std::max(x_max, options.target);
  std::vector<double> out;
  for (double x = x_min; x < last; x *= 2) out.push_back(x);
  out.push_back(last);
  return out;
}

void check(const PlanOptions& options) {
  const auto is_place = [](double x) { return x > 0 && std::isfinite(x); };
  if (!is_place(options.target) || !std::ranges::all_of(options.candidates, is_place)) {
    throw std::invalid_argument("plan_runs: an x is not positive and finite");
  }
  if (!(options.power > 0.5 && options.power < 1)) {
    throw std::invalid_argument("plan_runs: the power is not between 0.5 and 1");
  }
}

/// @param x_max  The greatest measured x.
/// @param xs     Where runs could be added.
/// @param time   The time of one run at an x.
/// @param after  How sharp statements are with so many runs more at an x.
template <class Time, class After>
Plan plan_of(const Sharpness& now, double x_max, std::span<const double> xs,
             const PlanOptions& options, Time time, After after) {
  Plan plan{.now = now, .x_max = x_max};
  const std::vector<std::uint32_t> repeats =
      options.repeats.empty() ? std::vector<std::uint32_t>{1, 2, 4} : options.repeats;
  for (const double x : xs) {
    for (const std::uint32_t count : repeats) {
      Addition addition{.x = x, .repeats = count, .after = after(x, count)};
      addition.gain = 1 - addition.after.curve_se / now.curve_se;
      addition.gpu_time = x * time(x) * count;
      if (options.hours_per_unit) addition.gpu_hours = addition.gpu_time * *options.hours_per_unit;
      plan.additions.push_back(addition);
    }
  }
  std::ranges::stable_sort(plan.additions, [](const Addition& a, const Addition& b) {
    return a.gain != b.gain ? a.gain > b.gain : a.gpu_time < b.gpu_time;
  });
  return plan;
}

Sharpness sharpness_of(double curve_se, double run_se, double confidence,
                       const PlanOptions& options) {
  const double reach = normal_factor(confidence) + normal_factor(2 * options.power - 1);
  return {.curve_se = curve_se,
          .run_se = run_se,
          .detectable_log_time = reach * std::sqrt(2.0) * curve_se};
}

/// By the widths of a mixture's intervals.
Sharpness sharpness(const Forecast& forecast, const PlanOptions& options) {
  const Prediction at = predict(forecast, options.target);
  const double normal = normal_factor(forecast.confidence);
  const auto error_of = [&](const Interval& interval) {
    return std::log(interval.upper / interval.lower) / (2 * normal);
  };
  return sharpness_of(error_of(*at.ci), error_of(*at.pi), forecast.confidence, options);
}

/// The time of a run, or of a unit of work where y is a rate.
double time_of_work(double y, double x, Response response, bool rate_of_one) {
  return response == Response::kTime ? y : 1 / (rate_of_one ? x * y : y);
}

/// Of a row.
double mean_weight(std::span<const Cell> cells) {
  double rows = 0;
  double sum = 0;
  for (const Cell& cell : cells) {
    rows += static_cast<double>(cell.count);
    sum += static_cast<double>(cell.count) * cell.weight;
  }
  return sum / rows;
}

/// Runs at that x with such a mean and scatter of ln y.
Cell runs_at(Cell runs, double mean_log, double scatter) {
  runs.mean_log = mean_log;
  runs.ss_log = static_cast<double>(runs.count - 1) * scatter * scatter;
  runs.mean = runs.min = runs.max = std::exp(mean_log);
  return runs;
}

/// The expected sharpness after further runs: means over outcomes that the forecast holds for
/// equally probable.
Sharpness expected_sharpness(std::span<const Cell> cells, const Forecast& now, const Cell& further,
                             const ForecastOptions& how, const PlanOptions& options) {
  constexpr int kOutcomes = 12;
  const double sign = sign_of(how.response);
  LogTimes times(*now.mixture, std::log(further.x / now.x_max));
  times.of_runs(static_cast<double>(further.count));
  double curve = 0;
  double run = 0;
  for (int i = 0; i < kOutcomes; ++i) {
    std::vector<Cell> more(cells.begin(), cells.end());
    const auto place = std::ranges::upper_bound(more, further.x, {}, &Cell::x);
    const double log_time = times.quantile((i + 0.5) / kOutcomes);
    more.insert(place, runs_at(further, sign * log_time, times.scatter_at(log_time)));
    const Sharpness one = sharpness(make_forecast(more, how), options);
    curve += one.curve_se / kOutcomes;
    run += one.run_se / kOutcomes;
  }
  return sharpness_of(curve, run, now.confidence, options);
}

}  // namespace

Plan plan_runs(const Fit& fit, const PlanOptions& options) {
  check(options);
  if (fit.scale != Scale::kLog || fit.law->scale() != Scale::kLog) {
    throw FitError(FailureCode::kNotIdentifiable, "plans are made for fits of ln y");
  }
  const Matrix information = information_of(fit);
  const double dof = fit.sigma_dof();
  const auto time = [&](double x) {
    return time_of_work(fit.curve(x), x, fit.response, fit.rate_of_one);
  };
  const auto after = [&](double x, std::uint32_t count) {
    const Vector gradient = gradient_at(fit, x);
    const Matrix more = information + count * gradient * gradient.transpose();
    return sharpness(fit, more, dof + count, options);
  };
  return plan_of(sharpness(fit, information, dof, options), fit.x_max,
                 candidates_of(fit.x_min, fit.x_max, options), options, time, after);
}

Plan plan_runs(std::span<const Cell> cells, const ForecastOptions& how,
               const PlanOptions& options) {
  check(options);
  const Forecast now = make_forecast(cells, how);
  if (now.fit) return plan_runs(*now.fit, options);
  const Sharpness known = sharpness(now, options);
  if (known.curve_se < kExact) {
    throw FitError(FailureCode::kNotIdentifiable, "its points lie on one curve: no run is needed");
  }
  const auto time = [&](double x) {
    return time_of_work(predict(now, x).median, x, how.response, how.rate_of_one);
  };
  const double weight = mean_weight(cells);
  const auto after = [&](double x, std::uint32_t count) {
    const Cell further{.x = x, .count = count, .weight = weight};
    return expected_sharpness(cells, now, further, how, options);
  };
  return plan_of(known, now.x_max, candidates_of(now.x_min, now.x_max, options), options, time,
                 after);
}

void plan_each(const GroupedCells& runs, const ForecastOptions& how, const PlanOptions& options,
               int threads, const std::function<void(GroupPlan&&)>& sink) {
  const int workers = thread_count(threads);
  const auto plan = [&](std::size_t i, int /*worker*/) {
    std::vector<Cell> cells;
    runs.cells(i, cells);
    return GroupPlan{runs.key(i), outcome_of([&] { return plan_runs(cells, how, options); })};
  };
  deliver_in_order<GroupPlan>(runs.size(), workers, slice_of_slow_groups(runs.size(), workers),
                              plan, sink);
}

GroupPlan plan_for(const GroupFit& fit, const PlanOptions& options) {
  return {fit.group,
          outcome_of(fit.result, [&](const Fit& law) { return plan_runs(law, options); })};
}

}  // namespace scalelaw
