#include "scalelaw/fit/pooling.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/figures.hpp"
#include "fit/pooled_slopes.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

std::string p_text(double p) { return p < 1e-4 ? "p < 0.0001" : fmt::format("p = {:.2g}", p); }

std::string scatter_sentence(const Pooling& pooling) {
  std::string text =
      fmt::format("All groups share one sigma of {:.3g}, with {:.6g} degrees of freedom from {}.",
                  pooling.sigma, pooling.dof, counted(pooling.groups, "group"));
  if (!pooling.equal_scatter) return text;
  return text + fmt::format(" Bartlett's test {} that ({}).",
                            pooling.has_unequal_scatter() ? "contradicts" : "does not contradict",
                            p_text(pooling.equal_scatter->p));
}

std::string slopes_sentence(const PooledSlopes& slopes, std::size_t groups) {
  const auto ends = [](const Interval& ci) {
    return fmt::format("{:.3g} .. {:.3g}", ci.lower, ci.upper);
  };
  const EqualSlopes& test = slopes.equal_slopes;
  return fmt::format(
      " The exponents of {} groups have the mean {:.3g} ({}) and the standard deviation {:.3g} "
      "({}); "
      "each beta is drawn towards that mean as far as its own points leave it open. Equal "
      "exponents are {} (F = {:.3g}, {}).",
      groups, slopes.beta.estimate, slopes.beta.ci ? ends(*slopes.beta.ci) : "-", slopes.tau,
      ends(slopes.tau_ci), test.p < kSmallP ? "rejected" : "not rejected", test.f, p_text(test.p));
}

std::optional<EqualScatter> equal_scatter(std::span<const SampleVariance> variances, double sigma) {
  if (variances.size() < 2 || !(sigma > 0)) return std::nullopt;
  const double statistic = bartlett_statistic(variances);
  const double dof = static_cast<double>(variances.size()) - 1;
  return EqualScatter{statistic, dof, std::isfinite(statistic) ? chi_squared_p(statistic, dof) : 0};
}

}  // namespace

std::string_view name_of(Pool pool) {
  return word_for(pool, {{Pool::kNone, "none"},
                         {Pool::kScatter, "scatter"},
                         {Pool::kSlopes, "slopes"},
                         {Pool::kLaws, "laws"}});
}

bool Pooling::has_unequal_scatter() const { return equal_scatter && equal_scatter->p < kSmallP; }

std::string pooling_sentence(const Pooling& pooling) {
  std::string text = scatter_sentence(pooling);
  if (pooling.slopes) text += slopes_sentence(*pooling.slopes, pooling.groups);
  return text;
}

std::string unequal_scatter_sentence(const Pooling& pooling) {
  return fmt::format(
      "The groups scatter differently, with sigmas of their own from {:.3g} to {:.3g} (Bartlett's "
      "test, {}). One sigma for all makes intervals too narrow where groups scatter more, and too "
      "wide where they scatter less. Fit without --pool, or choose groups that are alike with "
      "--where.",
      pooling.least_sigma, pooling.greatest_sigma,
      p_text(pooling.equal_scatter ? pooling.equal_scatter->p : 1));
}

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
