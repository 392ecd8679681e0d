#pragma once

#include <cstdint>
#include <string_view>

#include "block_buffer.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// The bytes of a stream in blocks of whole lines. kBlockMargin bytes around a block are readable.
class LineBlocks {
 public:
  /// @param source  The stream's name in messages; must outlive this object.
  /// @param buffer  Memory to read into, which another reading may have used before.
  LineBlocks(ByteStream& in, std::string_view source, BlockBuffer& buffer)
      : in_(in),
        source_(source),
        buffer_(buffer),
        rest_begin_(buffer.read_target()),
        rest_end_(buffer.read_target()) {}

  /// The next block, valid until the next call; empty at the end. Every line ends with a line feed,
  /// except perhaps the last line of the stream.
  /// @throws DataError if a line is much longer than 64 MiB.
  std::string_view next();

 private:
  ByteStream& in_;
  std::string_view source_;
  BlockBuffer& buffer_;
  const char* rest_begin_;  ///< Bytes that were read but not yet returned.
  const char* rest_end_;
  bool ended_ = false;
};

}  // namespace scalelaw
