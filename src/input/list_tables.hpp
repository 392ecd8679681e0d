#pragma once

#include <string>
#include <string_view>

namespace scalelaw {

/// The text with each list-table and csv-table of reStructuredText as a table of bars. A row stands
/// in the line in which it begins, with rules in the others, and all other lines stay.
/// Source: docutils, reStructuredText directives, "Tables".
std::string bars_of_directives(std::string_view text);

}  // namespace scalelaw
