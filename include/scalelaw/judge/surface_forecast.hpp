#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/fit/surface.hpp"
#include "scalelaw/judge/score.hpp"

namespace scalelaw {

/// A place that is asked for.
struct SurfacePlace {
  double n;
  double d;
  std::optional<double> unique =
      {};  ///< Tokens of d that differ, for a law of three x; empty: all.
};

/// Questions to the fit of a law of several x.
struct SurfaceQuestions {
  std::vector<SurfacePlace> at;          ///< Values of the scales, > 0.
  std::vector<double> at_compute;        ///< Values c > 0 of K * n * d.
  double flops_per_parameter_token = 6;  ///< K.
  double confidence = 0.95;
  std::string score = {};  ///< What the score is called; empty where none is asked for.
};

/// One answer: the surface at a place, or its minimum for a given compute.
struct SurfaceAnswer {
  double compute;  ///< K * n * d.
  SurfacePoint point;
  bool optimal = false;               ///< It is the place of least value for that compute.
  std::optional<Interval> n_ci = {};  ///< Intervals of that place; empty where it was given.
  std::optional<Interval> d_ci = {};
  /// Times the greatest (> 1) or the least (< 1) n and d of the runs; 1 between these.
  double n_beyond = 1;
  double d_beyond = 1;
  std::optional<ScorePoint> score = {};  ///< Where one was asked for.
};

using GroupSurface = Grouped<std::vector<SurfaceAnswer>>;

/// The answers for one fit, places first. Without a question, these are the best places for the
/// greatest compute within the ranges of both scales and for ten times as much.
/// @throws FitError not-identifiable if an optimum is requested and an exponent is not positive.
std::vector<SurfaceAnswer> answers_of(const Fit& fit, const SurfaceQuestions& questions);

/// The answers of every group. A group without a fit or an answer has a reason.
/// @param scores  One per group, or none: answers then have no score.
std::vector<GroupSurface> answers_of(std::span<const GroupFit> fits,
                                     const SurfaceQuestions& questions,
                                     std::span<const Grouped<ScoreCurve>> scores = {});

/// By what runs over two scales count as large.
enum class SizeMeasure {
  kFirst,    ///< The first scale, such as the parameters of a model.
  kProduct,  ///< The product of both, which is proportional to the compute.
};

/// "size", "compute".
std::string_view name_of(SizeMeasure measure);

/// Runs over two scales without the largest ones, and these.
struct SplitRuns {
  SurfaceRuns kept;
  SurfaceRuns hidden;
  double most_kept;     ///< Their greatest measure,
  double least_hidden;  ///< and the least one of those hidden.
};

/// Hides the runs of the `levels` largest measures. Values within 1 % of the greatest one of a
/// level are one level. Nothing if no run would be left, or `levels` is 0.
std::optional<SplitRuns> without_largest(const SurfaceRuns& runs, SizeMeasure measure,
                                         std::size_t levels);

/// A run that was hidden, and what the others say of it.
struct HiddenRun {
  double n;
  double d;
  double y;
  double median;                    ///< Of y, by the law fitted to the others.
  std::optional<Interval> pi = {};  ///< Of one new run there.
  double log_error;                 ///< ln y - ln median: > 0 was larger than forecast.
  std::optional<bool> inside = {};  ///< Whether y lies in pi.
};

/// Sizes of errors in ln y.
struct LogErrors {
  double rms = 0;       ///< Root of their mean square.
  double median = 0;    ///< Of their sizes.
  double greatest = 0;  ///< Of their sizes.
  double mean = 0;      ///< With their sign.
};
/// @param errors  At least one.
LogErrors log_errors_of(std::span<const double> errors);

/// How forecasts of the largest runs from the others turned out.
struct SurfaceBacktest {
  std::uint64_t kept = 0;  ///< Runs behind the forecasts.
  double most_kept;        ///< As in SplitRuns.
  double least_hidden;
  std::vector<HiddenRun> runs = {};  ///< In the order of the table.
  LogErrors errors = {};
  std::uint64_t intervals = 0;          ///< Hidden runs with an interval,
  std::optional<double> coverage = {};  ///< and the share of these that it holds.
};

struct SurfaceBacktestOptions {
  SizeMeasure measure = SizeMeasure::kFirst;
  std::size_t levels = 0;  ///< As for without_largest().
};

/// Fits the runs but the largest ones, and forecasts these.
/// @throws FitError as fit_surface() of the runs that are left; too-few-x if none is left.
SurfaceBacktest backtest_surface(const SurfaceRuns& runs, const FitOptions& fit,
                                 const SurfaceBacktestOptions& options);

/// The same for every group. @param threads  0: all processors. The result does not depend on it.
std::vector<Grouped<SurfaceBacktest>> backtest_surfaces(std::span<const SurfaceRuns> groups,
                                                        const FitOptions& fit,
                                                        const SurfaceBacktestOptions& options,
                                                        int threads);

}  // namespace scalelaw
