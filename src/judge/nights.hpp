#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "judge/contrast_parts.hpp"
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

/// The same figure of one group in the nights of a baseline, with moments.
class NightSeries {
 public:
  explicit NightSeries(std::vector<NightFigure> figures);

  const std::vector<NightFigure>& figures() const { return figures_; }
  bool empty() const { return figures_.empty(); }
  double nights() const { return static_cast<double>(figures_.size()); }
  double dof() const { return nights() - 1; }
  double mean() const { return mean_; }
  /// The variance of the figures, which holds the errors of the fits; 0 for fewer than two nights.
  double spread() const { return spread_; }
  /// The mean of the sampling variances, with Satterthwaite's degrees of freedom.
  const Variance& sampling() const { return sampling_; }
  /// The sampling variance of a fit of so many runs, which scatter as those of these nights do.
  double sampling_of(double runs) const;

 private:
  std::vector<NightFigure> figures_;
  double mean_ = 0;
  double spread_ = 0;
  Variance sampling_{.value = 0, .dof = 0};
  double inverse_runs_ = 0;  ///< Mean of 1 / runs.
};

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
/// Model: figure = level of the group + effect of the night + error of the fit, all normal. The
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

/// The variance of the mean of the nights as an estimate of the group's level.
Variance variance_of_mean(const NightSeries& nights, const NightVariance& between);

/// The variance of a new night's figure less the mean of the nights. Where the new fit has a
/// greater sampling variance than its number of runs explains, the excess counts too.
Variance variance_of_change(const NightSeries& nights, const NightVariance& between,
                            const NightFigure& current);

}  // namespace scalelaw
