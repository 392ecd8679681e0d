#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

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

}  // namespace scalelaw
