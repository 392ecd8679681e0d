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

}  // namespace scalelaw
