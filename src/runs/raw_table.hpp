#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#endif

#include "arena.hpp"

namespace scalelaw {

/// Sixteen bytes of a raw key, as the compiler's vector type: SSE on x86, NEON on ARM.
using KeyBytes = std::uint64_t __attribute__((vector_size(16)));

/// A raw key has at most this many vectors.
inline constexpr std::size_t kMostKeyVectors = 4;

/// Neighbouring columns that enter a raw key as one stretch of bytes, with their separators.
struct KeySpan {
  std::size_t first;    ///< First column.
  std::size_t last;     ///< Last column.
  std::size_t vectors;  ///< Its room in vectors of 16 bytes.
};

/// The raw bytes of a row's key fields: each stretch is filled up with zeros, and the length of all
/// stretches follows. Equal bytes and length mean equal fields, unless a field contains a zero
/// byte; in that case all of them do.
template <std::size_t kVectors>
struct RawKey {
  std::array<KeyBytes, kVectors> bytes;
  std::uint64_t length = 0;

  /// Copies a stretch into `count` vectors from `at` on; false if it is too long. Reads 16 * count
  /// bytes.
  [[gnu::always_inline]] bool take(const char* begin, std::uint64_t stretch, std::size_t at,
                                   std::size_t count) {
    // Ones, then zeros. They are read from a place where as many ones come first as the stretch has
    // bytes.
    static constexpr auto kMasks = [] {
      std::array<std::uint8_t, 2 * 16 * kMostKeyVectors> masks{};
      for (std::size_t i = 0; i < masks.size() / 2; ++i) masks[i] = 0xFF;
      return masks;
    }();
    if (stretch > 16 * count) return false;
    for (std::size_t v = 0; v < count; ++v) {
      KeyBytes text;
      KeyBytes mask;
      std::memcpy(&text, begin + 16 * v, 16);
      std::memcpy(&mask, kMasks.data() + kMasks.size() / 2 + 16 * v - stretch, 16);
      bytes[at + v] = text & mask;
    }
    length += stretch;
    return true;
  }

  [[gnu::always_inline]] std::uint64_t hash() const {
#if defined(__SSE4_2__)
    std::uint64_t h = length;
    for (const KeyBytes& b : bytes) h = _mm_crc32_u64(_mm_crc32_u64(h, b[0]), b[1]);
    return h;
#else
    std::uint64_t h = length;
    for (const KeyBytes& b : bytes)
      h = (h ^ b[0] ^ (b[1] << 29 | b[1] >> 35)) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
#endif
  }
};

/// An open-addressing table from the raw bytes of key fields to an index. A row's group is found
/// again without parsing, which is what makes reading fast.
class RawTable {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  /// Forgets all keys; from now on they have `vectors` vectors.
  void reset(std::size_t vectors) {
    vectors_ = vectors;
    size_ = 0;
    slots_.assign((vectors_ + 1) << kFirstBits, Slot{});
    mask_ = (std::uint64_t{1} << kFirstBits) - 1;
  }
  std::size_t vectors() const { return vectors_; }
  std::size_t size() const { return size_; }

  /// The data of a search, to be held in registers; valid until the next insert.
  struct View {
    const KeyBytes* slots;
    std::uint64_t mask;

    /// The index stored for the key, or kAbsent. kVectors equals vectors(), at compile time.
    template <std::size_t kVectors>
    [[gnu::always_inline]] std::uint32_t find(const RawKey<kVectors>& key) const {
      for (std::uint64_t place = key.hash() & mask;; place = (place + 1) & mask) {
        const KeyBytes* const slot = slots + place * (kVectors + 1);
        KeyBytes difference = slot[0] ^ key.bytes[0];
        for (std::size_t v = 1; v < kVectors; ++v) difference |= slot[v] ^ key.bytes[v];
        const std::uint64_t stored = slot[kVectors][0];  // Index + 1; zero if the slot is empty.
        const std::uint64_t unequal =
            difference[0] | difference[1] | (slot[kVectors][1] ^ key.length);
        if (unequal == 0 && stored != 0) [[likely]]
          return static_cast<std::uint32_t>(stored - 1);
        if (stored == 0) return kAbsent;
      }
    }
  };
  View view() const { return {&slots_.data()->bytes, mask_}; }

  template <std::size_t kVectors>
  void insert(const RawKey<kVectors>& key, std::uint32_t index) {
    if (2 * (size_ + 1) > mask_ + 1 ||
        (kRoomy * (size_ + 1) > mask_ + 1 && mask_ + 1 < kRoomySlots)) {
      grow<kVectors>();
    }
    place_key(key, index);
    ++size_;
  }

 private:
  struct Slot {
    KeyBytes bytes{};
  };
  using Slots = std::vector<Slot, LargePageAllocator<Slot>>;
  static constexpr int kFirstBits = 10;
  // While it is small a table has so many places for each key that few keys share one.
  static constexpr std::uint64_t kRoomy = 8;
  static constexpr std::uint64_t kRoomySlots = 4096;

  template <std::size_t kVectors>
  void place_key(const RawKey<kVectors>& key, std::uint32_t index) {
    std::uint64_t place = key.hash() & mask_;
    while (slots_[place * (kVectors + 1) + kVectors].bytes[0] != 0) place = (place + 1) & mask_;
    for (std::size_t v = 0; v < kVectors; ++v)
      slots_[place * (kVectors + 1) + v].bytes = key.bytes[v];
    slots_[place * (kVectors + 1) + kVectors].bytes =
        KeyBytes{std::uint64_t{index} + 1, key.length};
  }
  template <std::size_t kVectors>
  void grow() {
    Slots old(slots_.size() * 2);
    old.swap(slots_);
    mask_ = 2 * mask_ + 1;
    for (std::size_t at = 0; at < old.size(); at += kVectors + 1) {
      const KeyBytes stored = old[at + kVectors].bytes;
      if (stored[0] == 0) continue;
      RawKey<kVectors> key;
      for (std::size_t v = 0; v < kVectors; ++v) key.bytes[v] = old[at + v].bytes;
      key.length = stored[1];
      place_key(key, static_cast<std::uint32_t>(stored[0] - 1));
    }
  }

  std::size_t vectors_ = 0;
  std::size_t size_ = 0;
  std::uint64_t mask_ = 0;
  Slots slots_;
};

}  // namespace scalelaw
