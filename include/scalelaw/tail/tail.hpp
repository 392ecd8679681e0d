#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/observations.hpp"

namespace scalelaw {

/// How to look for a heavy tail in a sample.
struct TailOptions {
  bool discrete = false;             ///< Values are whole numbers (counts); else any numbers > 0.
  std::optional<double> x_min = {};  ///< Where the tail begins; if empty, by the KS distance.
  /// Draws of each bootstrap, for intervals and for the goodness of fit; 0 leaves both out.
  std::uint32_t draws = 1000;
  std::uint64_t seed = 1;
  double confidence = 0.95;
  int threads = 0;  ///< 0: all processors. The result does not depend on it.
};

/// A p below this decides a goodness of fit or a comparison (Clauset, Shalizi and Newman 2009).
inline constexpr double kTailSignificance = 0.1;
/// With fewer tail values there is no verdict; with fewer than twice as many, a warning.
inline constexpr std::size_t kFewTailValues = 50;

/// Other shapes of the tail. Each is fitted to the values >= x_min by maximum likelihood, as a
/// distribution on [x_min, infinity).
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
  std::vector<TailParameter> parameters = {};  ///< In the unit of x; empty if at_limit.
  double log_likelihood = 0;
  double log_ratio = 0;  ///< ln likelihood ratio; > 0 favours the power law.
  /// log_ratio over its standard deviation (Vuong 1989). Empty if the two are nested or equal.
  std::optional<double> normalised = {};
  /// Two-sided p of "both are equally close", by Vuong's test. For the truncated power law the test
  /// is nested: half chi-squared(1), half 0. Empty if the two are equal.
  std::optional<double> p = {};
  /// No member of the family does better than its limit, which is a power law. For discrete values
  /// that limit is rounded to whole numbers, so a small ratio may remain.
  bool at_limit = false;
  TailComparison comparison = TailComparison::kUndecided;  ///< By kTailSignificance.
};

/// What the tail is, by decreasing support for a power law.
enum class TailVerdict {
  kSupported,     ///< A power law is plausible, and every other shape fits worse.
  kPlausible,     ///< A power law is plausible, and so are other shapes.
  kWithCutOff,    ///< A power law with a cut-off fits better than one without.
  kOtherBetter,   ///< A power law is plausible by itself, but another shape fits better.
  kImplausible,   ///< The goodness of fit rejects a power law.
  kUntested,      ///< No draws were made, so there are comparisons only.
  kTooFewValues,  ///< There are too few tail values for a verdict.
};

/// "supported", "plausible", "with-cut-off", "other-better", "not-plausible", "untested",
/// "too-few-values".
std::string_view name_of(TailVerdict verdict);

/// The power law in the tail of one sample: p(x) proportional to x^-alpha for x >= x_min.
struct Tail {
  std::size_t n = 0;          ///< Values of the sample.
  std::size_t distinct = 0;   ///< Different values.
  std::size_t tail_n = 0;     ///< Values >= x_min.
  double x_min = 0;           ///< Where the tail begins, in the unit of the values.
  double x_max = 0;           ///< The greatest value.
  double alpha = 0;           ///< Exponent of the density, > 1, by maximum likelihood.
  double alpha_se = 0;        ///< Standard error of alpha, with x_min taken as known.
  double distance = 0;        ///< KS distance between tail and power law.
  double log_likelihood = 0;  ///< Log likelihood of the power law in the tail.
  std::uint32_t usable = 0;   ///< Draws of the intervals that have a tail.
  std::optional<double> alpha_bootstrap_se = {};  ///< Standard error with the choice of x_min.
  std::optional<Interval> alpha_ci = {};          ///< Percentiles of the whole procedure.
  std::optional<Interval> x_min_ci = {};          ///< Likewise; empty where x_min was given.
  std::optional<Interval> tail_n_ci = {};         ///< Likewise.
  /// How many samples lie as far from their own fit as this one, this one included: (1 + such
  /// draws) / (1 + draws). Draws come from the power law and from the body below x_min. Large where
  /// the power law fits.
  std::optional<double> p = {};
  std::vector<TailAlternative> alternatives = {};  ///< In the order of TailModel.
  TailVerdict verdict = TailVerdict::kTooFewValues;
};

/// Whether the tail has values enough for a verdict, but too few to tell shapes apart well.
inline bool tells_little(const Tail& tail) {
  return tail.tail_n >= kFewTailValues && tail.tail_n < 2 * kFewTailValues;
}

/// Fits a power law to the tail of a sample after Clauset, Shalizi and Newman (2009).
///
/// x_min is the distinct value, other than the greatest, whose tail is closest to its power law. It
/// minimises D = max |F(x) - S(x)|, where S is the share of the tail's values below x; among equals
/// the smaller x_min wins. D covers the distinct values of continuous samples and all whole numbers
/// for discrete ones. alpha maximises the likelihood of the tail, by a closed form or with the
/// Hurwitz zeta function. Intervals resample the values and repeat the whole procedure, including
/// the choice of x_min. p draws from the fitted tail and the observed body, and counts the sample
/// itself, too (Davison and Hinkley 1997, sec. 4.2.5).
///
/// @param values  Finite and > 0, in any order; whole numbers up to kMostWhole if discrete.
/// @param stream  Names the random numbers beside options.seed.
/// @throws FitError too-few-points if fewer than 2 values are in the tail, no-spread if all of them
/// are equal.
/// @throws std::invalid_argument if a value breaks these conditions.
///
/// Source: Clauset, Shalizi and Newman, Power-law distributions in empirical data, SIAM Review 51
/// (2009) 661-703; Vuong, Econometrica 57 (1989) 307-333. Checked against R's poweRlaw 0.70.6 and
/// the paper's own samples.
Tail judge_tail(std::span<const double> values, const TailOptions& options,
                std::uint64_t stream = 0);

/// The complementary distribution P(X >= x) of a sample or of a fitted shape, for figures.
struct TailCurve {
  std::vector<double> x;
  std::vector<double> share;  ///< Share of all values in the sample.
};

/// The share of values >= x at the distinct values; of these, at most `most`, even over ln x.
TailCurve sample_curve(std::span<const double> values, std::size_t most);

/// The fitted power law from x_min to the greatest value, scaled by the tail's share.
TailCurve power_law_curve(const Tail& tail, bool discrete);

/// The same for an alternative. Empty if it is at its limit.
TailCurve alternative_curve(const Tail& tail, const TailAlternative& alternative, bool discrete);

/// The tail of one group, or why there is none.
using GroupTail = Grouped<Tail>;

/// judge_tail for the first column of numbers. Hands every group to `sink`, in order and one call
/// at a time.
void judge_tails(const Observations& observations, const TailOptions& options,
                 const std::function<void(GroupTail&&)>& sink);

}  // namespace scalelaw
