#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace scalelaw {

/// Where the members of a text of nested objects and lists stand.
struct Member {
  int depth;  ///< 1 in the outermost object.
  std::string_view
      list;  ///< The key of the outermost object's member that this is inside; or none.
  std::string_view key;
  std::string_view value;  ///< Without quotes; escapes are as they stand.
  std::size_t object;      ///< Where its object or list begins.
};

/// Calls take(Member) for each member of an object whose value is a number, a word or a text, in
/// objects as JSON and Python write them. `text` begins with the opening brace. What is malformed
/// inside is passed over; a reader asks only for the keys that it knows.
///
/// @returns The length of the object; npos if it does not end, or nests more than 64 levels.
template <class Take>
std::size_t for_each_member(std::string_view text, Take take) {
  constexpr int kDeepest = 64;
  constexpr std::string_view kBetween = " \t\r\n";
  int depth = 0;
  std::array<std::size_t, kDeepest + 1> begins{};  // Of the objects and lists at each depth.
  std::string_view outer;
  std::string_view key;
  bool has_key = false;
  const auto take_value = [&](std::string_view value) {
    if (has_key && depth > 0)
      take(Member{depth, depth > 1 ? outer : std::string_view(), key, value,
                  begins[static_cast<std::size_t>(depth)]});
    has_key = false;
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '{' || c == '[') {
      if (depth == 1 && has_key) outer = key;
      has_key = false;
      if (++depth > kDeepest) return std::string_view::npos;
      begins[static_cast<std::size_t>(depth)] = at++;
    } else if (c == '}' || c == ']') {
      has_key = false;
      ++at;
      if (--depth == 0) return at;
    } else if (c == '"' || c == '\'') {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      if (end >= text.size()) return std::string_view::npos;
      const std::string_view word = text.substr(at + 1, end - at - 1);
      at = end + 1;
      const std::size_t next = text.find_first_not_of(kBetween, at);
      if (!has_key && next != std::string_view::npos && text[next] == ':') {
        key = word;
        has_key = true;
        at = next + 1;
      } else {
        take_value(word);
      }
    } else if (c == ',' || kBetween.find(c) != std::string_view::npos) {
      ++at;
    } else {
      const std::size_t end = std::min(text.find_first_of(",]} \t\r\n", at), text.size());
      take_value(text.substr(at, end - at));
      at = std::max(end, at + 1);
    }
  }
  return std::string_view::npos;
}

}  // namespace scalelaw
