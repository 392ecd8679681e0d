#pragma once

#include <optional>
#include <span>
#include <vector>

#include "scalelaw/fit/surface.hpp"

namespace scalelaw {

/// The sigmoid law of a score, such as the accuracy of a benchmark, over the response of a surface.
struct ScoreCurve {
  Fit best;  ///< x is the response.
  /// Where the runs leave it open how high scores get: fits with that end held at places from the
  /// greatest score to the end of the scale, and how likely each is. Empty otherwise.
  std::vector<Fit> held = {};
  std::vector<double> weights = {};  ///< Sum 1.
};

/// A score that follows from a place on a surface.
struct ScorePoint {
  double value;                     ///< Of the curve: its median, where the end is open.
  std::optional<Interval> ci = {};  ///< Of the curve.
  std::optional<Interval> pi = {};  ///< Of one new run.
  /// How far the response lies outside those with a score, over their range; 0 inside.
  double extrapolation = 0;
};

/// Fits the sigmoid law by least squares to the runs that have a score. Its ends are kept within
/// [0, 1] if all scores are, and within [0, 100] if all of these are.
/// @param score  One per run, NaN where it is missing.
/// @throws FitError as fit_law() does.
/// Source: Bhagia et al. (2024), eq. 3. Oracle: scipy's curve_fit.
ScoreCurve fit_score(std::span<const double> y, std::span<const double> score, double confidence);

/// The score at a point of the surface. The errors of both curves are taken for independent and
/// carried through by the delta method; a new run scatters about both. Where the end of the score
/// is open, the interval is that of the mixture over the places of that end, each as likely as
/// before the runs were seen (docs/explanation/scores.md).
ScorePoint score_at(const Fit& surface, const SurfacePoint& point, const ScoreCurve& score,
                    double confidence);

}  // namespace scalelaw
