#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/cell.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// What comparisons of two levels assume about the scatter around their lines.
enum class Variances {
  kUnequal,  ///< One per level: Welch (1947), degrees of freedom after Satterthwaite.
  kEqual,    ///< One for all levels, pooled.
};

struct ContrastOptions {
  Response response = Response::kTime;
  double confidence = 0.95;  ///< Level of every interval, in (0, 1); tests use one minus it.
  double margin = 0.05;      ///< Exponents that differ by less are equivalent; > 0.
  Variances variances = Variances::kUnequal;
};

/// The runs of one level of the factor.
struct LevelCells {
  GroupKey level;           ///< One value per factor column.
  std::vector<Cell> cells;  ///< Sorted by x.
};

/// The line of one level by itself.
struct ContrastLevel {
  GroupKey level;
  Fit fit;  ///< The power law, Figures::kEstimates, dof > 0.
  /// p of the F test for lack of fit (Draper and Smith, sec. 2.1); empty without repeated runs.
  std::optional<double> misfit_p = {};
};

/// A level that has no line to compare.
struct OmittedLevel {
  GroupKey level;
  FailureCode code;
  std::string message;
};

struct FTest {
  double f;
  double df1;
  double df2;
  double p;
};

struct ChiSquaredTest {
  double statistic;
  double df;
  double p;
};

enum class Verdict {
  kDiffer,      ///< p_holm < 1 - confidence, and not equivalent.
  kEquivalent,  ///< Two one-sided tests show that the difference is within the margin.
  kUndecided,   ///< Neither is shown: "not significant" is not "equal".
};

/// The name in JSON and tables: "differ", "equivalent", "undecided".
std::string_view name_of(Verdict verdict);
/// "equal", "unequal".
std::string_view name_of(Variances variances);

/// beta of one level minus beta of another.
struct SlopePair {
  std::size_t first = 0;                 ///< Index of level i in Contrast::levels.
  std::size_t second = 0;                ///< Index of level j > i.
  Estimate delta_beta = {};              ///< beta_j - beta_i; dof is set where se is.
  std::optional<double> p_holm = {};     ///< Adjusted for all pairs (Holm 1979).
  std::optional<double> p_tost = {};     ///< The larger p value of the two one-sided tests.
  std::optional<Interval> tost_ci = {};  ///< At level 2 confidence - 1; in the margin if
                                         ///< equivalent.
  std::optional<bool> equivalent = {};   ///< p_tost < 1 - confidence.
  Verdict verdict = Verdict::kUndecided;
};

/// alpha of one level over another's where all share one slope: the ratio of their times at any x.
struct OffsetPair {
  std::size_t first = 0;
  std::size_t second = 0;
  std::optional<double> ratio = {};  ///< alpha_j / alpha_i; empty beyond the range of double.
  std::optional<Interval> ci = {};   ///< exp of the interval of log_ratio.
  Estimate log_ratio = {};           ///< ln ratio.
  std::optional<double> p_holm = {};
};

/// A term of the covariate model.
struct Term : Estimate {
  std::string name;
};

/// A numeric factor in the covariate model, z = ln(value / centre).
struct Covariate {
  std::string name;
  double centre;  ///< Geometric mean over points, in the column's unit.
};

/// ln y = intercept -+ (beta + sum_f eta_f z_f) ln(x / x_centre) + sum_f gamma_f z_f, with - for a
/// time and + for a rate. The order of terms is "intercept", "beta", gamma_f as "ln NAME", eta_f as
/// "beta:ln NAME". The intercept and gamma hold at x_centre, and beta at the centres of the
/// factors.
struct CovariateModel {
  std::vector<Covariate> covariates;
  double x_centre = 0;  ///< Geometric mean of x over points.
  std::vector<Term> terms;
  std::uint64_t n = 0;
  std::int64_t dof = 0;
  std::optional<double> sigma;
  std::optional<double> r2;
  /// Tests separate lines for each level against this model. A small p says that the settings do
  /// not act as powers. Empty if the model has as many terms.
  std::optional<FTest> levels_given_model;
  std::optional<FTest> interactions;                      ///< Tests that all eta_f = 0.
  std::optional<FTest> covariates_given_no_interactions;  ///< Tests that all gamma_f = 0, without
                                                          ///< interactions.
  /// Whether lines of their own are closer to the points than the model, at the 5 % level.
  bool is_refuted() const { return levels_given_model && levels_given_model->p < 0.05; }
};

/// Whether a setting changes the slope of the power law or only its offset. Undefined values are
/// empty; an exact fit, for example, has no scatter to judge by.
struct Contrast {
  std::vector<ContrastLevel> levels;  ///< In the order given, two or more.
  std::vector<OmittedLevel> omitted;
  std::uint64_t n = 0;                ///< Points of `levels`.
  std::optional<FTest> equal_slopes;  ///< Parallel lines against separate lines.
  std::optional<ChiSquaredTest> equal_slopes_own_variances;  ///< Alexander and Govern (1994).
  std::optional<FTest> equal_offsets_given_slope;            ///< One line against parallel lines.
  std::optional<ChiSquaredTest> equal_variances;             ///< Bartlett (1937).
  Estimate common_beta;             ///< Slope of parallel lines, n - levels - 1 degrees of freedom.
  std::vector<SlopePair> slopes;    ///< Every pair, in order of (first, second).
  std::vector<OffsetPair> offsets;  ///< The same pairs.
  std::optional<CovariateModel> covariates;
  std::vector<WarningCode> warnings;  ///< kFewPoints, kHeteroscedastic.
  std::string no_covariates;          ///< Why there is no covariate model.
};

/// What a warning means for this contrast, and what to do about it.
std::string explain(WarningCode code, const Contrast& contrast);

enum class SlopeFinding {
  kNoScatter,       ///< The lines fit exactly: nothing tells a difference from chance.
  kEquivalent,      ///< All pairs are.
  kDiffer,          ///< Some pair does.
  kDifferTogether,  ///< Only the joint test of three levels or more says so.
  kUndecided,
};

/// What a contrast shows at the confidence of its options.
struct ContrastFindings {
  SlopeFinding slopes = SlopeFinding::kUndecided;
  std::optional<double> joint_p;  ///< Of equal slopes, by the test that goes with the pairs.
  /// Whether slopes of some pair differ significantly, within the margin or not.
  bool slopes_significant = false;
  /// Of the pairs that differ, or else of those that differ significantly within the margin.
  const SlopePair* largest_slope = nullptr;
  const OffsetPair* largest_offset = nullptr;  ///< Of the significant ones.
  /// The largest differences that the intervals of all pairs leave possible; may be infinite.
  double possible_delta_beta = 0;
  double possible_ratio = 1;
  /// How the levels of largest_slope compare, y of the second one over y of the first, at the least
  /// and at the greatest x that both were measured at; empty where they share no range.
  struct RatioAt {
    double x;
    double ratio;
  };
  std::vector<RatioAt> ends;
};

/// The contrast must outlive its findings.
ContrastFindings findings_of(const Contrast& contrast, const ContrastOptions& options);

/// Compares the power laws of the levels of a factor.
///
/// Model: ln y = a_level -+ b_level ln x plus independent scatter of equal variance within a level
/// (if weighted: variance / weight). The computation uses cells, whose inner scatter counts in the
/// residual sums of squares. Levels without a line or without degrees of freedom are left out.
///
/// @param factors  Names of the factor columns, as many as each level has values.
/// @throws FitError too-few-levels if fewer than two levels have lines.
/// @throws std::invalid_argument if an option or a cell is out of its range.
///
/// Source: docs/explanation/contrast.md. Checked against statsmodels and R (anova, emmeans) to
/// 1e-8.
Contrast contrast_levels(std::span<const LevelCells> levels, std::span<const std::string> factors,
                         const ContrastOptions& options = {});

/// A group of runs with its contrast, or why it has none; the group is the values of the group
/// columns that are no factors.
using GroupContrast = Grouped<Contrast>;

/// The levels of one group that contrast_each compares at most: their pairs take 0.5 KiB each.
inline constexpr std::size_t kMostLevels = 1000;

/// Contrasts every group of runs that were read with RunOptions::factors, and hands the results to
/// `sink` in group order. A group without a contrast is a NoFit, not an error.
/// @param threads  0: all processors. The result does not depend on it.
/// @throws DataError before the first result if a group has more than kMostLevels levels.
void contrast_each(const GroupedCells& runs, const ContrastOptions& options, int threads,
                   const std::function<void(GroupContrast&&)>& sink);

}  // namespace scalelaw
