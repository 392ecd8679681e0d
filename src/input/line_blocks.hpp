#pragma once

#include <cstdint>
#include <string_view>

#include "block_buffer.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// The bytes of a stream in blocks of whole lines. Around a block kBlockMargin bytes can be read.
class LineBlocks {
 public:
  /// @param source  How messages name the stream, which must outlive this.
  /// @param buffer  Memory to read into, which another reading may have used.
  LineBlocks(ByteStream& in, std::string_view source, BlockBuffer& buffer)
      : in_(in),
        source_(source),
        buffer_(buffer),
        rest_begin_(buffer.read_target()),
        rest_end_(buffer.read_target()) {}

  /// The next block, valid until the next call; empty at the end. Every line ends with a line feed,
  /// but maybe the last one of the stream.
  /// @throws DataError if a line is much longer than 64 MiB.
  std::string_view next();

 private:
  ByteStream& in_;
  std::string_view source_;
  BlockBuffer& buffer_;
  const char* rest_begin_;  ///< What was read and not handed out.
  const char* rest_end_;
  bool ended_ = false;
};

}  // namespace scalelaw
