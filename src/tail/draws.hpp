#pragma once

#include <cstdint>
#include <vector>

#include "scalelaw/base/random.hpp"
#include "tail/sample.hpp"

namespace scalelaw {

/// Random samples of the size of one that was observed. Their values come in order, so that
/// nothing is sorted.
class TailDraws {
 public:
  /// `sample` must outlive the draws.
  TailDraws(const TailSample& sample, bool discrete);

  /// Values of the sample with replacement: what another sample might be, whatever its shape.
  void resample(RandomStream& random, TailSample& out) const;

 protected:
  void add_counted(const std::vector<std::uint32_t>& counts, TailSampleBuilder& builder) const;

  const TailSample& sample_;
  bool discrete_;
  std::vector<std::uint32_t> index_of_;  ///< Of the distinct value, by rank.
};

/// Samples under the hypothesis: each value is, with the observed share, of the body (one of the
/// values below x_min, at random) or else of the power law.
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
  std::uint32_t body_;               ///< Observed values below x_min.
  double x_min_ = 0;                 ///< If discrete,
  double all_ = 0;                   ///< its scaled zeta,
  std::vector<double> share_above_;  ///< and P(X > x_min + i).
};

}  // namespace scalelaw
