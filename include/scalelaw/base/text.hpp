#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// The choice that is most similar to `word` (edit distance with swaps, case ignored). Empty if
/// none is similar: over a third of the longer word differs.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> choices);

/// The text of each item, `text_of(item)`, with separators between them.
template <class Items, class TextOf>
std::string joined_texts(const Items& items, std::string_view separator, TextOf text_of) {
  std::string out;
  for (const auto& item : items) {
    if (&item != &*std::begin(items)) out += separator;
    out += text_of(item);
  }
  return out;
}

/// Whether an item is equal to `value`, or what `projection` makes of one.
template <class Items, class Value, class Projection = std::identity>
bool contains(const Items& items, const Value& value, Projection projection = {}) {
  for (const auto& item : items) {
    if (std::invoke(projection, item) == value) return true;
  }
  return false;
}

/// "a, b, c".
std::string joined(std::span<const std::string> words, std::string_view separator = ", ");

/// "a, b and c".
std::string joined_with_and(std::span<const std::string> words);

/// "1 file", "2 files".
std::string counted(std::size_t count, std::string_view noun);

/// "1 of 3 groups has", "2 of 3 groups have", "1 of 1 group has": the verb agrees with `part`.
/// @param one  The verb of one; of several it is `several`.
std::string part_of(std::size_t part, std::size_t all, std::string_view noun, std::string_view one,
                    std::string_view several);

/// The pieces of `text` between separators, without blanks around them; empty text has no pieces.
std::vector<std::string> split(std::string_view text, char separator);

/// `word` as a POSIX shell takes it: in single quotes where it has other characters than letters,
/// digits and a few that mean nothing to a shell.
std::string shell_word(std::string_view word);

/// `text` as messages quote it: up to 40 bytes in double quotes, controls and broken UTF-8 as \xNN.
std::string quoted(std::string_view text);
inline std::string quoted(const char* text) { return quoted(std::string_view(text)); }
/// Without it a text would be taken by std::quoted.
inline std::string quoted(const std::string& text) { return quoted(std::string_view(text)); }

/// Whether a list shows `text` as it stands: it is short, has no comma, double quote or unprintable
/// letter, no single quote in front and no blank at an end, so it reads as one value and as that
/// value.
bool is_plain_in_list(std::string_view text);

/// `text` with the letters A to Z in lower case; other bytes stay as they are.
std::string lower_case(std::string_view text);

/// Whether `text` is well-formed UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);

/// The number that a text is ordered by: 1.6e8 for "160M"; empty for words.
std::optional<double> number_in_order(std::string_view text);

/// The order of groups and files: numbers by value ("160M" as 1.6e8) and before words, words byte
/// by byte.
bool natural_less(std::string_view a, std::string_view b);

/// The order of groups by their values: that of the first ones that differ.
struct GroupLess {
  bool operator()(std::span<const std::string> a, std::span<const std::string> b) const;
};

/// Appends a field by RFC 4180. It is quoted if it holds the separator, a quote or a line end, or
/// if it would read as a comment at the start of a line.
void append_delimited(std::string& out, std::string_view field, char separator);

/// Appends fields with separators between them, then a line feed.
void append_delimited_row(std::string& out, std::span<const std::string> fields, char separator);

/// The columns that `text` takes in a terminal: code points, wide East Asian and emoji ones twice,
/// combining marks not at all. An approximation, as terminals differ. A byte that is no UTF-8
/// counts as one.
std::size_t display_width(std::string_view text);

/// `text` with everything that could move a cursor or break a line made visible (newline as \n,
/// escape as \x1b), and bytes that are no UTF-8 as the replacement character: a group name must not
/// command a terminal.
std::string printable(std::string_view text);

/// Appends `text` as a JSON string in quotes; the replacement character stands for broken UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace scalelaw
