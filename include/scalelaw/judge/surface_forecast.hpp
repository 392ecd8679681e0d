#pragma once

#include <optional>
#include <span>
#include <string>
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

}  // namespace scalelaw
