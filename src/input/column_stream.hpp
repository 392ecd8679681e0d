#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// A table of text that is made from columns, of which some can be left out.
class ColumnStream : public ByteStream {
 public:
  /// From here on, cells of columns other than these are empty. Rows that were made already may
  /// still have them.
  virtual void keep_columns(std::vector<std::size_t> columns) = 0;
};

/// Appends a cell of a CSV file, in quotes where it could be read as anything else.
inline void append_csv_text(std::string_view text, std::string& out) {
  const bool is_plain = text.find_first_of(",;|\t\"\r\n") == std::string_view::npos &&
                        !text.starts_with(' ') && !text.ends_with(' ') && !text.starts_with('#');
  if (is_plain) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace scalelaw
