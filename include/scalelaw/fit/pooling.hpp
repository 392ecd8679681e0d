#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

/// What the groups of a study share. It is for laws that are linear in ln y, fitted by least
/// squares with classic standard errors.
enum class Pool {
  kNone,
  kScatter,  ///< One residual variance; every group keeps its own curve.
  kSlopes,   ///< Also a normal distribution of the exponents; every group keeps its own prefactor.
  kLaws,  ///< Of forecasts by a mixture: what groups tell about each other's laws (learn_priors).
};

/// "none", "scatter", "slopes", "laws".
std::string_view name_of(Pool pool);

/// Bartlett's test (1937) that groups have the same residual variance.
struct EqualScatter {
  double statistic;  ///< Chi-squared under equal variances; infinite if some fits are exact.
  double dof;        ///< Groups less one.
  double p;
};

/// The F test that all groups have the same exponent.
struct EqualSlopes {
  double f;
  double df1;
  double df2;
  double p;
};

/// A possible ratio tau^2 / sigma^2, and what follows if it is the true one.
struct SlopeSpread {
  double ratio;
  double probability;  ///< Given the data; they sum to 1.
  double beta;         ///< Mean exponent.
  double precision;    ///< sigma^2 over the variance of that mean.
  double variance;     ///< sigma^2, with PooledSlopes::dof.
};

/// The exponents of the groups as draws from a normal distribution.
struct PooledSlopes {
  Estimate beta;   ///< Its mean; interval of Hartung and Knapp, with groups - 1 degrees of freedom.
  double tau = 0;  ///< Its standard deviation by restricted maximum likelihood; may be 0.
  Interval tau_ci{0, 0};
  EqualSlopes equal_slopes{};
  SlopeSpread best{};  ///< At the ratio of restricted maximum likelihood, with probability 1.
  double dof = 0;      ///< Of the Student t distributions given a ratio.
  std::vector<SlopeSpread> spreads;  ///< By ratio.
};

/// What the groups of a study share, as pool_groups found it.
struct Pooling {
  Pool kind = Pool::kScatter;
  std::size_t groups = 0;  ///< Groups that tell of what is shared; at least one.
  double sigma = 0;        ///< Residual standard error over these groups.
  double dof = 0;          ///< Sum of their degrees of freedom, above 0.
  double least_sigma = 0;  ///< The range of their own residual standard errors.
  double greatest_sigma = 0;
  std::optional<EqualScatter> equal_scatter = {};  ///< Empty below two groups with scatter.
  std::optional<PooledSlopes> slopes = {};         ///< Of Pool::kSlopes.

  /// Whether the groups visibly scatter differently: p below 0.01.
  bool has_unequal_scatter() const;
};

/// What was pooled and whether the groups agree, in sentences for people.
std::string pooling_sentence(const Pooling& pooling);

/// What unequal scatter means for the fits, and what to do about it.
std::string unequal_scatter_sentence(const Pooling& pooling);

}  // namespace scalelaw
