#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// A table of text that is made from columns, of which some can be left out.
class ColumnStream : public ByteStream {
 public:
  std::size_t read(char* out, std::size_t count) final {
    std::size_t have = 0;
    while (have < count) {
      if (at_ == text_.size() && !refill()) break;
      const std::size_t part = std::min(count - have, text_.size() - at_);
      std::memcpy(out + have, text_.data() + at_, part);
      at_ += part;
      have += part;
    }
    consumed_ += have;
    return have;
  }
  std::uint64_t consumed() const final { return consumed_; }
  /// From here on, cells of columns other than these are empty. Rows that were made already may
  /// still have them.
  virtual void keep_columns(std::vector<std::size_t> columns) = 0;

 protected:
  /// Puts the first line before all rows.
  void begin_with(std::string header) { text_ = std::move(header); }

 private:
  /// Appends the next rows to an empty text; false at the end.
  virtual bool append_rows(std::string& text) = 0;

  bool refill() {
    text_.clear();
    at_ = 0;
    return append_rows(text_);
  }

  std::string text_;  ///< What waits to be read, from at_.
  std::size_t at_ = 0;
  std::uint64_t consumed_ = 0;
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
