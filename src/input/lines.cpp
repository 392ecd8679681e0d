#include "scalelaw/input/lines.hpp"

#include <algorithm>
#include <cstring>

#include "input/container.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kBlock = 128 << 10;

std::uint64_t line_feeds_in(std::string_view text) {
  std::uint64_t count = 0;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    ++count;
  return count;
}

/// Bytes up to and with the last line feed from `from` on; 0 without one.
std::size_t whole_lines(std::string_view text, std::size_t from) {
  const void* const last = memrchr(text.data() + from, '\n', text.size() - from);
  return last == nullptr
             ? 0
             : static_cast<std::size_t>(static_cast<const char*>(last) - text.data()) + 1;
}

}  // namespace

bool LineBlocks::next(LineBlock& block) {
  std::vector<char>& room = block.room;
  std::size_t size = rest_.size();
  std::size_t whole = 0;
  if (room.size() < size) room.resize(size);
  std::ranges::copy(rest_, room.begin());
  while (whole == 0 && !ended_) {
    if (size > kLongestLine) {
      throw ParseError(source_, lines_ + 1, "the line is longer than 64 MiB");
    }
    // A long line doubles what is read, so that it is copied only a few times.
    const std::size_t wanted = std::max(kBlock, size);
    if (room.size() < size + wanted) room.resize(size + wanted);
    const std::size_t got = in_.read(room.data() + size, wanted);
    ended_ = got == 0;
    whole = whole_lines({room.data(), size + got}, size);
    size += got;
  }
  if (size == 0) return false;
  block.is_cut = whole == 0;
  if (block.is_cut) whole = size;
  rest_.assign(room.begin() + static_cast<std::ptrdiff_t>(whole),
               room.begin() + static_cast<std::ptrdiff_t>(size));
  block.text = {room.data(), whole};
  block.line = lines_ + 1;
  if (lines_ == 0 && block.text.starts_with(kByteOrderMark)) {
    block.text.remove_prefix(kByteOrderMark.size());
  }
  lines_ += line_feeds_in(block.text) + (block.is_cut ? 1 : 0);
  return true;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<std::string_view> LineReader::next() {
  if (block_.text.empty() && !blocks_.next(block_)) return std::nullopt;
  ++line_number_;
  return take_line(block_.text);
}

}  // namespace scalelaw
