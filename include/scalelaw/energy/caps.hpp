#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/trust.hpp"
#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/energy/setting_curve.hpp"
#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// What an interval rests on.
enum class RatioEvidence {
  kNone,    ///< There are single runs only, so there is no interval.
  kOwn,     ///< The scatter among the runs of each setting and N by itself.
  kPooled,  ///< The scatter pooled over the group, because a setting has a single run there.
  kPaired,  ///< Few runs are repeated: the setting's log ratios scatter over four N or more.
  kBlocks,  ///< The same at two or three N: residuals of an additive model of setting and N.
  kShared,  ///< The scatter of repeated runs over all groups, as CapsOptions::shared says.
};

/// "none", "runs", "pooled", "paired", "blocks", "shared".
std::string_view name_of(RatioEvidence evidence);

/// Why a choice among settings may be wrong.
enum class SettingDoubt {
  kNone,
  kNoInterval,  ///< Of the rival: single runs, which nothing tells from chance.
  kSlowdown,    ///< Of the rival, or of some groups: the time may grow by more than the bound.
  kSaving,      ///< Of the rival: that it saves energy is not shown.
  kNoEnergy,    ///< Nothing tells the energy, so that no setting can save any.
  kFaster,      ///< The choice is a lower limit than the reference, and noticeably faster.
};

/// "none", "no-interval", "slowdown", "saving", "no-energy", "faster".
std::string_view name_of(SettingDoubt doubt);

/// Which setting is worth it: decided once, and said alike wherever it is said.
struct SettingAdvice {
  std::string setting;  ///< The choice: of least energy, shown to save some within the time bound.
  bool is_reference = false;     ///< No other setting is shown to do so.
  bool of_all_groups = false;    ///< Else of one group.
  std::optional<double> x = {};  ///< The N whose runs decide; empty: those at all N together.
  std::string rival = {};        ///< What the runs leave open; empty where there is none.
  bool undecided = false;        ///< More runs may choose the rival.
  RatioEvidence evidence = RatioEvidence::kNone;  ///< Of the choice or, where it stays, the rival.
  SettingDoubt doubt = SettingDoubt::kNone;
  Trust trust = Trust::kHigh;  ///< Fair where there is a doubt, low without an energy.
};

/// When curves over the setting are fitted.
enum class Continuous {
  kAuto,  ///< Where settings are numbers and there are kManySettings to kMostSettings of them.
  kYes,   ///< Where there are kLeastSettingsOfCurve or more.
};

inline constexpr std::size_t kManySettings = 6;
inline constexpr std::size_t kMostSettings = 200;  ///< The work grows faster than their square.

/// The scatter of one run that all groups share: of ln t and of ln E.
struct SharedScatter {
  Pooling time;
  Pooling energy;
};

/// What is compared, and what counts as slow.
struct CapsOptions {
  /// The setting that the others are compared with, in any spelling of its number. If it is empty,
  /// each group takes its own greatest number.
  std::string reference;
  double max_slowdown = 0.05;  ///< Largest increase in time, as a share; > 0.
  double confidence = 0.95;    ///< Confidence level of every interval, in (0, 1).
  Continuous continuous = Continuous::kAuto;
  std::vector<double> trades;  ///< Joules that a second is worth, each > 0; one optimum each.
  std::vector<double> etas;    ///< Weights of energy in Zeus's cost, in [0, 1]; one optimum each.
  /// MaxPower of one GPU, in W, in Zeus's cost. If it is empty, it is the greatest mean power of
  /// one GPU in the group at that N.
  std::optional<double> max_power;
  std::optional<SharedScatter> shared = {};  ///< In place of the scatter of each group's own runs.

  /// Whether a time over that of the reference is within the bound.
  /// @param widths  The bound is taken so many times.
  bool allows(double time, double widths = 1) const { return time <= 1 + widths * max_slowdown; }
};

/// The runs of one setting.
struct SettingRuns {
  std::string setting;
  Measurements runs;
  std::vector<double> gpus = {};  ///< GPUs of each run; if empty, one GPU per run.
};

/// The ratio of a setting's mean to the mean of the reference.
struct RelativeMean {
  double ratio = 1;
  std::optional<Interval> ci = {};  ///< At the level CapsOptions::confidence.
  /// Holds for all settings of one comparison at once (Bonferroni), and so also for a setting that
  /// was picked because it looks best.
  std::optional<Interval> joint_ci = {};
  Estimate log_ratio = {};  ///< ln ratio.
};

/// Time and energy of one setting over those of the reference.
struct RelativeSetting {
  std::string setting;
  std::uint64_t n = 0;            ///< Runs at the setting, at N where the reference has runs.
  std::uint64_t reference_n = 0;  ///< Runs at the reference, at the same N.
  std::uint64_t scales = 1;       ///< How many N are averaged.
  std::optional<double> seconds;  ///< Mean time of its runs; empty over several N.
  std::optional<double> joules;   ///< Mean energy of its runs; empty over several N.
  RelativeMean time;
  RelativeMean speed;   ///< 1 / time.
  RelativeMean energy;  ///< NaN where no energy is known.
  RatioEvidence evidence = RatioEvidence::kNone;
  /// The setting has runs at every N of SettingComparison::over, so it may be chosen. Any other
  /// setting is compared over its own N and is only shown.
  bool in_choice = true;
  bool within_bound = false;  ///< The slowdown is at most the bound, by the upper end of its
                              ///< interval or, without one, by the estimate.

  /// Whether it and the reference have one run at each N.
  bool has_single_runs() const { return n == scales && reference_n == scales; }
};

/// The setting of least energy whose slowdown is within the bound.
struct RecommendedSetting {
  std::string setting;
  bool is_reference = false;
  bool by_interval =
      false;  ///< The slowdown's interval is within the bound, not only its estimate.
  /// Whether the joint interval of the energy ratio is below 1. Empty for the reference and where
  /// there is no interval.
  std::optional<bool> saving_shown;

  /// Whether intervals hold the time bound and show a saving; of the reference there is none.
  bool is_shown() const { return is_reference || (by_interval && saving_shown.value_or(false)); }
};

/// All settings at one N, or averaged over several.
struct SettingComparison {
  std::optional<double> x;  ///< N; empty for the average and where there is no scale.
  std::uint64_t reference_n = 0;
  std::optional<double> reference_seconds;  ///< Mean time of its runs; empty over several N.
  std::optional<double> reference_joules;
  /// The N that are averaged, at which all in_choice have runs. Empty without a scale.
  std::vector<double> over;
  std::vector<RelativeSetting> settings;  ///< All settings but the reference, in their order.
  std::string least_energy;  ///< The setting of least energy by the estimates, slow or not.
  RecommendedSetting recommended;
  SettingAdvice advice = {};  ///< By these runs alone; that of Caps::overall is of the group.

  /// The setting of that name; null for the reference and where there is none.
  const RelativeSetting* find(std::string_view setting) const;
  /// How many settings the choice is among, besides the reference.
  std::size_t compared() const;
};

/// How a ratio changes with N: the slope of its logarithm over ln N.
struct SettingTrend {
  std::string setting;
  std::uint64_t scales = 0;
  Estimate time;
  Estimate energy;
};

/// The quantity that an optimum minimises.
enum class CurveCriterion {
  kEnergy,       ///< The energy E.
  kEnergyDelay,  ///< E t: one percent of time is worth one percent of energy.
  kTrade,        ///< E + trade t: a second is worth `trade` joules.
  kZeus,         ///< eta E + (1 - eta) max_power g t on g GPUs.
};

/// "energy", "energy-delay", "trade", "zeus".
std::string_view name_of(CurveCriterion criterion);

/// The setting at which a criterion is least.
struct SettingOptimum {
  CurveCriterion criterion = CurveCriterion::kEnergy;
  /// J/s: -dE/dt at the optimum. Empty for kEnergyDelay, for eta 0 and where runs differ in GPUs.
  std::optional<double> trade;
  CurveMinimum minimum;
  /// Read off the curves: their values at minimum.level over their values at the reference.
  std::optional<double> time_ratio = {};
  std::optional<double> energy_ratio = {};
  std::optional<double> eta = {};  ///< The weight of kZeus.
};

/// Time and energy as smooth functions of the setting, at one N.
struct SettingCurves {
  std::optional<double> x;
  SmoothCurve time;
  SmoothCurve energy;
  /// -dE/dt at each setting: joules saved per second lost. Empty where time does not change.
  std::vector<std::optional<double>> joules_per_second;
  std::vector<SettingOptimum> optima;
};

/// Settings of one group against the reference.
struct Caps {
  std::uint64_t n = 0;                    ///< Runs.
  std::string reference;                  ///< The setting that the others are compared with.
  std::vector<SettingComparison> scales;  ///< One per N at which the reference has runs.
  std::vector<double> without_reference;  ///< The other N.
  /// Means of ln ratio over N, with equal weight for each N. They cover the largest complete table
  /// of settings and N, so that settings are compared at the same N.
  SettingComparison overall;
  std::vector<SettingTrend> trends;  ///< For settings with three N or more.
  std::vector<SettingCurves> curves;
  std::uint64_t too_fine = 0;  ///< How many N have over kMostSettings values and so no curves.

  /// The trend of a setting; null where there is none.
  const SettingTrend* trend_of(std::string_view setting) const;
  /// Whether `overall` averages all N at which the reference has runs.
  bool averages_all() const;
};

/// The comparison at x, if all settings of the choice over all N have runs there, else null.
const SettingComparison* comparison_at(const Caps& caps, double x);

/// Which setting of a group is worth it at one scale: the one that intervals show to save energy
/// within the bound, by the runs at `x`, else by those over all N unless the runs at `x` contradict
/// them. Else it is the reference, undecided if there is a rival that the runs over all N do not
/// show to break the bound.
///
/// The rival is the setting of least energy among those of which the runs leave open whether they
/// save energy within the bound: by the estimates they do, or the interval of their energy lies
/// below 1, and that of their time, whose estimate grows by at most twice the bound, reaches into
/// the bound.
SettingAdvice advise_at(const Caps& caps, const CapsOptions& options, double x);

/// What the runs of one comparison say of that by themselves.
SettingAdvice advice_of(const SettingComparison& comparison, const CapsOptions& options,
                        const std::string& reference);

/// Compares the time and energy of settings with those of the reference.
///
/// Model: ln t and ln E of runs are normal, with a mean and a variance for each setting and N.
/// Ratios compare means, not medians: theta = mu + sigma^2 / 2 is estimated by its moments for each
/// setting and N. A sum of c theta has the variance c^2 (s^2 / n + s^4 / (2 (n - 1))) (Cox in Land
/// 1972; Olsson 2005), with Student t after Welch and Satterthwaite. The overall ratio is the mean
/// of the log ratios over N, with equal weights, and its interval is about these N only. The
/// settings in the choice share these N: they are the settings with the most N, as many as make
/// settings times shared N greatest. Under CapsOptions::shared the variance of every run is the one
/// that is given.
///
/// @param settings  Two or more, in order, each with at least one run.
/// @throws FitError too-few-levels if the reference has no runs or there is only one setting.
/// @throws std::invalid_argument if an option is out of its range.
///
/// Source: docs/explanation/caps.md; for the choice of intervals docs/explanation/coverage.md,
/// "Caps".
Caps compare_settings(std::span<const SettingRuns> settings, const CapsOptions& options);

/// A group of runs with its comparison, or why it has none; the group is the values of the group
/// columns but for the setting.
using GroupCaps = Grouped<Caps>;

/// A setting of one group, over all its N.
struct GroupRatios {
  GroupKey group;
  double time = 1;    ///< Over that of the reference.
  double energy = 1;  ///< Likewise.
};

/// One setting summarised over all groups.
struct SettingSummary {
  std::string setting;
  std::uint64_t groups = 0;          ///< Groups with runs at it and at the reference.
  std::uint64_t reference_in = 0;    ///< Groups whose reference it is.
  std::uint64_t recommended_in = 0;  ///< Groups that recommend it.
  /// Geometric mean over the groups where it is not the reference, with Student t over their log
  /// ratios: what to expect of another group like these. Empty if there is no such group.
  std::optional<RelativeMean> time;
  std::optional<RelativeMean> energy;
  /// The groups behind these means where there are two: they have no interval to speak of.
  std::vector<GroupRatios> pair = {};
  std::uint64_t kept_in = 0;  ///< Of recommended_in, the groups whose reference it is.
  /// Geometric means over the others, which should change to it. Empty if there are none.
  std::optional<double> time_where_chosen = {};
  std::optional<double> energy_where_chosen = {};

  /// Groups that should change to it.
  std::uint64_t chosen_in() const { return recommended_in - kept_in; }
};

/// What one group recommends.
struct GroupChoice {
  GroupRatios ratios;  ///< 1 at the reference.
  RecommendedSetting recommended;
};

/// With more groups than that, nobody reads what each of them recommends.
inline constexpr std::size_t kFewGroups = 3;

struct CapsSummary {
  std::uint64_t groups = 0;              ///< Groups that have a comparison.
  std::uint64_t curves = 0;              ///< How many N of all groups have curves.
  std::uint64_t too_fine = 0;            ///< How many have too many values for curves.
  std::vector<SettingSummary> settings;  ///< In their order, the reference included.
  std::vector<GroupChoice> choices;      ///< In group order; empty for more than kFewGroups.
  /// The one setting for all groups: that of least energy on average among those which every group
  /// has and whose time is within the bound on average, both by the estimates. Empty if none saves
  /// energy so, or groups have references of their own.
  std::optional<SettingAdvice> advice = {};
};

/// CapsSummary::advice of such settings.
std::optional<SettingAdvice> advice_for_all(const CapsSummary& summary, const CapsOptions& options);

/// What all groups found about settings, as far as a summary needs it.
class CapsTally {
 public:
  /// Adds the next group, in group order.
  void add(const GroupCaps& group);
  CapsSummary summary(const CapsOptions& options) const;
  /// The reference that all comparisons share; empty if they differ or there are none.
  std::optional<std::string> common_reference() const {
    return shares_reference_ ? reference_ : std::nullopt;
  }

 private:
  struct OfSetting {
    std::vector<double> time;  ///< Log ratios of the groups.
    std::vector<double> energy;
    std::vector<GroupRatios> pair;  ///< The first two groups.
    double chosen_time = 0;         ///< Sums of log ratios over the groups that change to it.
    double chosen_energy = 0;
    std::uint64_t groups = 0;
    std::uint64_t reference_in = 0;
    std::uint64_t recommended_in = 0;
    std::uint64_t kept_in = 0;
  };

  void add_choice(const GroupKey& group, const SettingComparison& overall);

  std::map<std::string, OfSetting> settings_;
  std::vector<GroupChoice> choices_;  ///< Of the first groups, one more than are kept.
  std::optional<std::string> reference_;
  bool shares_reference_ = true;
  std::uint64_t curves_ = 0;
  std::uint64_t too_fine_ = 0;
};

CapsTally tally_of(std::span<const GroupCaps> groups);

/// The settings of runs that were read with one factor, each once and in order.
std::vector<std::string> settings_of(const Observations& runs);

/// The setting that `reference` names, in any spelling of its number. Empty if `reference` is
/// empty: each group takes its own greatest number.
/// @throws DataError listing the settings, if it is none of them, or empty and one is no number.
std::string reference_among(const std::vector<std::string>& settings, const std::string& reference,
                            std::string_view column);

/// Whether the column of the scale is the setting itself, which leaves no scale.
bool setting_is_scale(const MeasuredRuns& runs);

/// Takes MaxPower of Zeus's cost from the table if the user gave none. Returns where it is from, in
/// words; empty if no eta was given, so that there is no cost.
/// @throws DataError if the greatest power limit differs among kinds of hardware.
std::string take_max_power(CapsOptions& options, const MeasuredRuns& runs);

/// The scatter of repeated runs about the means of their setting and N, over all groups, with tests
/// that the settings of all groups scatter alike. Empty if no run is repeated, or repeats are
/// copies.
std::optional<SharedScatter> shared_scatter(const MeasuredRuns& runs);

/// Compares the settings of every group of runs that were read with one factor, and hands the
/// results to `sink`, in group order and one call at a time. A group that cannot be compared is a
/// NoFit.
/// @param threads  0: all processors. The result does not depend on it.
void compare_settings_each(const MeasuredRuns& runs, const CapsOptions& options, int threads,
                           const std::function<void(GroupCaps&&)>& sink);

/// All of them at once, for studies of few groups.
std::vector<GroupCaps> compare_settings_each(const MeasuredRuns& runs, const CapsOptions& options,
                                             int threads);

/// The same for the groups alone that can be compared; one of a single setting cannot.
std::vector<GroupCaps> comparable_settings(const MeasuredRuns& runs, const CapsOptions& options,
                                           int threads);

}  // namespace scalelaw
