#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

struct RankOptions {
  /// In any order, none twice. If empty: power, lognormal, floor, amdahl, usl and broken.
  std::vector<const Law*> laws;
  Response response = Response::kTime;
  double confidence = 0.95;  ///< Level of intervals and of the hold-out's prediction interval.
  Intervals intervals = Intervals::kProfile;
  std::uint32_t resamples = 999;  ///< At most, for the test of a floor; 0 leaves it out.
  std::uint64_t seed = 1;
};

/// The laws that are ranked if none are named.
std::span<const Law* const> default_ranked_laws();
/// The laws that the options name, or else the default ones.
std::span<const Law* const> ranked_laws(const RankOptions& options);

/// One law of a ranking. All laws are fitted to the same points by least squares of ln y.
struct RankedLaw {
  const Law* law = nullptr;
  Outcome<Fit> result;
  std::size_t k = 0;              ///< Parameters, sigma counted.
  std::optional<double> aicc{};   ///< Of ln y; empty at n <= k + 1 and for exact fits.
  std::optional<double> delta{};  ///< aicc less the least one.
  std::optional<double>
      weight{};  ///< Akaike weight among the laws that have an aicc; they sum to 1.
};

/// Power against lognormal: the F test of the parabola's square term.
struct CurvatureTest {
  double f;
  double df1;
  double df2;
  double p;
  /// Coefficient of (ln N)^2 in ln y: gains fade at large N if a time has > 0, or a rate < 0.
  double curvature;
};

/// A power law with log-normal scatter against one with normal scatter. Both likelihoods are for y
/// itself: that of ln y takes the Jacobian 1/y (Xiao et al. 2011).
struct ErrorsTest {
  double aicc_lognormal;
  double aicc_normal;
  std::optional<Errors> verdict = {};  ///< Empty if undecided: the two lie within 2.
};

/// Power against a law that contains it, by the likelihood ratio.
struct NestedTest {
  double statistic;  ///< n ln(RSS of power / RSS of the other law).
  double p;
  std::uint32_t resamples = 0;  ///< Draws of a bootstrap; a clearly large p needs few, or none.
};

/// The tests of the power law against a bend, a floor and a break as one.
struct DepartureTest {
  double p;           ///< Harmonic mean of their p (Wilson 2019).
  std::size_t tests;  ///< How many of the three there are.
};

/// A law fitted without the points at the largest x, and scored there.
struct HeldOutLaw {
  const Law* law = nullptr;
  double log_error;  ///< Mean ln y minus predicted: > 0 was larger (for a time: slower).
  /// Whether that mean lies in its prediction interval. Empty without scatter to compute one from.
  std::optional<bool> inside;
  std::optional<double> p = {};  ///< Of so great a distance, where there is an interval.
};

struct HoldOut {
  double x;
  std::uint64_t n;                    ///< Points there.
  std::vector<HeldOutLaw> laws = {};  ///< The laws that the other points determine, best first.
};

/// The exponent of the power law on a part of the points.
struct PartialBeta {
  double x_min;
  double x_max;
  std::optional<double> left_out;  ///< The x that the fit leaves out.
  double beta;
  std::optional<double> se;
};

/// How the exponent of the power law depends on which x are there.
struct Stability {
  std::vector<PartialBeta> leave_one_out;  ///< Without each x in turn.
  std::vector<PartialBeta> prefixes;       ///< From the least x to each, three x or more.
  std::vector<PartialBeta> suffixes;       ///< From each x to the greatest, three x or more.
  std::vector<PartialBeta> local;          ///< Between neighbouring x.
};

/// A p value of one group, corrected for the number of groups of the study that have such a test.
struct CorrectedP {
  double p;
  std::size_t tests;
};

/// What is said of a group in its study rests on these: of many tests some have a small p by
/// chance.
struct CorrectedTests {
  std::optional<CorrectedP> departure;    ///< Of power_vs_any,
  std::optional<CorrectedP> lack_of_fit;  ///< of lack_of_fit,
  std::optional<CorrectedP> held_out;     ///< and of telling_hold_out().
};

/// The judgement on the laws of one group.
struct Ranking {
  std::uint64_t n = 0;
  std::uint64_t distinct_x = 0;
  double x_min = 0;
  double x_max = 0;
  std::vector<RankedLaw> laws;  ///< By aicc; laws without one come last, in the requested order.
  /// The best law. nullptr if others are within delta < 2, or if no law has an aicc. A law without
  /// scatter through more points than it has parameters is always best; of several, the one with
  /// the fewest parameters.
  const Law* best = nullptr;
  /// If two or more laws are within delta < 2 of the least aicc: these laws, best first.
  std::vector<const Law*> undecided;
  std::optional<CurvatureTest> power_vs_lognormal;
  std::optional<ErrorsTest> errors;
  std::optional<NestedTest> power_vs_floor;
  std::optional<NestedTest> power_vs_broken;
  std::optional<DepartureTest> power_vs_any;
  /// How the means of repeated runs lie about the power law; empty without repeated runs.
  std::optional<LackOfFit> lack_of_fit;
  std::optional<HoldOut> holdout;
  Stability stability;
  CorrectedTests corrected;
  std::string sentence;  ///< What the numbers mean, in plain words.
};

/// The hold-out to report for a ranking. It is that of the best law. Without a best law it is that
/// of the first undecided law that has one, else that of power. nullptr if there is none.
const HeldOutLaw* telling_hold_out(const Ranking& ranking);

/// A p value below this one is taken for a finding.
inline constexpr double kSmallChance = 0.05;

/// Whether a test of the study finds something once it is corrected for the number of groups.
inline bool finds(const std::optional<CorrectedP>& test) { return test && test->p < kSmallChance; }

/// Whether means lie further from the power law than repeated runs scatter: at the level of the
/// warning `lack-of-fit`, so that a fit and its ranking say the same.
bool finds_lack_of_fit(const CorrectedTests& tests);

/// Corrects the tests of all rankings of a study for their number (Holm 1979), and words their
/// sentences anew. rank_laws() takes a group for the only one of its study.
void correct_for_groups(std::span<Ranking* const> rankings, const RankOptions& options);

/// By how much AICc speaks against the power law. If another law is the best, it is the distance of
/// the power law from that one. If the power law is the best, it is minus the distance of the next
/// law. Empty if the power law was not ranked.
std::optional<double> doubt_of_power_law(const Ranking& ranking);

/// Whether any law has a criterion, or describes the points without scatter.
bool can_rank(const Ranking& ranking);

/// Whether a law is the best, or several are equally good.
inline bool has_verdict(const Ranking& ranking) {
  return ranking.best != nullptr || !ranking.undecided.empty();
}

/// The ranking of one group. A ranking never fails: laws that cannot be fitted stand in it.
using GroupRanking = Grouped<Ranking>;

/// Ranks laws by the corrected Akaike criterion over the cells of one group, sorted by x, and tests
/// the conclusions that a user would draw. A law without a fit stays there, with the reason.
///
/// Model: ln y = eta(x) + independent normal scatter of equal variance (over weight), y > 0. A
/// difference in aicc below 2 does not tell two laws apart (Burnham and Anderson 2002, sec. 2.6).
///
/// @param random_stream  Names the random numbers of the group's bootstrap tests.
/// @throws std::invalid_argument as fit_law does.
Ranking rank_laws(std::span<const Cell> cells, const RankOptions& options,
                  std::uint64_t random_stream = 0);

/// Ranks every group on `threads` threads (0: all processors) and hands the results to `sink` in
/// group order, one call at a time.
void rank_each(const GroupedCells& runs, const RankOptions& options, int threads,
               const std::function<void(GroupRanking&&)>& sink);

}  // namespace scalelaw
