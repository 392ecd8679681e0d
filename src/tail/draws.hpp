#pragma once

#include <cstdint>
#include <vector>

#include "scalelaw/base/random.hpp"
#include "tail/sample.hpp"

namespace scalelaw {

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

}  // namespace scalelaw
