#pragma once

#include <string>
#include <string_view>

namespace scalelaw {

/// Whether a text has a table of HTML: "<table ...>" with rows.
bool has_html_table(std::string_view text);

/// The text with each table of HTML as one of Markdown, which keeps the marks inside its cells. A
/// cell over several columns leaves those behind it empty, and one over several rows of the body
/// stands in each of them. Of a page, a text that begins with a tag, only tables and their captions
/// are left.
std::string markdown_of_html(std::string_view text);

/// The text with each list-table and csv-table of reStructuredText as a table of bars. A row stands
/// in the line in which it begins, with rules in the others, and all other lines stay.
/// Source: docutils, reStructuredText directives, "Tables".
std::string bars_of_directives(std::string_view text);

}  // namespace scalelaw
