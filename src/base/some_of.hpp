#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include <fmt/format.h>

#include "scalelaw/base/text.hpp"

namespace scalelaw {

/// "a, b, c and 2 more": at most so many words.
inline std::string some_of(std::span<const std::string> words, std::size_t most = 5) {
  const std::size_t shown = std::min(words.size(), most);
  const std::string first = joined(words.first(shown));
  return shown == words.size() ? first : fmt::format("{} and {} more", first, words.size() - shown);
}

}  // namespace scalelaw
