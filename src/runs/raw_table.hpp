#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace scalelaw {

/// A raw key has at most this many words.
inline constexpr std::size_t kMostKeyWords = 8;

/// Columns that stand side by side and are part of a raw key as one stretch of bytes, separators included.
struct KeySpan {
  std::size_t first;  ///< First column.
  std::size_t last;   ///< Last column.
  std::size_t words;  ///< Words of its part of the key: bytes / 8 + 1, for the length stands in the last byte.

  friend bool operator==(const KeySpan&, const KeySpan&) = default;
};

/// Writes a stretch of bytes as words; true if it fits. `length` stands in the top byte of the last word, so that no
/// two stretches share their words. Reads up to 8 * words bytes from `begin` on.
template <std::size_t kWords>
[[gnu::always_inline]] inline bool span_words(const char* begin, std::size_t length, std::uint64_t* words) {
  // Masks by how many bytes reach into the word: none up to index 64, all from index 72 on.
  static constexpr auto kMasks = [] {
    std::array<std::uint64_t, 2 * 8 * kMostKeyWords + 1> masks{};
    for (std::size_t i = 65; i < masks.size(); ++i) {
      masks[i] = i >= 72 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * (i - 64))) - 1;
    }
    return masks;
  }();
  if (length >= 8 * kWords) return false;
  for (std::size_t w = 0; w < kWords; ++w) {
    std::uint64_t bytes;
    std::memcpy(&bytes, begin + 8 * w, sizeof bytes);
    words[w] = bytes & kMasks[length - 8 * w + 64];
  }
  words[kWords - 1] |= static_cast<std::uint64_t>(length) << 56;
  return true;
}

/// span_words for a number of words that is not known to the compiler.
inline bool span_words(const char* begin, std::size_t length, std::size_t count, std::uint64_t* words) {
  switch (count) {
    case 1:
      return span_words<1>(begin, length, words);
    case 2:
      return span_words<2>(begin, length, words);
    case 3:
      return span_words<3>(begin, length, words);
    case 4:
      return span_words<4>(begin, length, words);
    case 5:
      return span_words<5>(begin, length, words);
    case 6:
      return span_words<6>(begin, length, words);
    case 7:
      return span_words<7>(begin, length, words);
    default:
      return span_words<8>(begin, length, words);
  }
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
    shift_ = 64 - kFirstBits;
    slots_.assign((words_ + 1) << kFirstBits, 0);
  }
  std::size_t words() const { return words_; }
  std::size_t size() const { return size_; }

  /// What a search needs, to be held in registers; valid until the next insert.
  struct View {
    const std::uint64_t* slots;
    const std::uint64_t* end;
    int shift;

    /// The index stored for the key, or kAbsent. kWords = words(), known to the compiler.
    template <std::size_t kWords>
    [[gnu::always_inline]] std::uint32_t find(const std::uint64_t* key) const {
      const std::uint64_t* slot = slots + (hash<kWords>(key) >> shift) * (kWords + 1);
      for (;;) {
        std::uint64_t difference = 0;
        for (std::size_t w = 0; w < kWords; ++w) difference |= slot[w] ^ key[w];
        if (difference == 0 && slot[kWords] != 0) [[likely]] return static_cast<std::uint32_t>(slot[kWords] - 1);
        if (slot[kWords] == 0) return kAbsent;
        slot += kWords + 1;
        if (slot == end) slot = slots;
      }
    }
  };
  View view() const { return {slots_.data(), slots_.data() + slots_.size(), shift_}; }

  template <std::size_t kWords>
  void insert(const std::uint64_t* key, std::uint32_t index) {
    if (2 * (size_ + 1) > std::size_t{1} << (64 - shift_)) grow<kWords>();
    place<kWords>(key, std::uint64_t{index} + 1);
    ++size_;
  }

 private:
  template <std::size_t kWords>
  [[gnu::always_inline]] static std::uint64_t hash(const std::uint64_t* key) {
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

  static constexpr int kFirstBits = 10;  // Room enough that few keys of a usual study share a place.

  std::size_t words_ = 0;
  std::size_t size_ = 0;
  int shift_ = 64 - kFirstBits;
  std::vector<std::uint64_t> slots_;
};

}  // namespace scalelaw
