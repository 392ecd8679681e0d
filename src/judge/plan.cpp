#include "scalelaw/judge/plan.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fit/figures.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

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
  out.detectable_exponent = reach * std::sqrt(2.0) * out.exponent_se;
  out.detectable_log_time = reach * std::sqrt(2.0) * out.curve_se;
  return out;
}

std::vector<double> candidates_of(const Fit& fit, const PlanOptions& options) {
  if (!options.candidates.empty()) return options.candidates;
  const double last = std::max(fit.x_max, options.target);
  std::vector<double> out;
  for (double x = fit.x_min; x < last; x *= 2) out.push_back(x);
  out.push_back(last);
  return out;
}

void check(const Fit& fit, const PlanOptions& options) {
  const auto is_place = [](double x) { return x > 0 && std::isfinite(x); };
  if (!is_place(options.target) ||
      !std::all_of(options.candidates.begin(), options.candidates.end(), is_place)) {
    throw std::invalid_argument("plan_runs: an x is not positive and finite");
  }
  if (!(options.power > 0.5 && options.power < 1)) {
    throw std::invalid_argument("plan_runs: the power is not between 0.5 and 1");
  }
  if (fit.scale != Scale::kLog || fit.law->scale() != Scale::kLog) {
    throw FitError(FailureCode::kNotIdentifiable, "plans are made for fits of ln y");
  }
}

}  // namespace

Plan plan_runs(const Fit& fit, const PlanOptions& options) {
  check(fit, options);
  const Matrix information = information_of(fit);
  const double dof = fit.sigma_dof();
  Plan plan{.now = sharpness(fit, information, dof, options)};
  const std::vector<std::uint32_t> repeats =
      options.repeats.empty() ? std::vector<std::uint32_t>{1, 2, 4} : options.repeats;
  for (const double x : candidates_of(fit, options)) {
    const Vector gradient = gradient_at(fit, x);
    const double time = fit.response == Response::kTime ? fit.curve(x) : 1 / fit.curve(x);
    for (const std::uint32_t count : repeats) {
      const Matrix more = information + count * gradient * gradient.transpose();
      const Sharpness after = sharpness(fit, more, dof + count, options);
      plan.additions.push_back({.x = x,
                                .repeats = count,
                                .after = after,
                                .gain = 1 - after.curve_se / plan.now.curve_se,
                                .gpu_time = x * time * count});
      if (!options.hours_per_unit) continue;
      Addition& addition = plan.additions.back();
      addition.gpu_hours = addition.gpu_time * *options.hours_per_unit;
    }
  }
  std::stable_sort(plan.additions.begin(), plan.additions.end(),
                   [](const Addition& a, const Addition& b) {
                     return a.gain != b.gain ? a.gain > b.gain : a.gpu_time < b.gpu_time;
                   });
  return plan;
}

std::vector<GroupPlan> plans_of(std::span<const GroupFit> fits, const PlanOptions& options) {
  std::vector<GroupPlan> plans;
  for (const GroupFit& fit : fits) {
    plans.push_back({fit.group, outcome_of(fit.result, [&](const Fit& law) {
                       return plan_runs(law, options);
                     })});
  }
  return plans;
}

}  // namespace scalelaw
