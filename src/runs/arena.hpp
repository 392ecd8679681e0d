#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "large_pages.hpp"

namespace scalelaw {

/// Memory that is handed out piece by piece and freed all at once. Chunks grow, so that a short
/// file needs little memory and many pieces need few allocations.
class Arena {
 public:
  /// Uninitialised memory, aligned to 8 bytes.
  void* allocate(std::size_t bytes) {
    bytes = (bytes + 7) & ~std::size_t{7};
    if (bytes > left_) add_chunk(bytes);
    void* const out = next_;
    next_ += bytes;
    left_ -= bytes;
    return out;
  }
  /// A copy of `text` that lives as long as the arena.
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* const to = static_cast<char*>(allocate(text.size()));
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

 private:
  using Chunk = std::vector<char, LargePageAllocator<char>>;

  void add_chunk(std::size_t least) {
    const std::size_t bytes = std::max(least, chunk_bytes_);
    chunk_bytes_ = std::min<std::size_t>(chunk_bytes_ * 2, kLargePage);
    Chunk& chunk = chunks_.emplace_back();
    chunk.reserve(bytes);
    next_ = chunk.data();
    left_ = bytes;
  }

  std::vector<Chunk> chunks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t chunk_bytes_ = 4 << 10;
};

}  // namespace scalelaw
