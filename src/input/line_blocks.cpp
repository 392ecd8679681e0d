#include "line_blocks.hpp"

#include "scalelaw/base/error.hpp"

namespace scalelaw {

std::string_view LineBlocks::next() {
  constexpr std::ptrdiff_t kLongestLine = std::ptrdiff_t{64} << 20;
  while (!ended_) {
    const char* const begin = buffer_.carry(rest_begin_, rest_end_);
    const std::size_t got = in_.read(buffer_.read_target(), buffer_.read_bytes());
    const char* const end = buffer_.read_target() + got;
    ended_ = got == 0;
    const void* const last =
        memrchr(buffer_.read_target(), '\n', static_cast<std::size_t>(end - buffer_.read_target()));
    const char* const stop = ended_            ? end
                             : last == nullptr ? begin
                                               : static_cast<const char*>(last) + 1;
    rest_begin_ = stop;
    rest_end_ = end;
    if (rest_end_ - rest_begin_ > kLongestLine) {
      throw DataError(std::string(source_) + ": a line is longer than 64 MiB");
    }
    if (stop > begin) return {begin, static_cast<std::size_t>(stop - begin)};
  }
  return {};
}

}  // namespace scalelaw
