#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// Whole lines of a stream, one behind another.
struct LineBlock {
  std::string_view text;        ///< In `room`.
  std::uint64_t line = 0;       ///< The number of its first line, from 1.
  bool is_cut = false;          ///< Its last line has no line end, because the stream ends there.
  std::vector<char> room = {};  ///< May be that of an earlier block.
};

/// The lines of a stream, many at a time, in memory that does not grow with the stream.
class LineBlocks {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{64} << 20;

  /// @param source  The stream's name in messages; must outlive the reader.
  LineBlocks(ByteStream& in, std::string_view source) : in_(in), source_(source) {}

  /// Reads the next lines, without a byte order mark before the first one. False at the end.
  /// @throws ParseError if a line is longer than kLongestLine.
  bool next(LineBlock& block);

 private:
  ByteStream& in_;
  std::string_view source_;
  std::vector<char> rest_;   ///< The begin of a line whose end was not yet read.
  std::uint64_t lines_ = 0;  ///< Lines that were returned.
  bool ended_ = false;
};

/// Takes the first line from a text of whole lines: without its end (LF or CRLF).
std::string_view take_line(std::string_view& text);

/// The lines of a stream, one after another, in memory that does not grow with the stream.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = LineBlocks::kLongestLine;

  /// @param source  The stream's name in messages; must outlive the reader.
  LineReader(ByteStream& in, std::string_view source) : blocks_(in, source) {}

  /// The next line without its end (LF or CRLF), and without a byte order mark before the first
  /// line. Valid until the next call; empty at the end.
  /// @throws ParseError if a line is longer than kLongestLine.
  std::optional<std::string_view> next();
  /// The number of the last line, from 1.
  std::uint64_t line_number() const { return line_number_; }
  /// Whether the last line had no line end, because the stream ends there.
  bool is_cut() const { return block_.is_cut && block_.text.empty(); }

 private:
  LineBlocks blocks_;
  LineBlock block_;  ///< Its text is that behind the last line.
  std::uint64_t line_number_ = 0;
};

}  // namespace scalelaw
