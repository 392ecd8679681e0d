#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "render/buffered_text.hpp"
#include "scalelaw/base/delimited.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

// Fields of several reports.

inline std::string truth_text(bool value) { return value ? "true" : "false"; }

/// An end of an interval; empty if it is open or there is no interval.
inline std::string lower_text(const std::optional<Interval>& ci) {
  return ci && std::isfinite(ci->lower) ? exact_text(ci->lower) : std::string();
}
inline std::string upper_text(const std::optional<Interval>& ci) {
  return ci && std::isfinite(ci->upper) ? exact_text(ci->upper) : std::string();
}

/// Whether a report has a column of that name, so that a group column must be renamed.
template <class Column, std::size_t count>
bool is_column(const std::array<Column, count>& columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(),
                     [name](const Column& column) { return column.name == name; });
}

inline char separator_of(Format format) { return format == Format::kTsv ? '\t' : ','; }

/// Writes rows of CSV or TSV to a sink.
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
  /// Call this once, after the last row.
  void finish() { out_.pass_on(); }

 private:
  char separator_;
  BufferedText out_;
  int fields_ = 0;
  bool empty_ = true;
};

}  // namespace scalelaw
