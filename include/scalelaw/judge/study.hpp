#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/judge/contrast.hpp"
#include "scalelaw/judge/outlook.hpp"
#include "scalelaw/judge/predict.hpp"
#include "scalelaw/judge/rank.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// What is worked out about a study as a whole.
struct StudyQuestions {
  FitOptions fit;  ///< Of the law that is reported.
  RankOptions rank;
  ForecastOptions forecast;
  OutlookOptions outlook;  ///< Without places: two and four times the greatest x of each group.
  ContrastOptions contrast;
  /// Group columns that are settings: their levels are compared where a group has several.
  std::vector<std::string> settings;
  int threads = 0;
};

/// Energy of the same groups, read from their own column.
struct StudyEnergy {
  GroupedCells runs;
  double joules = 1;  ///< Of one unit of the column.
  std::string column = {};
};

/// A speedup of at least half the ideal one counts as scaling.
inline constexpr double kEfficient = 0.5;

/// How far a group was seen to scale, by the means of its runs, against its least x.
struct ScalingReach {
  double x_min = 0;
  double x_max = 0;
  double speedup = 1;     ///< At x_max.
  double efficiency = 1;  ///< Speedup at x_max over x_max / x_min.
  /// The greatest measured x up to which the efficiency is kEfficient or more at every x.
  double efficient_to = 0;
  /// By which factor the law says y changes when x doubles: 2^-beta of a time; empty without a fit
  /// that has an exponent.
  std::optional<double> doubling;
};

/// Everything that is known of one group.
struct GroupStudy {
  GroupKey group;
  std::vector<Cell> cells;  ///< By x.
  Outcome<Fit> fit;
  Ranking ranking;
  std::optional<ScalingReach> reach;  ///< Empty with one x.
  Outcome<Outlook> outlook;
};

/// One setting over all groups that have several levels of it.
struct SettingStudy {
  std::string setting;
  std::vector<std::string> by;  ///< The other group columns.
  std::vector<GroupContrast> contrasts;
};

struct StudyAnalysis {
  /// The factor of a two-sided normal interval at the confidence of the fits, which forecasts take
  /// where the scatter is known.
  double normal_factor = 1.959963984540054;
  std::vector<GroupStudy> groups;  ///< In the order of the runs.
  std::vector<SettingStudy> settings;
};

/// The group columns that are settings of a GPU by their usual names: power caps and clocks.
std::vector<std::string> usual_settings(const std::vector<std::string>& by);

/// How far runs were seen to scale; nothing with fewer than two different x.
/// @param fit  For `doubling`; may be nullptr.
std::optional<ScalingReach> scaling_reach(std::span<const Cell> cells, Response response,
                                          const Fit* fit);

/// Fits, ranks, forecasts and contrasts every group of a study. What a group cannot have is a
/// reason in its place.
/// @param energy  nullptr where it was not measured.
StudyAnalysis analyse_study(const GroupedCells& runs, const StudyEnergy* energy,
                            const StudyQuestions& questions);

}  // namespace scalelaw
