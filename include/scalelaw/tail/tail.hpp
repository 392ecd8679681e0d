#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/observations.hpp"

namespace scalelaw {

/// How a heavy tail is looked for in a sample.
struct TailOptions {
  bool discrete = false;             ///< Values are whole numbers (counts); else any numbers > 0.
  std::optional<double> x_min = {};  ///< Where the tail begins; empty: chosen by the KS distance.
  /// Draws of each bootstrap, that of the intervals and that of the goodness of fit; 0: neither.
  std::uint32_t draws = 1000;
  std::uint64_t seed = 1;
  double confidence = 0.95;
  int threads = 0;  ///< 0: all processors. The result does not depend on it.
};

/// Below this p, a goodness of fit or a comparison decides (Clauset, Shalizi and Newman 2009).
inline constexpr double kTailSignificance = 0.1;
/// With fewer tail values nothing is told of the tail; with fewer than twice as many, a warning.
inline constexpr std::size_t kFewTailValues = 50;

/// What else the tail may be. All are fitted to the values >= x_min by maximum likelihood, as
/// distributions on [x_min, infinity).
enum class TailModel { kLognormal, kExponential, kStretched, kTruncated };

/// "lognormal", "exponential", "stretched-exponential", "truncated-power-law".
std::string_view name_of(TailModel model);

/// How an alternative compares with the power law.
enum class TailComparison { kWorse, kBetter, kUndecided };

/// "worse", "better", "undecided".
std::string_view name_of(TailComparison comparison);

struct TailParameter {
  std::string_view name;
  double value = 0;
};

/// An alternative to the power law, fitted to the same tail.
struct TailAlternative {
  TailModel model = TailModel::kLognormal;
  std::vector<TailParameter> parameters = {};  ///< In the unit of x; empty at the limit.
  double log_likelihood = 0;
  double log_ratio = 0;  ///< Of the power law against it; > 0 favours the power law.
  /// log_ratio over its standard deviation (Vuong 1989); empty where the two are nested or equal.
  std::optional<double> normalised = {};
  /// Two-sided p of "both are equally close": Vuong's, or for the truncated power law that of the
  /// nested test, half chi-squared(1) and half 0. Empty where the two are equal.
  std::optional<double> p = {};
  /// No member of the family does better than the limit in which it becomes a power law: of
  /// discrete values one that is rounded to whole numbers, so that a small ratio may remain.
  bool at_limit = false;
  TailComparison comparison = TailComparison::kUndecided;  ///< By kTailSignificance.
};

/// What the tail is, in the order of decreasing support for a power law.
enum class TailVerdict {
  kSupported,     ///< Plausible, and every other shape fits worse.
  kPlausible,     ///< Plausible, and so are others.
  kWithCutOff,    ///< The power law alone is not the best: it is cut off.
  kOtherBetter,   ///< Plausible by itself, but another shape fits better.
  kImplausible,   ///< The goodness of fit refuses it.
  kUntested,      ///< No draws were made: only comparisons.
  kTooFewValues,  ///< Too few tail values to tell.
};

/// "supported", "plausible", "with-cut-off", "other-better", "not-plausible", "untested",
/// "too-few-values".
std::string_view name_of(TailVerdict verdict);

/// The power law in the tail of one sample: p(x) proportional to x^-alpha for x >= x_min.
struct Tail {
  std::size_t n = 0;          ///< Values of the sample.
  std::size_t distinct = 0;   ///< Different ones.
  std::size_t tail_n = 0;     ///< Values >= x_min.
  double x_min = 0;           ///< Where the tail begins, in the unit of the values.
  double x_max = 0;           ///< The greatest value.
  double alpha = 0;           ///< Exponent of the density, > 1, by maximum likelihood.
  double alpha_se = 0;        ///< Of alpha, x_min taken for known.
  double distance = 0;        ///< KS distance between tail and power law.
  double log_likelihood = 0;  ///< Of the power law in the tail.
  std::uint32_t usable = 0;   ///< Draws of the intervals that had a tail.
  std::optional<double> alpha_bootstrap_se = {};  ///< With the choice of x_min.
  std::optional<Interval> alpha_ci = {};          ///< Percentiles of the whole procedure.
  std::optional<Interval> x_min_ci = {};          ///< Likewise; empty where x_min was given.
  std::optional<Interval> tail_n_ci = {};         ///< Likewise.
  /// Share of samples from the power law (and from the body below x_min) that are as far from
  /// their own fit: large where the power law fits.
  std::optional<double> p = {};
  std::vector<TailAlternative> alternatives = {};  ///< In the order of TailModel.
  TailVerdict verdict = TailVerdict::kTooFewValues;
};

/// Power law in the tail of a sample after Clauset, Shalizi and Newman (2009).
///
/// x_min is the distinct value (but the greatest) whose tail is closest to its power law: the least
/// of D = max |F(x) - S(x)|, where S is the share of the tail's values below x. In continuous
/// samples D is taken at the distinct values, in discrete ones at all whole numbers; the smaller
/// x_min wins a draw. alpha maximises the likelihood of the tail: closed form, or with the Hurwitz
/// zeta function in discrete samples. Intervals resample the values and repeat the whole procedure,
/// the choice of x_min included; p draws from the fitted tail and the observed body.
///
/// @param values  Finite and > 0, in any order; whole numbers up to kMostWhole if discrete.
/// @param stream  Names the random numbers beside options.seed.
/// @throws FitError too-few-points if fewer than 2 values are in the tail, no-spread if all of them
/// are equal.
/// @throws std::invalid_argument if a value is not as said.
///
/// Source: Clauset, Shalizi and Newman, Power-law distributions in empirical data, SIAM Review 51
/// (2009) 661-703; Vuong, Econometrica 57 (1989) 307-333. Checked against R's poweRlaw 0.70.6 and
/// the paper's own samples.
Tail judge_tail(std::span<const double> values, const TailOptions& options,
                std::uint64_t stream = 0);

/// The complementary distribution of a sample and of what was fitted, for figures: P(X >= x).
struct TailCurve {
  std::vector<double> x;
  std::vector<double> share;  ///< Of all values of the sample.
};

/// The share of values >= x at the distinct values, thinned to `most` of them evenly over ln x.
TailCurve sample_curve(std::span<const double> values, std::size_t most);

/// The fitted power law from x_min to the greatest value, scaled by the tail's share.
TailCurve power_law_curve(const Tail& tail, bool discrete);

/// An alternative likewise. Empty at the limit.
TailCurve alternative_curve(const Tail& tail, const TailAlternative& alternative, bool discrete);

/// The tail of one group, or why there is none.
using GroupTail = Grouped<Tail>;

/// judge_tail for the first column of numbers of every group, in their order.
std::vector<GroupTail> judge_tails(const Observations& observations, const TailOptions& options);

}  // namespace scalelaw
