#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace scalelaw {

// Algorithms of <algorithm> over all items of a range.

template <class Items, class Test>
bool any_of(const Items& items, Test test) {
  return std::any_of(std::begin(items), std::end(items), test);
}

template <class Items, class Test>
bool all_of(const Items& items, Test test) {
  return std::all_of(std::begin(items), std::end(items), test);
}

template <class Items, class Test>
std::size_t count_if(const Items& items, Test test) {
  return static_cast<std::size_t>(std::count_if(std::begin(items), std::end(items), test));
}

template <class Items, class Value>
bool contains(const Items& items, const Value& value) {
  return std::find(std::begin(items), std::end(items), value) != std::end(items);
}

/// The first item that passes a test; null if none does.
template <class Items, class Test>
auto first_where(Items&& items, Test test) {
  const auto found = std::find_if(std::begin(items), std::end(items), test);
  return found == std::end(items) ? nullptr : &*found;
}

}  // namespace scalelaw
