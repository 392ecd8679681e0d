#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace scalelaw {

/// The word for `value` in a table of words, or "unknown" where the table lacks it:
/// `word_for(robust, {{Robust::kNone, "none"}, {Robust::kHuber, "huber"}})`.
template <class Enum>
constexpr std::string_view word_for(
    Enum value,
    std::initializer_list<std::pair<std::type_identity_t<Enum>, std::string_view>> words) {
  for (const auto& [candidate, word] : words) {
    if (candidate == value) return word;
  }
  return "unknown";
}

/// All enumerators, in their order, of an enumeration that counts from 0 and whose `name_of` is a
/// table of `word_for`.
/// @throws std::logic_error if `name_of` is no such table: it has a word for every number.
template <class Enum>
std::vector<Enum> all_enumerators() {
  constexpr int kMost = 64;
  std::vector<Enum> all;
  for (int i = 0; i <= kMost; ++i) {
    if (name_of(static_cast<Enum>(i)) != "unknown") all.push_back(static_cast<Enum>(i));
  }
  if (all.size() > kMost) throw std::logic_error("name_of knows no unknown value");
  return all;
}

}  // namespace scalelaw
