#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "scalelaw/fit/law.hpp"

namespace scalelaw {

/// What one thread remembers from one group to the next, apart for each law: ranking fits several
/// laws in turn. Of more laws than it has room for the first is forgotten.
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
