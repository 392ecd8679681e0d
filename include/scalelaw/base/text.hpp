#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// The choice that differs least from `word` (edit distance with swaps, case ignored), or nothing
/// if none is near: more than a third of the longer word differs.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> choices);

/// "a, b, c".
std::string joined(std::span<const std::string> words, std::string_view separator = ", ");

/// The pieces of `text` between separators, blanks around each removed; empty text has no pieces.
std::vector<std::string> split(std::string_view text, char separator);

/// `text` as messages quote it: in double quotes, control characters and broken UTF-8 as \xNN, at
/// most 40 bytes.
std::string quoted(std::string_view text);

/// Whether `text` is well-formed UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);

/// Order of groups and files: numbers as numbers and before words, words byte by byte.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace scalelaw
