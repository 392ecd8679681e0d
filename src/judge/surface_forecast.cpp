#include "scalelaw/judge/surface_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scalelaw/base/names.hpp"
#include "scalelaw/base/parallel.hpp"
#include "statistics/quantiles.hpp"

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

namespace {

// The largest runs over two scales, hidden and forecast from the others.

double measure_of(const SurfaceRuns& runs, std::size_t i, SizeMeasure measure) {
  return measure == SizeMeasure::kFirst ? runs.n[i] : runs.n[i] * runs.d[i];
}

/// Where the largest levels begin, as for without_largest(); nothing if there are not more of them.
std::optional<double> begin_of_largest(std::vector<double> measures, std::size_t levels) {
  constexpr double kOneLevel = 0.99;
  constexpr std::size_t kShare = 10;  ///< One in ten runs.
  std::ranges::sort(measures);
  std::size_t begin = measures.size();
  const auto is_enough = [&](std::size_t level) {
    return levels > 0 ? level == levels : kShare * (measures.size() - begin) >= measures.size();
  };
  for (std::size_t level = 0; begin > 0 && !is_enough(level); ++level) {
    const double least = kOneLevel * measures[begin - 1];
    while (begin > 0 && measures[begin - 1] >= least) --begin;
  }
  if (begin == 0) return std::nullopt;
  return measures[begin];
}

void take_run(const SurfaceRuns& from, std::size_t i, SurfaceRuns& to) {
  to.n.push_back(from.n[i]);
  to.d.push_back(from.d[i]);
  to.y.push_back(from.y[i]);
  if (!from.cluster.empty()) to.cluster.push_back(from.cluster[i]);
}

HiddenRun forecast_hidden(const Fit& fit, const SurfaceRuns& hidden, std::size_t i) {
  const SurfacePoint point = surface_at(fit, hidden.n[i], hidden.d[i], fit.confidence);
  HiddenRun run{.n = point.n,
                .d = point.d,
                .y = hidden.y[i],
                .median = point.median,
                .pi = point.pi,
                .log_error = std::log(hidden.y[i] / point.median)};
  if (run.pi) run.inside = run.y >= run.pi->lower && run.y <= run.pi->upper;
  return run;
}

}  // namespace

std::string_view name_of(SizeMeasure measure) {
  return word_for(measure, {{SizeMeasure::kFirst, "size"}, {SizeMeasure::kProduct, "compute"}});
}

std::optional<SplitRuns> without_largest(const SurfaceRuns& runs, SizeMeasure measure,
                                         std::size_t levels) {
  std::vector<double> measures;
  for (std::size_t i = 0; i < runs.y.size(); ++i) measures.push_back(measure_of(runs, i, measure));
  const auto begin = begin_of_largest(measures, levels);
  if (!begin) return std::nullopt;
  SplitRuns split{.kept = {}, .hidden = {}, .most_kept = 0, .least_hidden = *begin};
  split.kept.group = split.hidden.group = runs.group;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    const bool is_hidden = measures[i] >= *begin;
    take_run(runs, i, is_hidden ? split.hidden : split.kept);
    if (!is_hidden) split.most_kept = std::max(split.most_kept, measures[i]);
  }
  return split;
}

LogErrors log_errors_of(std::span<const double> errors) {
  LogErrors out;
  std::vector<double> sizes;
  double squares = 0;
  for (const double error : errors) {
    sizes.push_back(std::abs(error));
    squares += error * error;
    out.mean += error / static_cast<double>(errors.size());
  }
  out.rms = std::sqrt(squares / static_cast<double>(errors.size()));
  out.greatest = *std::ranges::max_element(sizes);
  out.median = quantiles_of(sizes, std::array{0.5}).front();
  return out;
}

SurfaceBacktest backtest_surface(const SurfaceRuns& runs, const FitOptions& fit,
                                 const SurfaceBacktestOptions& options) {
  const auto split = without_largest(runs, options.measure, options.levels);
  if (!split) {
    throw FitError(FailureCode::kTooFewX,
                   "none of the runs is left to forecast the largest from: hide fewer");
  }
  const Fit law = fit_surface(split->kept, fit);
  SurfaceBacktest out{.kept = split->kept.y.size(),
                      .most_kept = split->most_kept,
                      .least_hidden = split->least_hidden};
  std::vector<double> errors;
  double held = 0;
  for (std::size_t i = 0; i < split->hidden.y.size(); ++i) {
    out.runs.push_back(forecast_hidden(law, split->hidden, i));
    const HiddenRun& run = out.runs.back();
    errors.push_back(run.log_error);
    out.intervals += run.inside ? 1 : 0;
    held += run.inside.value_or(false) ? 1 : 0;
  }
  out.errors = log_errors_of(errors);
  if (out.intervals > 0) out.coverage = held / static_cast<double>(out.intervals);
  return out;
}

std::vector<Grouped<SurfaceBacktest>> backtest_surfaces(std::span<const SurfaceRuns> groups,
                                                        const FitOptions& fit,
                                                        const SurfaceBacktestOptions& options,
                                                        int threads) {
  std::vector<Grouped<SurfaceBacktest>> out(groups.size());
  parallel_for(thread_count(threads), groups.size(), [&](std::size_t i, int /*worker*/) {
    out[i] = {groups[i].group,
              outcome_of([&] { return backtest_surface(groups[i], fit, options); })};
  });
  return out;
}

}  // namespace scalelaw
