#pragma once

#include <optional>
#include <span>
#include <vector>

#include "scalelaw/fit/surface.hpp"

namespace scalelaw {

/// The sigmoid law of a score, such as the accuracy of a benchmark, over the response of a surface.
struct ScoreCurve {
  Fit best;                        ///< x is the response.
  std::vector<double> y;           ///< The responses of runs that have a score,
  std::vector<double> score;       ///< and their scores.
  std::optional<double> end = {};  ///< Of the scale of scores, which begins at 0.
};

/// A score that follows from a place on a surface.
struct ScorePoint {
  double value;                     ///< Of the curve.
  std::optional<Interval> ci = {};  ///< Of the curve.
  std::optional<Interval> pi = {};  ///< Of one new run.
  /// How far the response lies outside those with a score, over their range; 0 inside.
  double extrapolation = 0;
  /// Its interval is wider than the range of the scores that were measured, or reaches an end of
  /// their scale: the runs show too little of the curve.
  bool is_wide = false;
};

/// Fits the sigmoid law by least squares to the runs that have a score. Its ends are kept within
/// [0, 1] if all scores are, and within [0, 100] if all of these are.
/// @param score  One per run, NaN where it is missing.
/// @throws FitError as fit_law() does.
/// Source: Bhagia et al. (2024), eq. 3. Oracle: scipy's curve_fit.
ScoreCurve fit_score(std::span<const double> y, std::span<const double> score, double confidence);

/// The score at a point of the surface. Intervals are profiles: the scores that some sigmoid with
/// both ends in the scale and some response within its error reach without fitting the runs much
/// worse than the best one (judge/score_profile.hpp, docs/explanation/scores.md). The errors of
/// both curves are taken for independent. Intervals are empty without degrees of freedom.
ScorePoint score_at(const Fit& surface, const SurfacePoint& point, const ScoreCurve& score,
                    double confidence);

}  // namespace scalelaw
