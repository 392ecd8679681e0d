#pragma once

#include <span>
#include <string>
#include <string_view>

namespace scalelaw {

/// Appends a field by RFC 4180. It is quoted if it holds the separator, a quote or a line end, or
/// if it would read as a comment at the start of a line.
void append_delimited(std::string& out, std::string_view field, char separator);

/// Appends fields with separators between them, then a line feed.
void append_delimited_row(std::string& out, std::span<const std::string> fields, char separator);

}  // namespace scalelaw
