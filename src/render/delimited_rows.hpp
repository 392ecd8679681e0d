#pragma once

#include <string_view>
#include <utility>

#include "render/buffered_text.hpp"
#include "scalelaw/base/delimited.hpp"

namespace scalelaw {

/// Rows of CSV or TSV on their way to a sink.
class DelimitedRows {
 public:
  DelimitedRows(char separator, TextSink sink) : separator_(separator), out_(std::move(sink)) {}

  void add(std::string_view text) {
    if (fields_++ > 0) out_.text() += separator_;
    empty_ = empty_ && text.empty();
    append_delimited(out_.text(), text, separator_);
  }
  void end_row() {
    // A row of one empty field would be an empty line, which readers skip.
    if (fields_ == 1 && empty_) out_.text() += "\"\"";
    out_.text() += '\n';
    fields_ = 0;
    empty_ = true;
    out_.pass_on_if_full();
  }
  /// Call once, after the last row.
  void finish() { out_.pass_on(); }

 private:
  char separator_;
  BufferedText out_;
  int fields_ = 0;
  bool empty_ = true;
};

}  // namespace scalelaw
