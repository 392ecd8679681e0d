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

/// @throws FitError if the scores have no curve.
void add_scores(std::vector<SurfaceAnswer>& answers, const Fit& surface,
                const Grouped<ScoreCurve>& scores, const SurfaceQuestions& questions) {
  if (const NoFit* const failure = std::get_if<NoFit>(&scores.result)) {
    throw FitError(failure->code, "the score has no curve: " + failure->message);
  }
  for (SurfaceAnswer& answer : answers) {
    answer.score =
        score_at(surface, answer.point, std::get<ScoreCurve>(scores.result), questions.confidence);
  }
}

}  // namespace

std::vector<SurfaceAnswer> answers_of(const Fit& fit, const SurfaceQuestions& questions) {
  const double factor = questions.flops_per_parameter_token;
  std::vector<SurfaceAnswer> answers;
  for (const auto& [n, d, unique] : questions.at) {
    answers.push_back(
        finite({factor * n * d, surface_at(fit, n, d, questions.confidence, unique)}));
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
                                     const SurfaceQuestions& questions,
                                     std::span<const Grouped<ScoreCurve>> scores) {
  std::vector<GroupSurface> groups;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const auto* const score = scores.empty() ? nullptr : &scores[i];
    groups.push_back({fits[i].group, outcome_of(fits[i].result, [&](const Fit& surface) {
                        std::vector<SurfaceAnswer> answers = answers_of(surface, questions);
                        if (score != nullptr) add_scores(answers, surface, *score, questions);
                        return answers;
                      })});
  }
  return groups;
}

}  // namespace scalelaw
