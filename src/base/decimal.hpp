#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#if defined(__SSSE3__)
#include <tmmintrin.h>

#include <array>
#endif

namespace scalelaw {

/// This many bytes must be readable before a text that is passed to plain_decimal.
inline constexpr std::size_t kDecimalLead = 16;

/// The number in [begin, end) if it is an unsigned plain decimal of at most 15 digits, with or
/// without a point. Otherwise NaN, also for some decimals of 16 characters, and the caller uses
/// parse_number.
///
/// Exact: the digits form an integer below 2^53, which is divided by a power of ten below 10^22 in
/// one correctly rounded operation (Clinger 1990). Reads up to kDecimalLead bytes before `begin`.
[[gnu::always_inline]] inline double plain_decimal(const char* begin, const char* end);

/// The same by a loop over the digits.
inline double plain_decimal_by_digits(const char* begin, const char* end) {
  static constexpr double kTens[16] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr double kNot = std::numeric_limits<double>::quiet_NaN();
  if (begin == end || end - begin > 16) return kNot;
  std::uint64_t mantissa = 0;
  const char* point = nullptr;
  for (const char* p = begin; p < end; ++p) {
    const auto digit = static_cast<unsigned>(static_cast<unsigned char>(*p)) - '0';
    if (digit <= 9) {
      mantissa = mantissa * 10 + digit;
    } else if (*p == '.' && point == nullptr && p > begin) {
      point = p;
    } else {
      return kNot;
    }
  }
  const auto decimals = point == nullptr ? 0 : end - point - 1;
  if (end - begin - (point == nullptr ? 0 : 1) > 15) return kNot;
  return static_cast<double>(mantissa) / kTens[decimals];
}

#if defined(__SSSE3__)

namespace decimal_tables {

/// Indexed by digits after the point (16: no point). Moves the digits before the point up over it,
/// to the end of 16 bytes.
inline constexpr auto kClosePoint = [] {
  std::array<std::array<std::uint8_t, 16>, 17> tables{};
  for (int decimals = 0; decimals <= 16; ++decimals) {
    for (int to = 0; to < 16; ++to) {
      const int from = to >= 16 - decimals ? to : to - 1;
      tables[decimals][to] = from < 0 ? std::uint8_t{0x80} : static_cast<std::uint8_t>(from);
    }
  }
  return tables;
}();

/// All ones from position `start` on.
inline constexpr auto kFrom = [] {
  std::array<std::array<std::uint8_t, 16>, 17> masks{};
  for (int start = 0; start <= 16; ++start) {
    for (int i = start; i < 16; ++i) masks[start][i] = 0xFF;
  }
  return masks;
}();

inline constexpr double kTens[17] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                     1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e0};

}  // namespace decimal_tables

inline double plain_decimal(const char* begin, const char* end) {
  using namespace decimal_tables;
  constexpr double kNot = std::numeric_limits<double>::quiet_NaN();
  const auto load = [](const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); };
  const auto length = static_cast<std::size_t>(end - begin);
  if (length - 1 >= 16) return kNot;
  const __m128i text = load(end - 16);
  // The highest point among the bytes of the text. Without a point, the bit below all sixteen makes
  // `decimals` 16.
  const auto points =
      static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8('.'))));
  const unsigned of_text = points & (0xFFFFu << (16 - length));
  const auto decimals = static_cast<unsigned>(std::countl_zero(of_text << 16 | 0x8000u));
  const std::size_t digits = length - (decimals < 16 ? 1 : 0);
  if (digits - 1 >= 15) return kNot;
  const __m128i values = _mm_sub_epi8(text, _mm_set1_epi8('0'));
  const __m128i closed = _mm_and_si128(_mm_shuffle_epi8(values, load(kClosePoint[decimals].data())),
                                       load(kFrom[16 - digits].data()));
  // Unsigned bytes above nine are a second point, a sign or a letter.
  const __m128i clipped = _mm_min_epu8(closed, _mm_set1_epi8(9));
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(clipped, closed)) != 0xFFFF || *begin == '.') return kNot;
  const __m128i pairs = _mm_maddubs_epi16(closed, _mm_set1_epi16(0x010A));  // 10 a + b
  const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));  // 100 ab + cd
  const __m128i packed = _mm_packs_epi32(fours, fours);
  const __m128i eights = _mm_madd_epi16(packed, _mm_set1_epi32(0x00012710));  // 10000 abcd + efgh
  const auto halves = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  const std::uint64_t mantissa = (halves & 0xFFFFFFFFu) * 100000000u + (halves >> 32);
  return static_cast<double>(static_cast<std::int64_t>(mantissa)) / kTens[decimals];
}

#else

inline double plain_decimal(const char* begin, const char* end) {
  return plain_decimal_by_digits(begin, end);
}

#endif

}  // namespace scalelaw
