#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace scalelaw {

/// What words stand for, and these with blanks between them.
using Spellings = std::pair<std::string_view, std::string_view>;
/// Words, each with what it stands for.
using SpelledWords = std::vector<std::pair<std::string_view, std::string_view>>;

inline SpelledWords spelled_words(std::span<const Spellings> table) {
  SpelledWords words;
  for (auto [meaning, rest] : table) {
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      words.emplace_back(rest.substr(0, end), meaning);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return words;
}

/// What a word stands for; empty if it is none of them.
inline std::string_view meaning_among(const SpelledWords& words, std::string_view word) {
  for (const auto& [spelled, meaning] : words) {
    if (spelled == word) return meaning;
  }
  return {};
}

}  // namespace scalelaw
