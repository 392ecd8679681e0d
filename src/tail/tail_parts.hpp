#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "scalelaw/base/random.hpp"
#include "scalelaw/tail/tail.hpp"

namespace scalelaw {

/// The distinct values of a sample in rising order, with the sums that a tail needs.
struct TailSample {
  std::vector<double> values;        ///< Each distinct value.
  std::vector<double> logs;          ///< ln of each distinct value.
  std::vector<std::uint32_t> below;  ///< How many values are less than each; last, all of them.
  std::vector<double> log_sums;      ///< Sum of ln x over the values from each on; last, 0.

  std::size_t distinct() const { return logs.size(); }
  std::uint32_t size() const { return below.back(); }
  std::uint32_t count(std::size_t i) const { return below[i + 1] - below[i]; }
  std::uint32_t from(std::size_t i) const { return size() - below[i]; }  ///< Values from i on.
};

/// Builds samples from distinct values in rising order, in the memory of an earlier sample.
class TailSampleBuilder {
 public:
  explicit TailSampleBuilder(TailSample& sample) : sample_(sample) {
    sample_.values.clear();
    sample_.logs.clear();
    sample_.below.assign(1, 0);
  }
  void add(double value, double log, std::uint32_t count) {
    sample_.values.push_back(value);
    sample_.logs.push_back(log);
    sample_.below.push_back(sample_.below.back() + count);
  }
  /// Computes the sums; call it once, after the last value.
  void finish() {
    const std::size_t distinct = sample_.distinct();
    sample_.log_sums.resize(distinct + 1);
    double sum = sample_.log_sums[distinct] = 0;
    for (std::size_t i = distinct; i-- > 0;) {
      sum += sample_.count(i) * sample_.logs[i];
      sample_.log_sums[i] = sum;
    }
  }

 private:
  TailSample& sample_;
};

/// A sample of the values, all > 0 and finite, in any order.
TailSample tail_sample(std::span<const double> values);

// Where a tail begins (search.cpp).

/// A tail of a sample, and its power law.
struct TailFit {
  std::size_t first = 0;  ///< The first distinct value of the tail.
  double log_x_min = 0;
  double alpha = 0;
  double distance = 0;  ///< KS distance between the tail and its power law.
};

/// The maximum-likelihood power law of the values >= x_min. Empty unless two of them differ.
std::optional<TailFit> fit_tail(const TailSample& sample, bool discrete, double log_x_min);

/// The tail that is closest to its power law, among those that begin at a distinct value and hold
/// another one; the earliest of equals. Empty if all values are equal.
///
/// The result is exact although few candidates are examined in full. The search begins with a
/// coarse grid of candidates, and drops a candidate at the first place that is farther than the
/// best so far. Two rising distribution functions bound their distance between two places. In all
/// this takes about n logarithms and a few n exponentials.
std::optional<TailFit> closest_tail(const TailSample& sample, bool discrete);

/// Standard error of alpha by the curvature of the likelihood, with x_min taken as known.
double alpha_standard_error(double alpha, std::size_t tail_n, bool discrete, double x_min);

/// ln of a power law's density (or probability) at x_min; at x it is alpha ln(x / x_min) less.
double power_law_log_scale(double alpha, bool discrete, double x_min);

/// ln P(X >= x) of a power law.
double power_law_log_share(double alpha, bool discrete, double x_min, double x);

// Samples for bootstraps (draws.cpp).

/// Random samples of the same size as an observed one. Values come in order, so nothing is sorted.
class TailDraws {
 public:
  /// `sample` must outlive the draws.
  TailDraws(const TailSample& sample, bool discrete);

  /// Draws values of the sample with replacement, which assumes no shape.
  void resample(RandomStream& random, TailSample& out) const;

 protected:
  void add_counted(const std::vector<std::uint32_t>& counts, TailSampleBuilder& builder) const;

  const TailSample& sample_;
  bool discrete_;
  std::vector<std::uint32_t> index_of_;  ///< Place of the distinct value, by rank.
};

/// Samples under the hypothesis. A value belongs to the body with the observed share, and is then a
/// random one of the values below x_min. Otherwise it follows the power law.
class NullDraws : TailDraws {
 public:
  NullDraws(const TailSample& sample, bool discrete, double log_x_min, double alpha);

  void draw(RandomStream& random, TailSample& out) const;

 private:
  void add_continuous_tail(std::uint32_t count, RandomStream& random,
                           TailSampleBuilder& builder) const;
  void add_discrete_tail(std::uint32_t count, RandomStream& random,
                         TailSampleBuilder& builder) const;
  double discrete_value(double share, double at_least) const;
  double share_from(double value) const;

  double log_x_min_;
  double alpha_;
  std::uint32_t body_;               ///< How many observed values are below x_min.
  double x_min_ = 0;                 ///< Set for discrete samples only, like the next two.
  double all_ = 0;                   ///< Scaled zeta at x_min.
  std::vector<double> share_above_;  ///< P(X > x_min + i).
};

// Other shapes of a tail (alternatives.cpp).

/// The tail values of a sample, and the power law that fits them.
struct TailValues {
  bool discrete = false;
  double x_min = 0;
  double alpha = 0;
  double n = 0;
  std::vector<double> x;      ///< Distinct values.
  std::vector<double> z;      ///< ln(x / x_min).
  std::vector<double> count;  ///< Count of each.
  double mean_z = 0;
  double mean_square_z = 0;
  double mean_excess = 0;  ///< Mean of x / x_min - 1.
};

TailValues tail_values(const TailSample& sample, const TailFit& fit, double x_min, bool discrete);

/// All alternatives, fitted to the tail and compared with its power law. The log-normal and the
/// stretched exponential become a power law in the limit; `at_limit` is set if no member of the
/// family does better.
std::vector<TailAlternative> compare_alternatives(const TailValues& tail);

/// ln of the share at x and above, among x >= x_min, by a fitted alternative.
double log_share_from(const TailAlternative& alternative, double x_min, bool discrete, double x);

// A minimum over two numbers (minimise.cpp).

using Point2 = std::array<double, 2>;

/// The least value of a function of two variables, and its place.
struct Minimum2 {
  Point2 at{};
  double value = 0;
};

/// The least value that the simplex of Nelder and Mead finds from `start` with sides `step`. A
/// simplex may collapse early, so it starts again from its end until that gains nothing. The
/// function may be infinite, but not NaN.
///
/// Source: Nelder and Mead, Computer Journal 7 (1965) 308-313.
Minimum2 minimise(const std::function<double(const Point2&)>& function, const Point2& start,
                  const Point2& step);

// The truncated power law (cut_off.cpp).

/// ln of the sum or integral of r^-alpha exp(-z (r - 1)) over the tail, r = x / x_min, in the unit
/// of x.
double log_cut_off(const TailValues& tail, double alpha, double z);

/// The most likely truncated power law: its alpha and ln z, and minus the mean of its ln density.
/// Empty if no cut-off does better than none.
std::optional<Minimum2> best_cut_off(const TailValues& tail);

}  // namespace scalelaw
