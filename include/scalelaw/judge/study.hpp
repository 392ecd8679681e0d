#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/base/trust.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/judge/contrast.hpp"
#include "scalelaw/judge/forecasts.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/judge/predict.hpp"
#include "scalelaw/judge/rank.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// What limits the trust most.
enum class TrustLimit {
  kScatter,     ///< Nothing but the scatter of new runs.
  kNoInterval,  ///< There are too few runs for an interval.
  kFewScales,   ///< There are fewer than kScalesOfBend scales, so a bend would go unseen.
  kMissed,      ///< The runs at the greatest scale lie outside what the others forecast.
  kBent,        ///< The runs contradict the power law, so its exponent is only an average.
  kUneven,      ///< The means lie further from the power law than repeated runs scatter.
  kWarned,      ///< The fit warns of its curve, or of one run that moves it.
};

/// Fewer scales cannot show a bend of the curve.
inline constexpr std::uint64_t kScalesOfBend = 4;
/// New runs come this close to the median, as a share of it, where trust is high,
inline constexpr double kCloseRuns = 0.2;
/// and where it is not low.
inline constexpr double kFarRuns = 0.5;

/// The scale to use: the greatest measured one at which the curve of the forecast keeps kEfficient
/// of the ideal speedup over the least one, else that least one. Where there is no
/// ideal, that of the best response by the curve.
struct Advice {
  ScaleOutlook at;                   ///< The forecast there, as predict() gives it.
  std::optional<double> reach = {};  ///< How far new runs lie from the median, as a share.
  Trust trust = Trust::kLow;
  TrustLimit limit = TrustLimit::kScatter;
  std::optional<WarningCode> warning = {};  ///< Of kWarned, the first one.
};

/// @param cells    By x, at least one; the forecast was made from them.
/// @param ranking  Of the same cells.
/// @param warnings  Of the fit that is reported of them.
/// @param options  Of GPU-hours, energy, CO2 and cost. Its scales and demands are not looked at.
/// @throws FitError if the law has no value at a scale.
Advice advise(std::span<const Cell> cells, const Outlook& outlook, const Ranking& ranking,
              const OutlookOptions& options, Ideal ideal = Ideal::kFaster,
              std::span<const WarningCode> warnings = {});

/// What to compute about a study as a whole.
struct StudyQuestions {
  FitOptions fit;  ///< For the law that is reported.
  RankOptions rank;
  ForecastOptions forecast;
  OutlookOptions outlook;  ///< Without places: twice and four times each group's greatest x.
  ContrastOptions contrast;
  /// Group columns that are settings. Their levels are compared where a group has several.
  std::vector<std::string> settings;
  Ideal ideal = Ideal::kFaster;  ///< What an ideal run does at a larger x.
  int threads = 0;
};

/// Energy of the same groups.
struct StudyEnergy {
  GroupedCells runs;
  double joules = 1;       ///< Joules per unit of the runs.
  std::string words = {};  ///< Its column, or what it is computed from.
};

/// How far a group scales, by the means of its runs relative to its least x.
struct ScalingReach {
  double x_min = 0;
  double x_max = 0;
  double speedup = 1;  ///< At x_max.
  /// The greatest measured x up to which every speedup is_efficient().
  double efficient_to = 0;
  /// By the law, the factor of y when x doubles: 2^-beta for a time. Empty without an exponent.
  std::optional<double> doubling;
};

/// All results about one group.
struct GroupStudy {
  GroupKey group;
  std::vector<Cell> cells;  ///< By x.
  Outcome<Fit> fit;
  Ranking ranking;
  std::optional<ScalingReach> reach;  ///< Empty with one x.
  Outcome<Outlook> outlook;
  std::optional<Advice> advice = {};  ///< Empty without an outlook.
  /// The curve of the forecast at the greatest x: speedups and efficiencies of a report are of it.
  std::optional<Prediction> at_greatest = {};
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

/// The group columns with a usual name for a setting of a GPU: power caps and clocks.
std::vector<std::string> usual_settings(const std::vector<std::string>& by);

/// What a frontier of time and energy is over: the group columns that can be chosen for a run and
/// of which some group has several, and the scale. Empty where only the scale can be chosen.
/// @param x  Column of the scale.
std::vector<std::string> usual_knobs(const StudyAnalysis& study, const std::vector<std::string>& by,
                                     const std::string& x);

/// How far the runs scale; empty with fewer than two different x.
/// @param how  Tells whether y is a time or a rate, and whether it is that of one unit of x.
/// @param fit  Needed for `doubling`; may be nullptr.
std::optional<ScalingReach> scaling_reach(std::span<const Cell> cells, const FitOptions& how,
                                          const Fit* fit, Ideal ideal = Ideal::kFaster);

/// Fits, ranks, forecasts and contrasts every group of a study. A result that a group cannot have
/// is replaced by the reason.
/// @param energy  nullptr if it was not measured.
StudyAnalysis analyse_study(const GroupedCells& runs, const StudyEnergy* energy,
                            const StudyQuestions& questions);

}  // namespace scalelaw
