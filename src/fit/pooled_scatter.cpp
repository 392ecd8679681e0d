#include "fit/pooled_scatter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

std::optional<EqualScatter> equal_scatter(std::span<const SampleVariance> variances, double sigma) {
  if (variances.size() < 2 || !(sigma > 0)) return std::nullopt;
  const double statistic = bartlett_statistic(variances);
  const double dof = static_cast<double>(variances.size()) - 1;
  return EqualScatter{statistic, dof, std::isfinite(statistic) ? chi_squared_p(statistic, dof) : 0};
}

}  // namespace

Pooling pooled_scatter(std::span<const SampleVariance> variances) {
  Pooling pooling{.groups = variances.size()};
  double squares = 0;
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (const auto& [variance, dof] : variances) {
    squares += variance * dof;
    pooling.dof += dof;
    least = std::min(least, variance);
    greatest = std::max(greatest, variance);
  }
  pooling.sigma = std::sqrt(squares / pooling.dof);
  pooling.least_sigma = std::sqrt(least);
  pooling.greatest_sigma = std::sqrt(greatest);
  pooling.equal_scatter = equal_scatter(variances, pooling.sigma);
  return pooling;
}

}  // namespace scalelaw
