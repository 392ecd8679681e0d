#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "judge/contrast_parts.hpp"
#include "judge/night_levels.hpp"
#include "scalelaw/documents/read_fits.hpp"

namespace scalelaw {

/// Whether two fits of a group are of the same runs: other runs give other figures.
bool are_of_same_runs(const Fit& a, const Fit& b);

/// Whether figures of two documents of fits mean the same: columns, law, response and errors.
bool are_comparable(const SavedFits& a, const SavedFits& b);

/// A figure of one group, such as its exponent, as one night measured it.
struct NightFigure {
  std::size_t night;  ///< A number that the night has in all groups.
  double value;
  Variance sampling;  ///< The squared standard error of the fit.
  double runs;        ///< Points of the fit.
};

/// Nights of one level, and what follows them: NEW, or all nights since the change.
struct NightStep {
  std::size_t first = 0;   ///< The first night of the level of NEW, which itself is the last night.
  std::size_t before = 0;  ///< How many nights count before,
  std::size_t after = 0;   ///< and since then, NEW among them.
  double mean_before = 0;
  double mean_after = 0;
  double factor = 1;   ///< Of the variance of a night: that of the difference of the means.
  double nearest = 1;  ///< The least share of the change that a night since then shows.

  double change() const { return mean_after - mean_before; }
  /// NEW alone, which may stand apart.
  bool is_of_new_alone() const { return after == 1; }
};

/// Of a call that errs in a share of cases, each series may take chance for a change in four times
/// as many: what fails has to exceed its limit for sure.
constexpr double kChanceOfLevels = 4;

/// How the nights of a figure are taken.
struct NightRules {
  /// At most this share of series of one level seem to have two; 0: all nights are of one level.
  double chance = 0;
  std::size_t baseline = 0;  ///< All nights before that one are the level before; 0: not said.
  std::size_t since = 0;     ///< The first night of the level of NEW; 0: not said.
};

/// The same figure of one group in the nights of a baseline and in NEW, by levels.
class NightSeries {
 public:
  /// Nights of one level, which do not depend on each other.
  explicit NightSeries(std::vector<NightFigure> figures);
  /// @param current  Of NEW, which is one more night unless it has the runs of the last one.
  NightSeries(std::vector<NightFigure> figures, double current, const NightRules& rules,
              double correlation);

  /// Those of BASE.
  const std::vector<NightFigure>& figures() const { return figures_; }
  const NightNoise& noise() const { return noise_; }
  bool empty() const { return figures_.empty(); }
  double nights() const { return static_cast<double>(figures_.size()); }
  /// Degrees of freedom of spread().
  double dof() const { return dof_; }
  /// The variance of a night about its level, which holds the errors of the fits; 0 without two
  /// nights of a level.
  double spread() const { return spread_; }
  /// From the level of each night of BASE; 0 of those that stand apart.
  const std::vector<double>& deviations() const { return deviations_; }
  /// The farthest that a night of BASE stands apart from its level, above it or below it.
  double farthest_above() const { return above_; }
  double farthest_below() const { return below_; }
  /// The mean of the sampling variances, with Satterthwaite's degrees of freedom.
  const Variance& sampling() const { return sampling_; }
  /// The sampling variance of a fit of so many runs, which scatter as those of these nights do.
  double sampling_of(double runs) const;

  /// The steps by which NEW may be judged: first from the level before to that of NEW, which is NEW
  /// alone where no night before is of its level. Then NEW alone, and its level against those
  /// before earlier changes that were greater than `limit` to its side.
  std::vector<NightStep> steps(double limit) const;
  /// Every change, from each level to the next.
  std::vector<NightStep> changes() const;
  /// The last change that a night of BASE begins.
  std::optional<NightStep> last_change() const;
  /// What of a level counts, without NEW or with it.
  std::vector<double> level(std::size_t number, bool with_new) const;
  const NightLevels& levels() const { return levels_; }
  /// Nights of BASE that stand apart, each against its level.
  std::vector<NightStep> steps_apart() const;

 private:
  void measure_errors();
  void measure_spread();
  NightStep step_between(std::size_t before, std::size_t after) const;
  NightStep step_of_one(std::size_t level, std::size_t night, double value) const;

  std::vector<NightFigure> figures_;
  double current_;
  std::vector<double> values_;  ///< Of all nights, NEW among them.
  NightLevels levels_;
  NightNoise noise_{0};
  bool has_baseline_ = false;  ///< The first level is the one before.
  std::vector<double> deviations_ = {};
  double spread_ = 0;
  double dof_ = 0;
  double above_ = 0;
  double below_ = 0;
  Variance sampling_{.value = 0, .dof = 0};
  double inverse_runs_ = 0;  ///< Mean of 1 / runs.
};

/// The series of groups that have a figure in common. The correlation of their nights is drawn to
/// what the others tell (shrunk_correlations).
/// @param currents  What NEW has, by series.
std::vector<NightSeries> series_of(std::vector<std::vector<NightFigure>> figures,
                                   std::span<const double> currents, const NightRules& rules);

/// The variance between nights, beyond the errors of the fits, by which a group is judged.
struct NightVariance {
  double value;
  double dof;
  std::optional<double> own = {};     ///< Of this group alone.
  std::optional<double> pooled = {};  ///< Of all groups together.
  bool is_pooled = false;             ///< Whether `value` is `pooled`.
};

/// The variance between nights of each group, for one figure of all groups.
///
/// Model: figure = level of the nights + effect of the night + error of the fit, all normal. The
/// variance of a group of its own is the spread of its figures less the mean sampling variance, at
/// least 0. The pooled one weights these by inverse variance: with one design in all nights of a
/// group it is the REML estimate of a common variance. A group is judged by the pooled one, unless
/// its nights scatter more than those of the other groups (F test, 5 % over the number of groups).
///
/// The pooled variance of groups that share their nights knows less than one of independent groups.
/// Its degrees of freedom are after Satterthwaite, with the squared correlation between groups
/// estimated from the figures (Bai and Saranadasa 1996).
///
/// @returns Empty for a group of one night if no group has two.
/// Source: docs/explanation/gate.md, "Nights". Checked against lme4 and lmerTest.
std::vector<std::optional<NightVariance>> night_variances(std::span<const NightSeries> groups);

/// The variance of the mean of so many nights as an estimate of their level.
Variance variance_of_mean(const NightSeries& nights, const NightVariance& between,
                          std::size_t count);

/// The variance of a step. Where the fit of NEW has a greater sampling variance than its number of
/// runs explains, the excess counts too.
Variance variance_of_step(const NightSeries& nights, const NightVariance& between,
                          const NightStep& step, const NightFigure& current);

/// The p value of one of so many nights (Bonferroni); 0 of an exact difference.
double p_of_night(double difference, const Variance& variance, std::size_t nights);

/// What the nights of a baseline show themselves.
struct NightNews {
  enum Kind : std::uint8_t { kChange, kApart };
  Kind kind;
  std::size_t night;  ///< The place of the first of the new level, or of the one that stands apart.
  double change;      ///< From the level before, or from its own.
  double p;           ///< Adjusted for the nights of the series (Bonferroni); 0 of exact nights.
};

/// The last change, if there is one, and the nights that stand apart.
std::vector<NightNews> news_of(const NightSeries& nights, const NightVariance& between);

}  // namespace scalelaw
