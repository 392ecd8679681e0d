#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/input/csv.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

class StreamRows;

/// The rows of a table with a header, one after another, with all fields: CSV, or anything else
/// that for_each_row_block reads. It is for tables of jobs and of laws; for_each_row_block reads
/// large tables of numbers.
class TableRows {
 public:
  /// @throws ParseError, DataError if there is no usable header.
  explicit TableRows(const std::string& path, const TextLayout& layout = {});
  /// A table in memory. @param source Its name in messages.
  TableRows(std::string_view text, std::string_view source);

  ~TableRows();
  TableRows(TableRows&&) noexcept;
  TableRows& operator=(TableRows&&) noexcept;

  const Header& header() const { return header_; }
  /// Moves to the next row; false at the end.
  /// @throws ParseError if the row has more or fewer fields than the header, or a broken quote.
  bool next();
  /// The fields of the current row, unquoted; valid until the next row.
  const std::vector<std::string>& fields() const;
  /// The line where the current row begins, from 1.
  std::uint64_t line() const;
  const std::string& source() const;

 private:
  std::unique_ptr<InputFile> file_;
  std::unique_ptr<StreamRows> rows_;
  Header header_;
};

}  // namespace scalelaw
