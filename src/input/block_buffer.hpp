#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "scalelaw/input/row_blocks.hpp"

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

}  // namespace scalelaw
