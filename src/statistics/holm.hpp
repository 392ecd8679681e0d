#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

/// Adjusts the p values of items (Holm 1979) for the number of those that exist, which it returns.
/// @param p  Names the p value of an item, which may be empty.
/// @param adjusted  Names where its adjusted value goes.
template <class Items, class P, class Adjusted>
std::size_t adjust_by_holm(Items& items, P p, Adjusted adjusted) {
  std::vector<double> values;
  for (auto& item : items) {
    if (const std::optional<double> value = std::invoke(p, item)) values.push_back(*value);
  }
  values = holm_adjusted(values);
  auto next = values.begin();
  for (auto& item : items) {
    if (std::invoke(p, item)) std::invoke(adjusted, item) = *next++;
  }
  return values.size();
}

}  // namespace scalelaw
