#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/energy/setting_curve.hpp"
#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// When curves over the setting are fitted.
enum class Continuous {
  kAuto,  ///< Where the setting is a number of kManySettings to kMostSettings values.
  kYes,   ///< Where it has kLeastSettingsOfCurve or more.
};

inline constexpr std::size_t kManySettings = 6;
inline constexpr std::size_t kMostSettings = 200;  ///< The work grows with their square and more.

/// What is compared, and what counts as slow.
struct CapsOptions {
  /// The setting that the others are compared with, also in another spelling of its number; empty:
  /// each group's own greatest number.
  std::string reference;
  double max_slowdown = 0.05;  ///< Of time, as a share; > 0.
  double confidence = 0.95;    ///< Of every interval, in (0, 1).
  Continuous continuous = Continuous::kAuto;
  std::vector<double> trades;  ///< Joules that a second is worth, each > 0: more optima.
  std::vector<double> etas;    ///< Weights of energy in Zeus's cost, each in [0, 1]: more optima.
  /// W of one GPU, of that cost; else the greatest mean power of one GPU measured in the group at
  /// that N.
  std::optional<double> max_power;
};

/// The runs of one setting.
struct SettingRuns {
  std::string setting;
  Measurements runs;
  std::vector<double> gpus = {};  ///< Of each run; empty: one each.
};

/// What an interval rests on.
enum class RatioEvidence {
  kNone,    ///< Nothing: single runs. There is no interval.
  kOwn,     ///< The scatter of the runs of each setting and N by itself.
  kPooled,  ///< Scatter pooled over the group, because a setting has a single run there.
  kPaired,  ///< Few runs are repeated: the scatter of the setting's log ratio over four N or more.
  kBlocks,  ///< The same at two or three N: what is left over additive effects of setting and N.
};

/// "none", "runs", "pooled", "paired", "blocks".
std::string_view name_of(RatioEvidence evidence);

/// A mean over that of the reference.
struct RelativeMean {
  double ratio = 1;
  std::optional<Interval> ci;  ///< At CapsOptions::confidence.
  /// The same for all settings of one comparison at once (Bonferroni): what holds also of the one
  /// that was picked because it looks best.
  std::optional<Interval> joint_ci;
  Estimate log_ratio;  ///< ln ratio.
};

/// Time and energy of one setting over those of the reference.
struct RelativeSetting {
  std::string setting;
  std::uint64_t n = 0;            ///< Runs at the setting, where the reference has runs too.
  std::uint64_t reference_n = 0;  ///< Runs at the reference beside them.
  std::uint64_t scales = 1;       ///< Values of N that are averaged.
  std::optional<double> seconds;  ///< Mean time of its runs; empty over several N.
  std::optional<double> joules;   ///< Mean energy.
  RelativeMean time;
  RelativeMean speed;  ///< 1 / time.
  RelativeMean energy;
  RatioEvidence evidence = RatioEvidence::kNone;
  /// It has runs at every N of SettingComparison::over, so that it may be chosen; else it stands
  /// beside the others over its own N.
  bool in_choice = true;
  bool within_bound = false;  ///< The slowdown is at most the bound: the upper end of its
                              ///< interval, or the estimate where there is none.
};

/// The setting of least energy whose slowdown is within the bound.
struct RecommendedSetting {
  std::string setting;
  bool is_reference = false;
  bool by_interval =
      false;  ///< The slowdown's interval is within the bound, not only its estimate.
  /// The joint interval of the energy ratio is below 1; empty for the reference and without one.
  std::optional<bool> saving_shown;
};

/// All settings at one N, or over all.
struct SettingComparison {
  std::optional<double> x;  ///< N; empty over all, and without a scale.
  std::uint64_t reference_n = 0;
  std::optional<double> reference_seconds;  ///< Mean time of its runs; empty over several N.
  std::optional<double> reference_joules;
  /// N that are averaged: those at which the reference and every setting in_choice have runs. Empty
  /// without a scale.
  std::vector<double> over;
  std::vector<RelativeSetting> settings;  ///< All but the reference, in their order.
  std::string least_energy;               ///< By the estimates, whatever it costs in time.
  RecommendedSetting recommended;
};

/// How a ratio changes with N: the slope of its logarithm over ln N.
struct SettingTrend {
  std::string setting;
  std::uint64_t scales = 0;
  Estimate time;
  Estimate energy;
};

/// What a curve is least in.
enum class CurveCriterion {
  kEnergy,       ///< E.
  kEnergyDelay,  ///< E t: a percent of time is worth a percent of energy.
  kTrade,        ///< E + trade t: a second is worth `trade` joules.
  kZeus,         ///< eta E + (1 - eta) max_power g t on g GPUs.
};

/// "energy", "energy-delay", "trade", "zeus".
std::string_view name_of(CurveCriterion criterion);

/// The setting at which a criterion is least.
struct SettingOptimum {
  CurveCriterion criterion = CurveCriterion::kEnergy;
  /// J a second: -dE/dt at the optimum; empty for kEnergyDelay, for eta 0 and where runs differ in
  /// their GPUs.
  std::optional<double> trade;
  CurveMinimum minimum;
  /// By the curves at minimum.level, over those at the reference.
  std::optional<double> time_ratio = {};
  std::optional<double> energy_ratio = {};
  std::optional<double> eta = {};  ///< Of kZeus.
};

/// Time and energy as smooth functions of the setting, at one N.
struct SettingCurves {
  std::optional<double> x;
  SmoothCurve time;
  SmoothCurve energy;
  /// -dE/dt along the curve, at each setting: joules saved a second lost. Empty where time does
  /// not change.
  std::vector<std::optional<double>> joules_per_second;
  std::vector<SettingOptimum> optima;
};

/// Settings of one group against the reference.
struct Caps {
  std::uint64_t n = 0;                    ///< Runs.
  std::string reference;                  ///< The setting that the others are compared with.
  std::vector<SettingComparison> scales;  ///< One an N at which the reference has runs.
  std::vector<double> without_reference;  ///< Other N.
  /// Means of ln ratio over N, each N alike: over the largest table of settings and N that is
  /// complete, so that settings are compared at the same N.
  SettingComparison overall;
  std::vector<SettingTrend> trends;  ///< Of settings with three N or more.
  std::vector<SettingCurves> curves;
  std::uint64_t too_fine = 0;  ///< N without curves, for more than kMostSettings values.
};

/// Compares settings with the reference by time and energy.
///
/// Model: ln t and ln E of runs are normal about a mean, with a variance, for each setting and N.
/// Ratios are of means (not medians): theta = mu + sigma^2 / 2 of each setting and N, estimated by
/// its moments; the standard error of a sum of c theta takes c^2 (s^2 / n + s^4 / (2 (n - 1)))
/// (Cox in Land 1972; Olsson 2005), with Student t after Welch and Satterthwaite. Over all N the
/// mean of the log ratios, each N alike: intervals are about these N. These N are the ones that the
/// settings in the choice share: of settings by their number of N, as many as make settings times
/// shared N greatest.
///
/// @param settings  Two or more, in order, each with one run at least.
/// @throws FitError too-few-levels without runs at the reference, or with one setting.
/// @throws std::invalid_argument if options are not what they must be.
///
/// Source: docs/methods.md, "Caps"; the choice among intervals: docs/coverage.md, "Caps".
Caps compare_settings(std::span<const SettingRuns> settings, const CapsOptions& options);

/// A group of runs with its comparison, or why it has none; the group is the values of the group
/// columns but for the setting.
using GroupCaps = Grouped<Caps>;

/// A setting over all groups.
struct SettingSummary {
  std::string setting;
  std::uint64_t groups = 0;          ///< With runs at it and at the reference.
  std::uint64_t reference_in = 0;    ///< Those whose reference it is.
  std::uint64_t recommended_in = 0;  ///< Groups that recommend it.
  /// Geometric means over groups where it is not the reference, with Student t over the groups' log
  /// ratios: what to expect of another group like these. Empty if there is none.
  std::optional<RelativeMean> time;
  std::optional<RelativeMean> energy;
};

struct CapsSummary {
  std::uint64_t groups = 0;              ///< With a comparison.
  std::vector<SettingSummary> settings;  ///< In their order, the reference among them.
};

CapsSummary summary_of(std::span<const GroupCaps> groups, const CapsOptions& options);

/// The settings of runs that were read with one factor, in order, each once.
std::vector<std::string> settings_of(const Observations& runs);

/// The setting that `reference` names, also in another spelling of the same number. Without one,
/// empty: each group's own greatest.
/// @throws DataError if there is no such setting, or none is named where one is no number, listing
/// the settings.
std::string reference_among(const std::vector<std::string>& settings, const std::string& reference,
                            std::string_view column);

/// The reference that all comparisons have; nothing if they differ or there are none.
std::optional<std::string> common_reference(std::span<const GroupCaps> groups);

/// Whether the column of the scale is the setting itself, so that there is no scale.
bool setting_is_scale(const MeasuredRuns& runs);

/// Compares the settings of every group of runs that were read with one factor, and hands the
/// results over in group order. A group without a comparison is a NoFit.
std::vector<GroupCaps> compare_settings_each(const MeasuredRuns& runs, const CapsOptions& options,
                                             int threads);

}  // namespace scalelaw
