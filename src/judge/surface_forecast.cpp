#include "scalelaw/judge/surface_forecast.hpp"

#include <fmt/format.h>

#include <cmath>

namespace scalelaw {
namespace {

double beyond(double value, const Interval& range) {
  return value > range.upper ? value / range.upper : value < range.lower ? value / range.lower : 1;
}

/// @throws FitError if a scale, a compute or the law's value is not a finite number.
SurfaceAnswer finite(SurfaceAnswer answer) {
  const SurfacePoint& point = answer.point;
  for (const double value : {answer.compute, point.n, point.d, point.median}) {
    if (std::isfinite(value) && value > 0) continue;
    throw FitError(FailureCode::kNotIdentifiable,
                   fmt::format("at {:.3g} and {:.3g} the compute or the law leaves the range of "
                               "numbers: ask for other scales, or take other units",
                               point.n, point.d));
  }
  return answer;
}

SurfaceAnswer optimum_at(const Fit& fit, double compute, const SurfaceQuestions& questions) {
  const auto optimum =
      surface_optimum(fit, compute / questions.flops_per_parameter_token, questions.confidence);
  if (!optimum) {
    throw FitError(FailureCode::kNotIdentifiable,
                   "an exponent is not positive, so that no place is the best for a compute");
  }
  return finite({compute, optimum->point, true, optimum->n_ci, optimum->d_ci});
}

}  // namespace

std::vector<SurfaceAnswer> answers_of(const Fit& fit, const SurfaceQuestions& questions) {
  const double factor = questions.flops_per_parameter_token;
  std::vector<SurfaceAnswer> answers;
  for (const auto& [n, d] : questions.at) {
    answers.push_back(finite({factor * n * d, surface_at(fit, n, d, questions.confidence)}));
  }
  std::vector<double> computes = questions.at_compute;
  if (answers.empty() && computes.empty()) {
    const auto& ranges = fit.surface->x_range;
    const double greatest = factor * ranges[0].upper * ranges[1].upper;
    computes = {greatest, 10 * greatest};
  }
  for (const double compute : computes) answers.push_back(optimum_at(fit, compute, questions));
  for (SurfaceAnswer& answer : answers) {
    answer.n_beyond = beyond(answer.point.n, fit.surface->x_range[0]);
    answer.d_beyond = beyond(answer.point.d, fit.surface->x_range[1]);
  }
  return answers;
}

std::vector<GroupSurface> answers_of(std::span<const GroupFit> fits,
                                     const SurfaceQuestions& questions) {
  std::vector<GroupSurface> groups;
  for (const GroupFit& fit : fits) {
    groups.push_back({fit.group, outcome_of(fit.result, [&](const Fit& surface) {
                        return answers_of(surface, questions);
                      })});
  }
  return groups;
}

}  // namespace scalelaw
