#pragma once

#include <span>
#include <string>
#include <string_view>

namespace scalelaw {

/// Appends a field by RFC 4180: in quotes if it holds the separator, a quote or a line end, or if
/// at the start of a line it would read as a comment.
void append_delimited(std::string& out, std::string_view field, char separator);

/// Appends fields with separators between them, and a line feed.
void append_delimited_row(std::string& out, std::span<const std::string> fields, char separator);

}  // namespace scalelaw
