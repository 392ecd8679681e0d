#pragma once

#include <string>
#include <string_view>

namespace scalelaw {

/// Appends a field by RFC 4180: in quotes if it holds the separator, a quote or a line end, or if
/// at the start of a line it would read as a comment.
void append_delimited(std::string& out, std::string_view field, char separator);

}  // namespace scalelaw
