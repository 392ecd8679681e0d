#include "scalelaw/base/delimited.hpp"

#include <algorithm>

namespace scalelaw {

void append_delimited(std::string& out, std::string_view field, char separator) {
  const bool at_line_start = out.empty() || out.back() == '\n';
  const bool is_comment = at_line_start && !field.empty() && field.front() == '#';
  const auto is_special = [separator](char c) {
    return c == separator || c == '"' || c == '\r' || c == '\n';
  };
  if (!is_comment && std::none_of(field.begin(), field.end(), is_special)) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_delimited_row(std::string& out, std::span<const std::string> fields, char separator) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += separator;
    append_delimited(out, fields[i], separator);
  }
  out += '\n';
}

}  // namespace scalelaw
