#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/base/code_help.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/surface_runs.hpp"
#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

/// How the best size for a compute is found: the approaches of Hoffmann et al. (2022), of which the
/// second has two forms.
enum class IsoflopApproach {
  kCurves,     ///< 1: the run with the least loss at each compute, over training curves.
  kParabolas,  ///< 2: a parabola of the loss over ln n per budget.
  kPowers,     ///< 2 without its bias: a falling and a rising power of n per budget.
  kSurface     ///< 3: the surface E + A n^-alpha + B d^-beta.
};

/// "curves", "parabolas", "powers", "surface".
std::string_view name_of(IsoflopApproach approach);

/// What limits how far the optimum of one budget can be trusted.
enum class BudgetWarning {
  kEdge,        ///< The minimum lies outside the sizes that were run.
  kNoMinimum,   ///< The losses do not rise on both sides.
  kFewSizes,    ///< Fewer than four sizes.
  kAsymmetric,  ///< The minimum lies in the outer quarter of the sizes, so parabolas are biased.
  kMixed,       ///< The computes of its runs fall into two heaps, or differ by over 2 times.
};

/// What these warnings say, in their order.
std::span<const CodeHelp> profile_codes();
/// "edge", "no-minimum", "few-sizes", "asymmetric", "mixed".
std::string_view name_of(BudgetWarning warning);

/// Runs of one compute: an IsoFLOP profile.
struct IsoflopBudget {
  double compute;                 ///< The geometric mean of K n d of its runs.
  std::vector<std::size_t> rows;  ///< Places of its runs among those of the group.
  std::size_t sizes;              ///< Different n.
  Interval n_range;
  Interval computes;        ///< The least and the greatest of its runs.
  std::size_t too_far = 0;  ///< Runs that IsoflopOptions::within leaves out.
  std::vector<BudgetWarning> warnings = {};
};

/// A run that lies far from the losses of its budget, as one does that diverged. Profiles leave it
/// out.
struct IsoflopOutlier {
  std::size_t row;  ///< Its place among the runs of the group.
  double n;
  double compute = 0;  ///< Of its budget.
  double loss;
  double expected;  ///< The loss that the other runs of the budget make likely.
};

/// Why the answer takes its approach.
enum class IsoflopReason {
  kAsked,         ///< IsoflopOptions::approach.
  kMostRuns,      ///< Profiles: most runs belong to budgets of four sizes with a minimum.
  kFewRuns,       ///< The surface: fewer do.
  kGrid,          ///< The surface: the sizes were run with the same numbers of tokens.
  kNoProfiles,    ///< The surface or training curves: there are no two such budgets.
  kOnlyPossible,  ///< The others are not possible.
};

/// The n and d of least loss for a compute, by one approach.
struct IsoflopOptimum {
  double compute;
  bool is_budget;  ///< Measured there; else it was asked for.
  double n;
  double d;  ///< compute / (K n).
  std::optional<Interval> n_ci = {};
  std::optional<Interval> d_ci = {};
  std::optional<double> loss = {};  ///< At (n, d); empty if the approach does not tell.
  /// The fitted loss over n along the sizes of a budget.
  std::vector<std::pair<double, double>> profile = {};
};

/// Whether the minima of the budgets lie on one line over ln compute: the F test of a square of
/// ln compute beside it, in the fit of all runs at once.
struct IsoflopLine {
  double statistic;  ///< F with 1 and `dof` degrees of freedom.
  double dof;
  double p;
  bool is_broken;  ///< p < 0.01.
  /// The computes of the budgets whose line is extended: all, or the last ones that lie straight.
  Interval range;
  std::size_t budgets;  ///< In this range.
};

/// Whether the losses of all budgets scatter alike, relatively: the score test of Cook and Weisberg
/// (1983) against a power of the compute, chi-squared with one degree of freedom.
struct IsoflopScatter {
  double statistic;
  double p;
  bool is_unequal;  ///< p < 0.05. Runs are then weighed by this power.
  double exponent;  ///< Of the scatter over the compute.
};

/// The optimum over the compute by one approach: n ~ c^n_exponent, d ~ c^d_exponent.
struct IsoflopPath {
  /// Of the budgets in IsoflopLine::range. Empty if the runs tell of one budget alone.
  std::optional<Estimate> n_exponent;
  std::optional<Estimate> d_exponent;  ///< 1 - n_exponent.
  /// Of profiles; empty below three budgets, or without degrees of freedom.
  std::optional<IsoflopLine> line = {};
  /// Of profiles; empty for one budget, exact losses, and in clusters.
  std::optional<IsoflopScatter> scatter = {};
  /// Of the budgets, then of the computes asked for, which need the exponents.
  std::vector<IsoflopOptimum> optima;
  std::size_t runs;     ///< That tell of it.
  std::size_t budgets;  ///< Or curves.

  /// The optimum of the budget of that compute; null if it has none.
  const IsoflopOptimum* optimum_of_budget(double compute) const;
};

/// The paths by all approaches, in the order of IsoflopApproach, each with a reason if it has none.
struct Isoflop {
  std::vector<IsoflopBudget> budgets = {};
  std::vector<Outcome<IsoflopPath>> paths = {};
  std::vector<IsoflopOutlier> outliers;
  IsoflopApproach chosen = {};  ///< The one that the answer takes.
  IsoflopReason reason = {};
  std::vector<IsoflopApproach> disagreeing = {};  ///< Those whose best size is another one.
  std::size_t runs;
  std::size_t in_budgets;  ///< Runs that belong to a budget.
  double within;           ///< As IsoflopOptions::within, or what was chosen.
  double farthest;         ///< How many times a size lies from the best run of its budget, at most.

  const IsoflopPath& path() const { return path_of(chosen); }
  const IsoflopPath& path_of(IsoflopApproach approach) const {
    return std::get<IsoflopPath>(paths[static_cast<std::size_t>(approach)]);
  }
};

using GroupIsoflop = Grouped<Isoflop>;

struct IsoflopOptions {
  double confidence = 0.95;
  double flops_per_parameter_token = 6;  ///< K in c = K n d.
  std::vector<double> at_compute = {};   ///< Empty: ten times the greatest budget.
  /// The approach that the answer takes; empty: the one that is recommended.
  std::optional<IsoflopApproach> approach = {};
  /// Approach 2 takes sizes up to so many times from the best run of the budget; infinity: all.
  /// Empty: 8 where sizes lie more than 20 times away, because no form of a profile fits there,
  /// else all. A budget that would keep fewer than four sizes keeps all.
  std::optional<double> within = {};
  FitOptions surface;  ///< How approach 3 is fitted. Clustered standard errors hold for all.
};

/// Judges the runs of one group.
///
/// Runs of about one compute are a budget (rows_by_budget), or those of one value of `runs.budget`.
/// The minima of all budgets are found together: the losses of budget j are m_j + k_j g(ln n -
/// x_j), where g is a parabola, or (e^(-alpha t) - 1) / alpha + (e^(beta t) - 1) / beta, which is
/// the section of a surface and so has no bias. x_j are free for the optimum of each budget, and
/// lie on a line over ln c for the exponents and extrapolated optima, so errors of each minimum
/// reach these. If they do not lie on a line, it is that of the last budgets that do. Intervals are
/// profiles of the sum of squares with Student's t; in clusters with the variance of CR2 and
/// Satterthwaite's degrees of freedom (docs/explanation/isoflop.md).
///
/// The recommended approach is that of powers if half of the runs belong to budgets with a minimum
/// and four sizes or more, and else the surface. It is the surface, too, if the runs are a grid, in
/// which sizes share their numbers of tokens: budgets are then only its diagonals, and most of what
/// the runs tell is along the other ways. So neither clusters nor the computes asked for change it.
///
/// Runs far from their budget are left out of profiles: in polynomials of the loss over ln n per
/// budget they are outliers by the generalised extreme Studentised deviate test (Rosner 1983) at
/// 0.001, and lie 2 % away or more.
///
/// @throws FitError with the reasons of powers and of the surface if no approach has a path.
Isoflop judge_isoflop(const SurfaceRuns& runs, const IsoflopOptions& options);

/// The same for every group; one without a path has a reason.
/// @param threads  0: all processors. The result does not depend on it.
std::vector<GroupIsoflop> judge_isoflops(std::span<const SurfaceRuns> groups,
                                         const IsoflopOptions& options, int threads);

}  // namespace scalelaw
