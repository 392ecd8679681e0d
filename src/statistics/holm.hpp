#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

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

}  // namespace scalelaw
