#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/input/csv.hpp"
#include "scalelaw/input/row_blocks.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

inline constexpr std::size_t kPage = 4096;

/// A block of memory to read into, with room before it for the row that the last block cut. Reads
/// always begin at a page boundary, because elsewhere the kernel's copy is several times slower (at
/// a page + 1..31 bytes).
class BlockBuffer {
 public:
  static constexpr std::size_t kReadBytes = 128 << 10;

  explicit BlockBuffer(std::size_t read_bytes = kReadBytes) { allocate(kReadBytes, read_bytes); }

  char* read_target() { return memory_.get() + lead_; }
  std::size_t read_bytes() const { return read_bytes_; }
  /// Moves [begin, end), the cut row, directly before the read target, and returns its new begin.
  /// The room grows with the row, so that a long row is examined only a few times.
  char* carry(const char* begin, const char* end) {
    const auto length = static_cast<std::size_t>(end - begin);
    if (length + kBlockMargin > lead_ || length > read_bytes_) return grow(begin, length);
    char* const to = read_target() - length;
    if (length > 0) std::memmove(to, begin, length);  // There may be nothing to copy from.
    return to;
  }

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };

  void allocate(std::size_t lead, std::size_t read_bytes) {
    lead_ = lead;
    read_bytes_ = read_bytes;
    // One byte more than the margin, for a line feed after the last row.
    const std::size_t bytes = (lead + read_bytes + 2 * kBlockMargin + kPage - 1) / kPage * kPage;
    memory_.reset(static_cast<char*>(std::aligned_alloc(kPage, bytes)));
    if (memory_ == nullptr) throw std::bad_alloc();
    std::memset(memory_.get(), 0, kBlockMargin);
    std::memset(read_target() + read_bytes_, 0, 2 * kBlockMargin);
  }
  char* grow(const char* begin, std::size_t length) {
    const auto old = std::move(memory_);
    const std::size_t room = std::bit_ceil(length + kBlockMargin) * 2;
    allocate(room, std::max(read_bytes_, room));
    char* const to = read_target() - length;
    std::memcpy(to, begin, length);
    return to;
  }

  std::size_t read_bytes_ = 0;
  std::size_t lead_ = 0;
  std::unique_ptr<char, Free> memory_;
};

// Plain files are cut into parts at any byte. A part begins with the first row behind its cut;
// if rows hold quotes, a scan finds which parts begin inside one.

inline const char* last_line_feed(const char* begin, const char* end) {
  return static_cast<const char*>(memrchr(begin, '\n', static_cast<std::size_t>(end - begin)));
}

inline const char* find_byte(const char* begin, const char* end, char byte) {
  return begin >= end ? nullptr
                      : static_cast<const char*>(
                            std::memchr(begin, byte, static_cast<std::size_t>(end - begin)));
}

/// A plain file that is read in parts.
struct Parts {
  explicit Parts(const std::string& path) : file(path), size(file.size()) {}

  InputFile file;
  std::uint64_t size;  ///< Its size when it was opened; it may grow.
  std::size_t index = 0;
  Header header;
  std::uint64_t part_bytes = 1;
  std::size_t count = 0;
  std::size_t next = 0;
  std::vector<char>
      begins_quoted;  ///< One per part once they were scanned; empty before a quote was met.

  std::uint64_t begin_of(std::size_t part) const {
    return std::min(header.end + part * part_bytes, std::max(size, header.end));
  }
};

/// The offset after the first line feed at or after `from` - 1: where a part that is cut at `from`
/// begins.
std::uint64_t aligned_begin(const Parts& parts, std::uint64_t from, BlockBuffer& buffer);

/// The end of the last whole row in [begin, end) that begins before `limit`; `begin` if there is
/// none.
const char* end_of_rows(const char* begin, const char* end, const char* limit);

/// Whether a part ends inside quotes, under both hypotheses on its begin.
struct QuoteOutcome {
  bool from_plain = false;
  bool from_quoted = true;
};

QuoteOutcome scan_part(const Parts& parts, std::size_t part);

/// Whether each part begins inside quotes.
std::vector<char> begins_of(std::span<const QuoteOutcome> outcomes);

}  // namespace scalelaw
