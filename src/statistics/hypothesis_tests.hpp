#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {

/// Adjusts the p values that exist (Holm 1979) and returns how many there are.
/// @param p  Names the p value of an item, which may be empty.
/// @param adjusted  Names where its adjusted value goes.
template <class Items, class P, class Adjusted>
std::size_t adjust_by_holm(Items& items, P p, Adjusted adjusted) {
  using Item = std::remove_reference_t<decltype(*items.begin())>;
  std::vector<std::pair<double, Item*>> tested;
  tested.reserve(items.size());
  for (auto& item : items) {
    if (const std::optional<double> value = std::invoke(p, item))
      tested.emplace_back(*value, &item);
  }
  std::ranges::stable_sort(tested, {}, &std::pair<double, Item*>::first);
  double largest = 0;
  std::size_t remaining = tested.size();
  for (const auto& [value, item] : tested) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(remaining--) * value));
    std::invoke(adjusted, *item) = largest;
  }
  return tested.size();
}

/// An estimated variance and its degrees of freedom.
struct SampleVariance {
  double variance;
  double dof;  ///< > 0.
};

/// Bartlett's statistic of equal variances (1937), with his correction for few degrees of freedom:
/// chi-squared with one less degree of freedom than there are samples. Infinite if only some
/// variances are 0.
/// @param samples  Two or more, not all with variance 0.
inline double bartlett_statistic(std::span<const SampleVariance> samples) {
  double squares = 0;
  double dof = 0;
  for (const SampleVariance& sample : samples) {
    squares += sample.variance * sample.dof;
    dof += sample.dof;
  }
  double statistic = dof * std::log(squares / dof);
  double inverse = -1 / dof;
  for (const SampleVariance& sample : samples) {
    if (!(sample.variance > 0)) return std::numeric_limits<double>::infinity();
    statistic -= sample.dof * std::log(sample.variance);
    inverse += 1 / sample.dof;
  }
  const double df = static_cast<double>(samples.size()) - 1;
  return std::max(0.0, statistic / (1 + inverse / (3 * df)));
}

/// p of the F test whether means of repeated runs lie further from a law than the runs scatter
/// (Draper and Smith, sec. 2.1); empty where no run was repeated, or there is nothing beside.
/// @param rss     Sum of squares about the law, with `dof` degrees of freedom.
/// @param within  That of runs about the mean at their x, with `within_dof` of them.
inline std::optional<double> lack_of_fit_p(double rss, double dof, double within,
                                           double within_dof) {
  const double lack_dof = dof - within_dof;
  if (!(within_dof > 0 && within > 0 && lack_dof > 0)) return std::nullopt;
  const double f = std::max(0.0, rss - within) / lack_dof / (within / within_dof);
  return f_p(f, lack_dof, within_dof);
}

}  // namespace scalelaw
