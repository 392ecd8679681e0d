#pragma once

#include <optional>
#include <span>

#include "fit/bfgs.hpp"
#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

/// The response at the place where a score is asked for, as an uncertain number.
struct UncertainResponse {
  double value;
  double se;            ///< Of ln of the response, or of the response itself.
  bool is_log = false;  ///< Which of these.
};

/// Scores that the runs of a sigmoid allow at a response: those whose deviance stays below a limit.
///
/// The deviance of a score T is the least sum, in units of the scatter sigma, of the squared
/// residuals of curves that are T at the response, and of the square by which the response itself
/// was moved, in units of its error. For a new run also of the square by which that run lies off
/// its curve. Curves have both ends within the scale of the score.
///
/// Source: Bates and Watts (1988), sec. 6.1, for a figure of the parameters; the two ends of the
/// sigmoid are eliminated as linear parameters (variable projection).
class ScoreProfile {
 public:
  /// @param y,  score  As many values each.
  /// @param sigma  Scatter of the score, > 0.
  /// @param end  Of the scale of the score, which begins at 0; empty: it has no ends.
  ScoreProfile(std::span<const double> y, std::span<const double> score, double sigma,
               std::optional<double> end);

  /// The scores about `best` whose deviance is at most `limit`. An end of the scale that is among
  /// them is an end of the interval.
  /// @param of_new_run  Whether the score is that of one new run rather than of the curve.
  /// Empty if the score has no scale and no end is found.
  std::optional<Interval> interval(const UncertainResponse& response, double best, double limit,
                                   bool of_new_run) const;

 private:
  /// What a deviance is asked of.
  struct Question {
    UncertainResponse response;
    double score;
    bool of_new_run;
  };

  /// Whether the deviance is at most `limit`. Descends from `place`, and leaves the minimum there.
  bool holds(const Question& question, double limit, SmallVector& place) const;
  double descend(const Question& question, SmallVector& place) const;
  double value(const Question& question, const SmallVector& at, SmallVector& gradient) const;

  std::span<const double> y_;
  std::span<const double> score_;
  double sigma_;
  std::optional<double> end_;
  double centre_;  ///< Of the responses,
  double range_;   ///< and how far they reach.
};

}  // namespace scalelaw
