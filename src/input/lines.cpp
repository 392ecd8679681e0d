#include "scalelaw/input/lines.hpp"

#include <algorithm>
#include <cstring>

#include "input/container.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kBlock = 128 << 10;

}  // namespace

LineReader::LineReader(ByteStream& in, std::string_view source) : in_(in), source_(source) {}

/// Reads more bytes after those that were not yet returned; false at the end.
bool LineReader::refill() {
  if (begin_ > 0)
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (end_ > kLongestLine) {
    throw ParseError(source_, line_number_ + 1, "the line is longer than 64 MiB");
  }
  // A long line doubles the room, so that it is examined only a few times.
  buffer_.resize(std::max(buffer_.size(), std::max(end_ + kBlock, 2 * end_)));
  const std::size_t got = in_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  return got > 0;
}

std::optional<std::string_view> LineReader::next() {
  const void* line_feed = nullptr;
  std::size_t searched = begin_;
  while (true) {
    if (searched < end_) {
      line_feed = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
    }
    if (line_feed != nullptr) break;
    searched = end_ - begin_;  // The search continues here after refill moved the rest.
    if (!refill()) break;
  }
  if (line_feed == nullptr && begin_ == end_) return std::nullopt;
  const char* const from = buffer_.data() + begin_;
  cut_ = line_feed == nullptr;
  std::string_view line(
      from,
      cut_ ? end_ - begin_ : static_cast<std::size_t>(static_cast<const char*>(line_feed) - from));
  begin_ += line.size() + (cut_ ? 0 : 1);
  if (line_number_++ == 0 && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace scalelaw
