#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// The choice that is most similar to `word` (edit distance with swaps, case ignored). Empty if
/// none is similar: over a third of the longer word differs.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> choices);

/// "a, b, c".
std::string joined(std::span<const std::string> words, std::string_view separator = ", ");

/// The pieces of `text` between separators, without blanks around them; empty text has no pieces.
std::vector<std::string> split(std::string_view text, char separator);

/// `text` as messages quote it: at most 40 bytes, in double quotes, with control characters and
/// broken UTF-8 as \xNN.
std::string quoted(std::string_view text);

/// Whether `text` is well-formed UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);

/// The order of groups and files: numbers by value and before words, words byte by byte.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace scalelaw
