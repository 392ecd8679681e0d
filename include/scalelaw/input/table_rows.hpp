#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/input/csv.hpp"
#include "scalelaw/input/lines.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// The rows of a table with a header, one after another, with all fields: CSV, or anything else
/// that for_each_row_block reads. It is for tables of jobs and of laws; for_each_row_block reads
/// large tables of numbers.
class TableRows {
 public:
  /// @throws ParseError, DataError if there is no usable header.
  explicit TableRows(const std::string& path, const TextLayout& layout = {});
  /// A table in memory. @param source Its name in messages.
  TableRows(std::string_view text, std::string_view source);

  const Header& header() const { return header_; }
  /// Moves to the next row; false at the end.
  /// @throws ParseError if the row has more or fewer fields than the header, or a broken quote.
  bool next();
  /// The fields of the current row, unquoted; valid until the next row.
  const std::vector<std::string>& fields() const { return fields_; }
  /// The line where the current row begins, from 1.
  std::uint64_t line() const { return line_; }
  const std::string& source() const { return source_; }

 private:
  void read_header(const TextLayout& layout);
  void take(std::string_view row);

  std::string source_;
  std::unique_ptr<InputFile> file_;
  std::unique_ptr<ByteStream> stream_;
  std::unique_ptr<LineReader> lines_;
  Header header_;
  std::uint64_t line_ = 0;
  std::vector<std::string_view> raw_;
  std::vector<std::string> fields_;
};

}  // namespace scalelaw
