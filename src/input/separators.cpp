#include "separators.hpp"

#include <array>

#include "base/vector_intrinsics.hpp"

#if !defined(__x86_64__) && defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "separators_loop.inc"

namespace scalelaw {

SeparatorIndex index_separators_portable(const char* begin, std::size_t length, char separator,
                                         std::uint32_t* out) {
  return index_loop(begin, length, separator, out);
}

bool has_wide_separator_index() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
         __builtin_cpu_supports("popcnt") != 0;
#else
  return false;
#endif
}

#if defined(__x86_64__)

bool has_widest_separator_index() {
  return has_wide_separator_index() && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vbmi2") != 0;
}

// The places of the marked bytes are moved together by one instruction. Compiled for AVX-512
// whatever the rest is compiled for, and called only if the processor has it.
__attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi,popcnt"))) SeparatorIndex
index_separators_widest(const char* begin, std::size_t length, char separator, std::uint32_t* out) {
  constexpr std::size_t kBytes = 64;
  constexpr std::size_t kPlaces = 16;  // That are written at a time.
  alignas(kBytes) static constexpr auto kIdentity = [] {
    std::array<std::uint8_t, kBytes> places{};
    for (std::size_t i = 0; i < kBytes; ++i) places[i] = static_cast<std::uint8_t>(i);
    return places;
  }();
  const __m512i identity = _mm512_load_si512(kIdentity.data());
  std::uint32_t* next = out;
  std::size_t line_feeds = 0;
  __mmask64 quotes = 0;
  for (std::size_t i = 0; i < length; i += kBytes) {
    const std::size_t rest = length - i;
    const __mmask64 valid = rest >= kBytes ? ~__mmask64{0} : (__mmask64{1} << rest) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(valid, begin + i);
    const __mmask64 feeds = _mm512_mask_cmpeq_epi8_mask(valid, bytes, _mm512_set1_epi8('\n'));
    const __mmask64 ends =
        feeds | _mm512_mask_cmpeq_epi8_mask(valid, bytes, _mm512_set1_epi8(separator));
    quotes |= _mm512_mask_cmpeq_epi8_mask(valid, bytes, _mm512_set1_epi8('"'));
    line_feeds += static_cast<std::size_t>(__builtin_popcountll(feeds));
    const auto count = static_cast<std::size_t>(__builtin_popcountll(ends));
    const __m512i base = _mm512_set1_epi32(static_cast<int>(i));
    __m512i places = _mm512_maskz_compress_epi8(ends, identity);
    // The next bytes overwrite what is written beyond the count.
    for (std::size_t k = 0; k == 0 || k < count; k += kPlaces) {
      const __m512i low = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places));
      _mm512_storeu_si512(next + k, _mm512_add_epi32(low, base));
      places = _mm512_shuffle_i32x4(places, places, 0x39);
    }
    next += count;
  }
  return {static_cast<std::size_t>(next - out), line_feeds, quotes != 0};
}

#else

bool has_widest_separator_index() { return false; }

SeparatorIndex index_separators_widest(const char* begin, std::size_t length, char separator,
                                       std::uint32_t* out) {
  return index_separators_portable(begin, length, separator, out);
}

#endif

SeparatorIndex index_separators(const char* begin, std::size_t length, char separator,
                                std::uint32_t* out) {
  static const auto best = has_widest_separator_index() ? index_separators_widest
                           : has_wide_separator_index() ? index_separators_wide
                                                        : index_separators_portable;
  return best(begin, length, separator, out);
}

}  // namespace scalelaw
