#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "scalelaw/fit/law.hpp"

namespace scalelaw {

/// What one thread remembers from group to group, separately for each law, because ranking fits
/// several laws in turn. If there are too many laws, the first one is forgotten.
template <class T>
class PerLaw {
 public:
  T& operator[](const Law& law) {
    for (auto& [owner, value] : entries_) {
      if (owner == law.id()) return value;
    }
    auto& entry = entries_[next_++ % entries_.size()];
    entry.first = law.id();
    return entry.second;
  }

 private:
  static constexpr std::size_t kLaws = 12;
  std::array<std::pair<std::uint64_t, T>, kLaws> entries_{};  ///< By the id of the law.
  std::size_t next_ = 0;
};

}  // namespace scalelaw
