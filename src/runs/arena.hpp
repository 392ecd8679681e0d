#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace scalelaw {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// An allocator that asks the system for large pages if a block fills one. New memory then costs
/// one page fault per 2 MiB instead of 512. Smaller blocks come from the heap.
template <class T>
struct LargePageAllocator {
  using value_type = T;

  LargePageAllocator() = default;
  template <class U>
  LargePageAllocator(const LargePageAllocator<U>& /*other*/) {}  // NOLINT: a rebinding conversion

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kLargePage) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
    void* const block = std::aligned_alloc(kLargePage, whole);
    if (block == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    madvise(block, whole, MADV_HUGEPAGE);  // Only a wish: if it is refused, pages are small.
#endif
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t count) {
    if (count * sizeof(T) < kLargePage) {
      ::operator delete(block);
    } else {
      std::free(block);
    }
  }
  friend bool operator==(LargePageAllocator /*a*/, LargePageAllocator /*b*/) { return true; }
};

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
