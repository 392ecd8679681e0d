#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "scalelaw/base/text.hpp"

namespace scalelaw {

/// What words stand for, and these with blanks between them.
using Spellings = std::pair<std::string_view, std::string_view>;
/// What each word stands for.
using SpelledWords = std::map<std::string, std::string_view, std::less<>>;

inline SpelledWords spelled_words(std::span<const Spellings> table) {
  SpelledWords words;
  for (const auto& [meaning, spellings] : table) {
    for (std::string& word : split(spellings, ' ')) words.emplace(std::move(word), meaning);
  }
  return words;
}

}  // namespace scalelaw
