#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace scalelaw {

/// Up to eight bytes of a field as one word: the first `length` bytes at `p`, the rest zero. Reads eight bytes.
inline std::uint64_t field_word(const char* p, std::int64_t length) {
  static constexpr std::array<std::uint64_t, 9> kMask = {
      0,           0xFF,          0xFFFF,          0xFFFFFF,         0xFFFFFFFF, 0xFFFFFFFFFF,
      0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, ~std::uint64_t{0}};
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  const std::int64_t bytes = length < 0 ? 0 : (length > 8 ? 8 : length);
  return word & kMask[static_cast<std::size_t>(bytes)];
}

/// An open-addressing table from the raw bytes of short fields to an index. The bytes are compared as words: a key is
/// a fixed number of them, with each field's length in the top byte of its last word. Nothing is parsed to find a row's
/// group again, which is what makes reading fast.
class RawTable {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  /// Forgets all keys; from now on they have `words` words.
  void reset(std::size_t words) {
    words_ = words;
    size_ = 0;
    shift_ = 64 - 6;
    slots_.assign((words_ + 1) << 6, 0);
  }
  std::size_t words() const { return words_; }

  /// The index stored for the key, or kAbsent. kWords = words(), known to the compiler.
  template <std::size_t kWords>
  std::uint32_t find(const std::uint64_t* key) const {
    const std::size_t mask = (std::size_t{1} << (64 - shift_)) - 1;
    for (std::size_t i = hash<kWords>(key) >> shift_;; i = (i + 1) & mask) {
      const std::uint64_t* const slot = slots_.data() + i * (kWords + 1);
      std::uint64_t difference = 0;
      for (std::size_t w = 0; w < kWords; ++w) difference |= slot[w] ^ key[w];
      if (difference == 0 && slot[kWords] != 0) [[likely]] return static_cast<std::uint32_t>(slot[kWords] - 1);
      if (slot[kWords] == 0) return kAbsent;
    }
  }
  template <std::size_t kWords>
  void insert(const std::uint64_t* key, std::uint32_t index) {
    if (2 * (size_ + 1) > std::size_t{1} << (64 - shift_)) grow<kWords>();
    place<kWords>(key, std::uint64_t{index} + 1);
    ++size_;
  }

 private:
  template <std::size_t kWords>
  static std::uint64_t hash(const std::uint64_t* key) {
    static constexpr std::array<std::uint64_t, 8> kOdd = {
        0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu, 0xd6e8feb86659fd93u,
        0xff51afd7ed558ccdu, 0xc4ceb9fe1a85ec53u, 0x2545f4914f6cdd1du, 0xda942042e4dd58b5u};
    std::uint64_t h = 0;
    for (std::size_t w = 0; w < kWords; ++w) h += key[w] * kOdd[w];
    // Bytes that only the top of a word differs in have moved the top bits only: mix, then use the top.
    return (h ^ (h >> 32)) * 0x9e3779b97f4a7c15u;
  }
  template <std::size_t kWords>
  void place(const std::uint64_t* key, std::uint64_t stored) {
    const std::size_t mask = (std::size_t{1} << (64 - shift_)) - 1;
    std::size_t i = hash<kWords>(key) >> shift_;
    while (slots_[i * (kWords + 1) + kWords] != 0) i = (i + 1) & mask;
    std::memcpy(slots_.data() + i * (kWords + 1), key, kWords * sizeof(std::uint64_t));
    slots_[i * (kWords + 1) + kWords] = stored;
  }
  template <std::size_t kWords>
  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 2, 0);
    old.swap(slots_);
    --shift_;
    for (std::size_t at = 0; at < old.size(); at += kWords + 1) {
      if (old[at + kWords] != 0) place<kWords>(old.data() + at, old[at + kWords]);
    }
  }

  std::size_t words_ = 0;
  std::size_t size_ = 0;
  int shift_ = 58;
  std::vector<std::uint64_t> slots_;
};

}  // namespace scalelaw
