#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/boxed.hpp"
#include "scalelaw/base/code_help.hpp"
#include "scalelaw/base/optional_number.hpp"
#include "scalelaw/documents/input.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/judge/history.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// The verdict on a comparison or a group. A group has the last verdict of its comparisons in this
/// order. It is better if one of them is, and none is worse or inconclusive.
enum class GateVerdict : std::uint8_t {
  kNew,           ///< Only NEW has the group, so there is nothing to compare.
  kSame,          ///< The change is shown to be smaller than the limit, either way.
  kBetter,        ///< The change is shown to be for the better.
  kInconclusive,  ///< Nothing is shown, or there is no evidence to show it by.
  kWorse,         ///< NEW is shown to be worse by more than the limit.
  kNoFit,         ///< NEW has runs of the group, but nothing that could be judged.
  kMissing,       ///< BASE has the group, but NEW has no runs of it.
};

/// All verdicts from bad to good, as reports list them.
std::span<const GateVerdict> all_gate_verdicts();

/// "new", "better", "same", "inconclusive", "worse", "no-fit", "missing".
std::string_view name_of(GateVerdict verdict);

/// What becomes a failed check: from this verdict on.
enum class FailOn { kWorse, kInconclusive };

/// "worse", "inconclusive".
std::string_view name_of(FailOn fail_on);

/// Whether a verdict fails the check; `no-fit` and `missing` always do.
bool fails(GateVerdict verdict, FailOn fail_on);

/// How much one response may change.
struct ResponseLimit {
  std::string y;                     ///< Empty: every response with a unit of that kind.
  OptionalNumber max_slowdown = {};  ///< In place of that of all.
  double ignore_below = 0;           ///< A change by less counts for none,
  std::string unit = {};             ///< in that unit; empty: that of y.
};

/// How much a fit may change, and where the curves are compared.
struct GateOptions {
  double max_slowdown = 0.05;   ///< In (0, 1]: 0.05 allows 1.05 times the time.
  double max_beta_drop = 0.05;  ///< In (0, 1].
  std::vector<ResponseLimit> limits = {};
  bool at_middle = true;        ///< At the geometric middle of the x that both measured.
  bool at_largest = true;       ///< At the largest x that both reach.
  std::vector<double> at = {};  ///< At these x > 0 too.
  /// Level of every interval, in (0, 1). All verdicts `worse` together are wrong with a probability
  /// of at most 1 - confidence; so are all verdicts `better`.
  double confidence = 0.95;
  /// The user named the law, which is then taken for true beyond the data of BASE, too.
  bool law_is_chosen = false;
  /// All nights of BASE count as one level, whatever changed among them.
  bool one_level = false;
  std::size_t baseline_nights =
      0;  ///< So many of the first nights are the level before; 0: not said.
};

/// The fits of one response before and after a change.
struct GatePair {
  SavedFits base;  ///< Its newest night, where BASE has several.
  SavedFits current;
  std::vector<SavedFits> earlier = {};  ///< The nights of BASE before, the oldest first.
  std::size_t since = 0;  ///< The place of the first night of the level of NEW; 0: not said.
  /// NEW is the newest night of a series that goes on: if it stands apart, a later one tells. No
  /// later one runs a version again.
  bool goes_on = false;

  std::size_t nights() const { return earlier.size() + 1; }
  /// A night of BASE, the oldest first.
  const SavedFits& night(std::size_t place) const {
    return place < earlier.size() ? earlier[place] : base;
  }
  /// The newest night of BASE that is no earlier night of NEW: its groups are expected, too.
  std::size_t last_of_base() const {
    for (std::size_t i = nights(); i-- > 0;) {
      if (night(i).source != current.source) return i;
    }
    return nights() - 1;
  }
};

/// How much a figure of BASE differs from night to night, beyond the errors of the fits.
struct NightScatter {
  std::size_t nights = 0;                ///< Of BASE by which the figure is judged: one level.
  double sd = 0;                         ///< The standard deviation that the change is judged by,
  double dof = 0;                        ///< and its degrees of freedom.
  std::optional<double> own_sd = {};     ///< Of this group alone.
  std::optional<double> pooled_sd = {};  ///< Of all groups together.
  bool pooled = false;                   ///< Whether `sd` is the pooled one.
  std::size_t of_new = 1;                ///< Nights of the level of NEW, NEW among them.
  std::string since = {};                ///< What the first of them is called; empty of NEW alone.
  double single_reach = 0;  ///< A single night may be worse by so much without a change.
};

/// An estimate as far as comparisons know it. A gate keeps three per comparison, and there may be a
/// million groups.
struct GateEstimate {
  double estimate = 0;
  OptionalNumber se = {};   ///< 0 of an exact value,
  OptionalNumber dof = {};  ///< which has no degrees of freedom.

  /// Half the width of Student's t interval, 0 of an exact value; missing without a standard error.
  OptionalNumber reach_at(double confidence) const;
};

/// By how much a figure changed.
struct GateChange : GateEstimate {
  OptionalNumber reach = {};  ///< Half the width of its interval.

  /// At GateOptions::confidence; empty where nothing can be shown.
  std::optional<Interval> ci() const {
    return reach ? std::optional(Interval{estimate - *reach, estimate + *reach}) : std::nullopt;
  }
};

/// What says the value of BASE.
enum class GateBasis : std::uint8_t {
  kLaw,      ///< The fitted law.
  kMixture,  ///< A forecast by the mixture of laws (mixture_of()).
  kRuns,     ///< Its own runs at that scale.
};

/// One figure of one group, in BASE and in NEW.
struct GateComparison {
  /// Name of an exponent ("beta"), "curve": the fitted response at x, or "runs": the (geometric)
  /// mean of new runs at x against the curve of BASE.
  std::string_view figure;
  OptionalNumber x = {};        ///< Place on the curve; empty if no x is common to both.
  bool is_middle = false;       ///< x was chosen as the middle of what both measured.
  bool extrapolated = false;    ///< x lies outside the range of BASE or NEW.
  bool less_is_better = false;  ///< True for a time, false for an exponent or a rate.
  GateBasis basis = GateBasis::kLaw;
  GateVerdict verdict = GateVerdict::kInconclusive;
  GateEstimate base = {};  ///< On the scale of `change`: of a curve, its logarithm.
  GateEstimate current = {};
  /// NEW minus BASE of an exponent, or ln(NEW / BASE) of a curve; dof after Satterthwaite.
  GateChange change = {};
  double limit = 0;                  ///< On the scale of `change`, > 0.
  OptionalNumber p_worse_holm = {};  ///< p_worse(), adjusted for all comparisons (Holm 1979).
  OptionalNumber p_better_holm = {};
  Boxed<NightScatter> nights = {};  ///< Missing if nights cannot be told from a change.
  std::uint64_t runs = 0;           ///< Of figure "runs": how many new runs there are at x.
  Boxed<std::string> reason = {};   ///< Why nothing can be shown; missing where the figures say it.

  /// Whether it compares responses and not exponents: `change` is then a logarithm.
  bool is_of_response() const { return figure == "curve" || figure == "runs"; }
  /// `base` or `current` as people know it, and its interval: of a curve, not its logarithm.
  GateEstimate shown(const GateEstimate& side) const;
  std::optional<Interval> shown_interval(const GateEstimate& side, double confidence) const;
  /// Two-sided p against a change for the worse by exactly the limit, 1 if it is smaller. Missing
  /// where the change has no standard error, or is exact.
  OptionalNumber p_worse() const;
  /// The same for no change at all, 1 if the change is not for the better.
  OptionalNumber p_better() const;
  /// NEW / BASE, and exp of the interval of `change`; only of a curve that is positive in both.
  std::optional<double> ratio() const;
  std::optional<Interval> ratio_ci() const;
  /// `change` with its sign chosen so that it is positive if NEW is worse.
  double loss() const { return less_is_better ? change.estimate : -change.estimate; }
  /// The interval of loss(); there must be one.
  Interval loss_interval() const {
    const Interval ci = *change.ci();
    return less_is_better ? ci : Interval{-ci.upper, -ci.lower};
  }
  bool exceeds_limit() const { return loss() > limit; }
  /// Whether NEW is shown not to be worse by more than the limit: the interval ends before it.
  bool is_within_limit() const { return change.reach && loss_interval().upper < limit; }
  /// Whether the interval has changes for the worse alone that exceed the limit.
  bool is_beyond_limit() const { return change.reach && loss_interval().lower > limit; }
  /// Whether NEW, which is one night or two of its level, is no farther from it than single nights
  /// are.
  bool may_stand_apart() const { return nights && loss() < nights->single_reach; }
  /// Whether the change alone is enough for the verdict `worse`.
  bool exceeds_limit_for_sure() const { return is_beyond_limit() && !may_stand_apart(); }
  /// Whether the interval has changes for the worse alone.
  bool has_loss() const { return change.reach && loss_interval().lower > 0; }
  /// The limit on the side of the worse.
  double signed_limit() const { return less_is_better ? limit : -limit; }
};

/// Whether the means of runs lie further from the law of BASE or NEW than repeated runs scatter (p
/// < 0.01 of the lack of fit), as far as the runs are known.
enum class Misfit : std::uint8_t {
  kNone,
  kWidens,   ///< They do, which widens the intervals of the changes.
  kCancels,  ///< They do, in both alike: changes are judged by the scatter of repeated runs.
};

/// "widens", "cancels"; empty of none.
std::string_view name_of(Misfit misfit);

/// One group of one response.
struct GateGroup {
  std::string y;
  GroupKey group;
  GateVerdict verdict = GateVerdict::kInconclusive;
  Misfit misfit = Misfit::kNone;
  Boxed<std::string> reason = {};  ///< Why there are no comparisons; missing if there are.
  std::vector<GateComparison> comparisons = {};

  /// Whether every comparison is shown to be within its limit.
  bool is_within_limits() const;
};

/// The last change of level among the nights of BASE: the surest one.
struct BaseChange {
  std::string since;       ///< What the first night of the new level is called.
  std::size_t nights = 0;  ///< Of BASE from that night on.
  bool is_worse = false;   ///< Whether the new level is worse than the one before.
  std::string y;
  GroupKey group;
  std::string figure;            ///< As that of a comparison,
  std::string scale = {};        ///< The column of x,
  std::optional<double> x = {};  ///< and where on it the change is; empty of an exponent.
  double change = 0;             ///< Of an exponent, or of ln of a curve.
  std::size_t groups = 0;        ///< In which a change is shown; each response counts.
};

/// A change that all groups of one response share, which may be shown where none is shown in a
/// single group.
struct SharedChange {
  std::string y;
  std::size_t groups = 0;     ///< How many were taken together, two at least.
  GateComparison comparison;  ///< Of figure "curve", without a place, BASE and NEW.
  /// As those of a comparison, though of no Student t value where BASE is one night. They are
  /// adjusted for one more comparison than the family has.
  OptionalNumber p_worse = {};
  OptionalNumber p_better = {};
};

/// Where a change of a response for the worse is shown, though not that it exceeds the limit.
struct ShownLoss {
  std::size_t group;       ///< Its place in Gate::groups,
  std::size_t comparison;  ///< and that of the comparison in the group.
};

/// What a gate says as a whole. It is undecided if there is something to compare, and nothing is
/// shown of any group: neither a verdict nor that it is within its limits.
enum class GateOutcome : std::uint8_t { kPassed, kUndecided, kFailed };

/// "passed", "undecided", "failed".
std::string_view name_of(GateOutcome outcome);

struct Gate {
  std::vector<GateGroup> groups;               ///< By response as given, then in group order.
  std::vector<SharedChange> shared = {};       ///< Of responses with two groups or more.
  std::size_t family = 0;                      ///< Comparisons that were tested together.
  std::size_t nights = 1;                      ///< Of BASE; the least of the responses.
  std::string night_noun = "night";            ///< What people call one: "night", "version".
  std::optional<BaseChange> base_change = {};  ///< Empty if none is shown.
  std::vector<NightApart> nights_apart = {};   ///< The oldest first.
  /// How many nights of BASE count neither for its level nor for that of NEW.
  std::size_t left_out = 0;
  /// The one whose interval begins furthest, shown by p values that are adjusted for all
  /// comparisons (Bonferroni).
  std::optional<ShownLoss> shown_loss = {};

  /// How many groups have that verdict.
  std::size_t count(GateVerdict verdict) const;
};

bool fails(const Gate& gate, FailOn fail_on);
GateOutcome outcome_of(const Gate& gate, FailOn fail_on);

/// How runs are read and fitted, as far as one side of a gate follows the saved fits of the other.
enum class FollowedSetting : std::uint8_t {
  kRun,
  kWeights,
  kPoints,
  kLaw,
  kErrors,
  kStandardError,
  kRobust,
  kPool,
};

/// The option of the command line: "--law".
std::string_view name_of(FollowedSetting setting);

/// @throws DataError if other columns or another law are asked for than saved fits were made of.
/// @param names_law  Whether the law is asked for.
void refuse_other_columns(const SavedFits& saved, const RunOptions& rows, const FitOptions& fit,
                          bool names_law);

/// Makes the runs of one side be read and fitted as the saved fits of the other side were, but for
/// settings that are chosen or differ from their defaults.
void follow(const SavedFits& saved, const std::set<FollowedSetting>& chosen, RunOptions& rows,
            FitOptions& fit);

/// What is judged if the user names no response: time and energy by their usual names if both sides
/// are run tables that have them, else the one of each side, by an empty name.
std::vector<std::string> usual_responses(const Input& base, const Input& current);

/// Why usual_responses leaves out the energy that a run table has, in a sentence; empty if it
/// leaves out none, or a side is saved fits, which are of one response.
std::string why_no_energy(const Input& base, const Input& current);

/// Whether a group of the baseline has a fit, or runs at an x of NEW that can be compared.
bool has_baseline(const GatePair& pair);

/// @throws DataError with the reason of the first group if there is no baseline.
void check_baseline(const GatePair& pair);

/// @throws DataError naming two baselines if they differ in x, group columns, law or errors: one
/// gate judges fits of one study.
void check_one_study(std::span<const GatePair> pairs);

/// Sentences on what makes standard errors of BASE and NEW mean different things.
std::vector<std::string> differences_of_methods(std::span<const GatePair> pairs);

/// What the groups of BASE and of NEW share, a sentence each; none if they are fitted alone.
std::vector<std::string> pooling_sentences(std::span<const GatePair> pairs);

/// Sets BASE to its nights, the oldest first. Of these are left out: fits of other columns or
/// another law than the newest night, fits of runs that an earlier night or NEW has, and all but
/// the `last` ones (0: none). Where nothing else is left, BASE is the newest night.
/// @returns Sentences on what was left out because of its columns or runs.
std::vector<std::string> set_nights(GatePair& pair, std::vector<SavedFits> nights,
                                    std::size_t last = 0);

/// What a gate says of the same runs with other nights of BASE, each as gate_verdict(); empty: not
/// known.
struct OtherNights {
  std::string without = {};  ///< By levels, where it takes all nights as one.
  std::string with = {};     ///< With all nights as one level, where they are not.
};

/// The codes of warnings about nights, explained.
std::span<const CodeHelp> night_codes();

/// The change itself: "seconds of model03 +15 %".
std::string size_of(const BaseChange& change);

/// @returns Since when BASE has its new level: "on 2026-11-05", "with version 2.0.0".
/// @param gate  With a base_change.
std::string place_of_change(const Gate& gate);

/// What makes the nights of BASE a poor measure: "one-night" or "few-nights" if they are too few to
/// tell their differences from a change, "base-changed" if they are not of one level, "night-apart"
/// if a night stands apart from the others.
std::vector<std::string> codes_of_nights(const Gate& gate);

/// Columns of BASE that name nights.
struct NightColumns {
  std::string named = {};    ///< As the user said; empty: none.
  std::string unasked = {};  ///< Seems to, but its nights are taken as one; empty: none.
};

/// Each code with what it means and what to do about it.
/// @param others  What the gate says with other nights of BASE.
std::vector<std::string> warnings_of_nights(const Gate& gate, const NightColumns& columns = {},
                                            const OtherNights& others = {});

/// That a table was read as one although its nights changed their level.
/// @param command  For the rows since the change; empty: none can be written.
std::string warning_of_level_change(const BaseChange& change, const std::string& command);

/// The least change for the worse, on the scale of `change`, that four of five gates like this one
/// show to be `worse` where nothing else is worse. Empty if nights of BASE are not known to differ.
std::optional<double> findable_loss(const GateComparison& comparison, std::size_t family,
                                    double confidence);

/// @throws DataError naming both if BASE and NEW differ in x, y, group columns, law, response or
/// errors, or if one of them has a group twice.
void check_comparable(const GatePair& pair);

/// Tells for each group whether NEW is worse than BASE.
///
/// Model: estimates of BASE and NEW are independent, each with its own scatter. Their difference
/// over its standard error follows Student's t with Satterthwaite's degrees of freedom. Where BASE
/// has several nights, the night is a random effect about a level that may change: the level of
/// NEW, or NEW alone, is compared with the level before, and the variance between nights counts in
/// the standard error (docs/explanation/gate.md, "Levels"). Curves are compared by their
/// logarithms, with standard errors by the delta method. A comparison is `worse` if its interval
/// lies beyond the limit even after Holm's adjustment for all comparisons of all groups. It is
/// `better` by the same rule against no change, and `same` if its interval is within the limit on
/// both sides. Verdicts do not depend on the order of groups.
///
/// Where NEW has too few scales for a law of its own, but its runs are known, they are compared
/// with the forecast of BASE at their x: that of the law, or of the mixture of laws where the runs
/// of BASE are known. The figure is then "runs". Beyond the x of BASE, one law says nothing of how
/// far other laws lie from it: such a comparison is inconclusive, unless the user named the law.
///
/// A change that all groups share is looked for with one comparison per group. By one night it is
/// the shift at which the standardised differences of the groups have the mean 0, and its p value
/// is that of the mean of independent Student t values, by drawn variances. By several nights, in
/// which groups share what a night differs by, the mean over groups of a night is one figure, and
/// NEW one more night.
///
/// @param pairs  One per response.
/// @throws DataError as check_comparable does.
/// @throws std::invalid_argument if an option is out of its range.
///
/// Source: docs/explanation/gate.md. Checked against statsmodels and scipy to 1e-9, and
/// against lme4 and lmerTest.
Gate gate_fits(std::span<const GatePair> pairs, const GateOptions& options = {});

/// A level in the history of a figure.
struct FigureLevel {
  std::string since;       ///< What its first night is called.
  std::size_t nights = 0;  ///< How many count.
  GateEstimate mean = {};  ///< Of a response, its logarithm.
  /// From the level before; missing of the first one.
  Boxed<GateChange> change = {};
  double p = 1;  ///< Of no change, adjusted for the nights of the series (Bonferroni).
};

/// One night of a figure.
struct FigureNight {
  std::string night;
  double value = 0;  ///< Of a response, its logarithm.
  bool apart = false;
};

/// The history of one figure of one group.
struct FigureHistory {
  GateGroup group;            ///< Its response and its name; no comparisons.
  GateComparison comparison;  ///< The figure and its place.
  std::vector<FigureNight> nights = {};
  std::vector<FigureLevel> levels = {};
  double night_sd = 0;     ///< Between nights of a level.
  double correlation = 0;  ///< Of successive nights.
  bool is_shown = false;   ///< Whether a change is, by p values adjusted for all figures.
};

/// Follows every figure over the nights of BASE and NEW, by the levels that a gate judges.
///
/// @returns By group, then figure; none where fewer than two nights have it.
/// Source: docs/explanation/gate.md, "Levels".
std::vector<FigureHistory> follow_nights(const GatePair& pair, const GateOptions& options);

/// Groups of a response and by how much they changed, before their verdicts, which need all groups.
/// Parts of one response may be made by several threads.
class GatePart {
 public:
  GatePart(const GatePair& pair, const GateOptions& options);
  ~GatePart();
  GatePart(GatePart&&) noexcept;

 private:
  friend class GateJudge;
  struct State;
  std::unique_ptr<State> state_;
};

/// The same as gate_fits for groups that come part by part, so that their fits need not be held at
/// once.
class GateJudge {
 public:
  /// @throws std::invalid_argument if an option is out of its range.
  explicit GateJudge(const GateOptions& options);
  ~GateJudge();
  GateJudge(const GateJudge&) = delete;
  GateJudge& operator=(const GateJudge&) = delete;

  /// Begins a response, of which `head` tells the columns and how it was fitted.
  /// @param head  Must outlive the judge if BASE has several nights.
  /// @throws DataError as check_comparable does.
  void begin(const GatePair& head);
  /// Adds the next groups of the response, in group order.
  void add(GatePart part);
  /// Adds the next `count` parts, which `make` makes by their number on several threads. Parts are
  /// added as they come, so that few of them are held at once.
  void add(std::size_t count, int threads, const std::function<GatePart(std::size_t part)>& make);
  /// Judges all groups. Call this once.
  Gate finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scalelaw
