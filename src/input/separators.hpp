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

/// Of 64 bytes: one bit a separator or line feed, how many of them are line feeds, and whether a quote is there.
struct ByteClasses {
  std::uint64_t ends = 0;
  std::uint64_t line_feeds = 0;
  bool quotes = false;
};

#if defined(__SSE2__)
inline ByteClasses classify(const char* p, char separator) {
  const __m128i s = _mm_set1_epi8(separator);
  const __m128i l = _mm_set1_epi8('\n');
  const __m128i q = _mm_set1_epi8('"');
  ByteClasses classes;
  __m128i quotes = _mm_setzero_si128();
  __m128i line_feeds = _mm_setzero_si128();  // Minus their number, a byte lane each.
  for (int i = 0; i < 4; ++i) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
    const __m128i line_feed = _mm_cmpeq_epi8(v, l);
    const __m128i end = _mm_or_si128(_mm_cmpeq_epi8(v, s), line_feed);
    classes.ends |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(end))) << (16 * i);
    line_feeds = _mm_add_epi8(line_feeds, line_feed);
    quotes = _mm_or_si128(quotes, _mm_cmpeq_epi8(v, q));
  }
  const __m128i sums = _mm_sad_epu8(_mm_sub_epi8(_mm_setzero_si128(), line_feeds), _mm_setzero_si128());
  classes.line_feeds = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums))));
  classes.quotes = _mm_movemask_epi8(quotes) != 0;
  return classes;
}
#else
inline ByteClasses classify(const char* p, char separator) {
  ByteClasses classes;
  for (int i = 0; i < 64; ++i) {
    classes.line_feeds += p[i] == '\n' ? 1 : 0;
    if (p[i] == '\n' || p[i] == separator) classes.ends |= std::uint64_t{1} << i;
    classes.quotes |= p[i] == '"';
  }
  return classes;
}
#endif

/// Writes the offsets of all separators and line feeds in [begin, begin + length) to `out`, which has room for
/// length + 64. Reads nothing beyond the end.
inline SeparatorIndex index_separators(const char* begin, std::size_t length, char separator, std::uint32_t* out) {
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
  SeparatorIndex index;
  std::uint32_t* next = out;
  const auto emit = [&](const ByteClasses& classes, std::uint32_t base) {
    index.quotes |= classes.quotes;
    index.line_feeds += classes.line_feeds;
    std::uint64_t ends = classes.ends;
    const int count = std::popcount(ends);
    const auto put = [&](int i) {
      // The set top bit spares the test for zero; a junk store may be wrong.
      next[i] = base + static_cast<std::uint32_t>(std::countr_zero(ends | kTopBit));
      ends &= ends - 1;
    };
    // Twelve stores without a branch, of which some may be junk that the next 64 bytes overwrite: no misprediction
    // for usual field widths.
    for (int i = 0; i < 12; ++i) put(i);
    for (int i = 12; i < count; ++i) put(i);
    next += count;
  };
  std::size_t i = 0;
  for (; i + 64 <= length; i += 64) emit(classify(begin + i, separator), static_cast<std::uint32_t>(i));
  if (i < length) {
    char rest[64] = {};
    std::memcpy(rest, begin + i, length - i);
    emit(classify(rest, separator), static_cast<std::uint32_t>(i));
  }
  index.count = static_cast<std::size_t>(next - out);
  return index;
}

}  // namespace scalelaw
