#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/nights.hpp"
#include "scalelaw/judge/gate.hpp"

namespace scalelaw {

/// What one night of BASE has of a group: a fit, or runs at too few x for one.
struct Night {
  std::size_t number;      ///< Among the nights of BASE.
  const Fit* fit;          ///< Null if it has runs alone.
  const SavedFits* study;  ///< That it belongs to.

  /// Whether it has a law with errors, that new runs can be held against.
  bool has_law() const { return fit != nullptr && fit->dof > 0; }
};

/// An estimate with its standard error; an exact value has no degrees of freedom.
GateEstimate estimate_of(double value, const std::optional<Variance>& uncertainty);
/// The same of a change, with its interval. A difference of rounding between exact values is none.
GateChange change_of(double difference, const Variance& variance, double confidence);

/// Cells with one per x, sorted, with their counts and the means and scatter of their logarithms.
std::vector<Cell> one_per_x(const std::vector<Cell>& cells);

/// A figure of one fit on the scale of its comparison.
struct Side {
  double value;                              ///< NaN where there is none.
  std::optional<Variance> uncertainty = {};  ///< Of the fit.
  std::string reason = {};                   ///< Why it has none.
  double runs = 0;                           ///< Points of the fit.
  std::optional<Variance> by_repeats =
      {};  ///< Its uncertainty in a difference, by RepeatScatter::in_change().

  /// Its uncertainty in a difference; there must be one.
  const Variance& in_change() const { return by_repeats ? *by_repeats : *uncertainty; }
};

/// How the nights of a response are judged.
struct NightJudging : NightRules {
  double confidence = 0.95;
  double ignore_below = 0;  ///< Of the response, in its unit: a change by less counts for none.
  bool goes_on = false;     ///< NEW is a night of the same series, and others follow.
};

/// What judges the changes of one figure.
struct NightEvidence {
  const NightSeries& nights;
  const NightVariance& between;
  const NightJudging& rules;
};

/// @throws DataError if a limit is in a unit that the response does not have.
NightJudging judging_of(const GatePair& pair, const GateOptions& options);
/// The options with what is said of that response alone.
GateOptions options_for(const std::string& y, GateOptions options);

/// How far NEW may lie from its level as single nights of a long series do, if the next ones tell:
/// one and a half times as far as one of BASE did, and a night alone may be the first that stands
/// apart. 0 where nothing of the kind is taken for one; without end where of three nights at most
/// one is not half as far from the level before as they are on average.
/// @param between  The variance between nights.
double single_reach(const NightStep& step, const NightSeries& nights, double between,
                    const GateComparison& comparison, const NightJudging& rules);

/// A comparison of one group that lacks its change, which may need the nights of other groups.
struct OpenComparison {
  GateComparison comparison;
  std::string role;  ///< The same for figures that groups have in common.
  Side before = {};  ///< Of the newest night with an uncertainty, else of the newest.
  Side after;
  std::vector<NightFigure> nights = {};  ///< Of all nights with an uncertainty.
  /// By one night: the variance of new runs about its forecast, which has the scatter of BASE in
  /// it.
  std::optional<Variance> about_forecast = {};
  std::size_t first_of_new = 0;      ///< Of the nights, the first of the level of NEW.
  std::vector<NightNews> news = {};  ///< What the nights of BASE show.
};

/// A group whose comparisons lack their changes.
struct OpenGroup {
  GateGroup group;
  std::vector<OpenComparison> comparisons = {};
};

class RepeatScatter;

/// All comparisons of one group that both have.
/// @param nights  The oldest first, each with a fit; one at least.
std::vector<OpenComparison> open_comparisons(std::span<const Night> nights, const Fit& current,
                                             const RepeatScatter& repeats,
                                             const GateOptions& options);

/// Comparisons of new runs with what BASE says of the x where they were made, one per x: each night
/// says it by its law, or without one by the mean of its runs there.
/// @param nights  The oldest first; one at least.
/// @param runs    Cells of NEW; one at least.
std::vector<OpenComparison> open_predictions(const GroupKey& group, std::span<const Night> nights,
                                             std::span<const Cell> runs,
                                             const GateOptions& options);

/// Calls take(comparison, evidence) with the nights of each comparison that have an error.
void for_each_series(std::span<OpenComparison* const> comparisons, const NightJudging& rules,
                     const std::function<void(OpenComparison&, const NightEvidence&)>& take);

/// Sets the changes of one response, with p values not yet adjusted. If one is undefined, `reason`
/// says so.
void set_changes(std::span<OpenComparison* const> comparisons, const NightJudging& rules);

}  // namespace scalelaw
