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

/// The rows of a table in a stream of text, one after another, with all fields.
class StreamRows {
 public:
  /// @param source  The name of the table in messages.
  /// @throws ParseError, DataError if there is no usable header.
  StreamRows(std::unique_ptr<ByteStream> bytes, std::string_view source, const TextLayout& layout);

  const Header& header() const { return header_; }
  /// Moves to the next row; false at the end.
  /// @throws ParseError if the row has more or fewer fields than the header, or a broken quote.
  bool next();
  /// The fields of the current row, unquoted; valid until the next row.
  const std::vector<std::string>& fields() const { return fields_; }
  /// The line where the current row begins, from 1.
  std::uint64_t line() const { return line_; }
  const std::string& source() const { return source_; }
  /// How many bytes of the file were read so far, before decompression.
  std::uint64_t consumed() const { return rest_->consumed(); }

 private:
  void take(std::string_view row);

  std::string source_;
  std::unique_ptr<ByteStream> rest_;  ///< What follows first_.
  std::string first_;
  std::unique_ptr<ByteStream> stream_;
  std::unique_ptr<LineReader> lines_;
  Header header_;
  std::uint64_t line_ = 0;
  std::vector<std::string_view> raw_;
  std::vector<std::string> fields_;
};

}  // namespace scalelaw
