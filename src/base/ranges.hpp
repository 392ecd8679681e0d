#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "scalelaw/base/text.hpp"

namespace scalelaw {

// Algorithms of <algorithm> over all items of a range; contains() is in base/text.hpp.

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

/// The first item that passes a test; null if none does.
template <class Items, class Test>
auto first_where(Items&& items, Test test) {
  const auto found = std::find_if(std::begin(items), std::end(items), test);
  return found == std::end(items) ? nullptr : &*found;
}

}  // namespace scalelaw
