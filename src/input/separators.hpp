#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace scalelaw {

/// What index_separators saw.
struct SeparatorIndex {
  std::size_t count = 0;       ///< Separators and line feeds written to the index.
  std::size_t line_feeds = 0;  ///< Line feeds among them.
  bool quotes = false;         ///< A quote was seen: the index then says nothing about rows.
};

/// One bit a byte for the 64 bytes at `p`: separators and line feeds, line feeds, quotes.
struct ByteClasses {
  std::uint64_t ends;
  std::uint64_t line_feeds;
  std::uint64_t quotes;
};

#if defined(__SSE2__)
inline ByteClasses classify(const char* p, char separator) {
  const __m128i s = _mm_set1_epi8(separator);
  const __m128i l = _mm_set1_epi8('\n');
  const __m128i q = _mm_set1_epi8('"');
  ByteClasses classes{0, 0, 0};
  for (int i = 0; i < 4; ++i) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
    const auto bits = [](__m128i mask) { return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(mask))); };
    const __m128i line_feed = _mm_cmpeq_epi8(v, l);
    classes.ends |= bits(_mm_or_si128(_mm_cmpeq_epi8(v, s), line_feed)) << (16 * i);
    classes.line_feeds |= bits(line_feed) << (16 * i);
    classes.quotes |= bits(_mm_cmpeq_epi8(v, q)) << (16 * i);
  }
  return classes;
}
#else
inline ByteClasses classify(const char* p, char separator) {
  ByteClasses classes{0, 0, 0};
  for (int i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (p[i] == '\n') classes.line_feeds |= bit;
    if (p[i] == '\n' || p[i] == separator) classes.ends |= bit;
    if (p[i] == '"') classes.quotes |= bit;
  }
  return classes;
}
#endif

/// Writes the offsets of all separators and line feeds in [begin, begin + length) to `out`, which has room for
/// length + 64. Reads up to 63 bytes beyond the end.
inline SeparatorIndex index_separators(const char* begin, std::size_t length, char separator, std::uint32_t* out) {
  SeparatorIndex index;
  std::uint32_t* next = out;
  std::uint64_t quotes = 0;
  const auto emit = [&](ByteClasses classes, std::uint32_t base) {
    quotes |= classes.quotes;
    index.line_feeds += static_cast<std::size_t>(std::popcount(classes.line_feeds));
    std::uint64_t ends = classes.ends;
    const int count = std::popcount(ends);
    std::uint32_t* const at = next;
    next += count;
    const auto put = [&](int i) {
      at[i] = base + static_cast<std::uint32_t>(std::countr_zero(ends));
      ends &= ends - 1;
    };
    // Twelve stores without a branch, of which some may be junk that the next 64 bytes overwrite: no misprediction
    // for usual field widths.
    for (int i = 0; i < 12; ++i) put(i);
    for (int i = 12; i < count; ++i) put(i);
  };
  std::size_t i = 0;
  for (; i + 64 <= length; i += 64) emit(classify(begin + i, separator), static_cast<std::uint32_t>(i));
  if (i < length) {
    const std::uint64_t inside = (std::uint64_t{1} << (length - i)) - 1;
    const ByteClasses classes = classify(begin + i, separator);
    emit({classes.ends & inside, classes.line_feeds & inside, classes.quotes & inside}, static_cast<std::uint32_t>(i));
  }
  index.count = static_cast<std::size_t>(next - out);
  index.quotes = quotes != 0;
  return index;
}

}  // namespace scalelaw
