#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalelaw {

/// The columns that `text` takes in a terminal: code points, wide East Asian and emoji ones twice,
/// combining marks not at all. An approximation, as terminals differ. A byte that is no UTF-8
/// counts as one.
std::size_t display_width(std::string_view text);

/// `text` with everything that could move a cursor or break a line made visible (newline as \n,
/// escape as \x1b), and bytes that are no UTF-8 as the replacement character: a group name must not
/// command a terminal.
std::string printable(std::string_view text);

/// Appends `text` as a JSON string with its quotes. Bytes that are no UTF-8 become the replacement
/// character.
void append_json_string(std::string& out, std::string_view text);

}  // namespace scalelaw
