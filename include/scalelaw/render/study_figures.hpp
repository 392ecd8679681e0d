#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/fit/likelihood.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/judge/predict.hpp"
#include "scalelaw/judge/rank.hpp"
#include "scalelaw/render/figure.hpp"

namespace scalelaw {

/// The axes of the figures of a study.
struct StudyAxes {
  std::string x;  ///< Columns.
  std::string y;
  std::vector<std::string> by;
  bool logarithmic = true;       ///< The law is one of logarithms.
  Ideal ideal = Ideal::kFaster;  ///< What an ideal run does at a larger x.
  std::string y_unit = {};       ///< Of y where its name does not tell it; empty: not known.
  /// All groups of a study: each has one colour in all of its figures. Empty: those of the figure.
  std::vector<GroupKey> groups = {};
  double confidence = 0.95;  ///< Of the intervals.
  /// Groups of the study beyond those that a figure is given; it says that they are not drawn.
  std::size_t more_groups = 0;
};

/// A group with the results that a figure of its law needs.
struct DrawnGroup {
  GroupKey group;
  std::vector<Cell> cells;  ///< By x.
  Outcome<Fit> fit;
  /// An exponent that others printed: a dashed line through the middle of the fitted curve.
  std::optional<double> published_beta = {};
  const Forecast* forecast = nullptr;  ///< In place of the fit in efficiency_figure().
};

/// Measured means with the range of runs, the laws and the intervals of their curves: Frey et al.
/// 2022, Figures 8 to 14.
Figure scaling_figure(const StudyAxes& axes, std::span<const DrawnGroup> groups);

/// The same with a panel for each value of the first group column, and in it a line for each
/// combination of the others. It needs two group columns.
Figure settings_figure(const StudyAxes& axes, std::span<const DrawnGroup> groups);

/// Speedup and parallel efficiency against the smallest x, measured and by the curve, beside the
/// ideal; of growing work the weak efficiency alone, and without an ideal the speedup.
Figure efficiency_figure(const StudyAxes& axes, std::span<const DrawnGroup> groups);
/// What that figure shows: "Speedup and parallel efficiency".
std::string_view judged_words(Ideal ideal);

/// Residuals of the laws of some groups: over x, against normal quantiles, their size over x, and
/// the distance by which each x moves the fit (Cook). Needs points, cells of count 1.
Figure residuals_figure(const StudyAxes& axes, std::span<const DrawnGroup> groups);

/// All laws of a ranking over the points of one group.
Figure rank_figure(const StudyAxes& axes, std::span<const Cell> cells, const GroupRanking& ranking);

/// A group with its forecast.
struct DrawnForecast {
  GroupKey group;
  std::vector<Cell> cells;
  Forecast forecast;
};

/// Each group's forecast in a panel: its points, the curve, its band and the band of new runs, as
/// far as the greatest of `at` or, without one, four times the greatest measured x. At each of `at`
/// the value and its intervals are written.
Figure forecast_figure(const StudyAxes& axes, std::span<const DrawnForecast> groups,
                       std::span<const double> at);

/// The likelihood of the values of one parameter of one group's law.
struct DrawnProfile {
  GroupKey group;
  LikelihoodProfile profile;
};

/// One panel per group: the profile with the ends of its interval, and the parabola that Wald's
/// interval assumes. All profiles are of one parameter.
Figure profile_figure(const StudyAxes& axes, const Law& law, std::span<const DrawnProfile> groups);

/// The axis of a column: "epoch_seconds [s]"; powers of two for logarithmic scales. A unit that the
/// name does not tell stands behind it: "epoch time [s]".
Axis scale_axis(const std::string& column, bool logarithmic);
Axis response_axis(const std::string& column, bool logarithmic, const std::string& unit = "");

}  // namespace scalelaw
