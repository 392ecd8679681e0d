#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// The lines of a stream, one after another, in memory that does not grow with the stream.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{64} << 20;

  /// @param source  The stream's name in messages; must outlive the reader.
  LineReader(ByteStream& in, std::string_view source);

  /// The next line without its end (LF or CRLF), and without a byte order mark before the first
  /// line. Valid until the next call; empty at the end.
  /// @throws ParseError if a line is longer than kLongestLine.
  std::optional<std::string_view> next();
  /// The number of the last line, from 1.
  std::uint64_t line_number() const { return line_number_; }
  /// Whether the last line had no line end, because the stream ends there.
  bool is_cut() const { return cut_; }

 private:
  bool refill();

  ByteStream& in_;
  std::string_view source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< Begin of the bytes that were not yet returned.
  std::size_t end_ = 0;
  std::uint64_t line_number_ = 0;
  bool cut_ = false;
};

}  // namespace scalelaw
