#include "base/decimals.hpp"

#include <cmath>
#include <limits>

#include "base/decimal.hpp"
#include "base/vector_intrinsics.hpp"

namespace scalelaw {
namespace {

/// A number of two digits, or -1. Most utilisations are one.
int two_digits(const char* begin) {
  const auto digit = [](char c) {
    return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0';
  };
  const unsigned tens = digit(begin[0]);
  const unsigned ones = digit(begin[1]);
  return tens <= 9 && ones <= 9 ? static_cast<int>(10 * tens + ones) : -1;
}

}  // namespace

bool plain_decimals_by_field(const IndexedColumn& column, std::size_t first, std::size_t count,
                             double* out) {
  bool all = true;
  const std::uint32_t* ends = column.ends + first * column.stride;
  for (std::size_t row = first; row < count; ++row, ends += column.stride) {
    const char* const begin = column.text + static_cast<std::uint32_t>(ends[-1] + column.gap);
    const char* const end = column.text + ends[0];
    const int whole = end - begin == 2 ? two_digits(begin) : -1;
    out[row] = whole >= 0 ? whole : plain_decimal(begin, end);
    all &= !std::isnan(out[row]);
  }
  return all;
}

#if defined(__x86_64__)

bool has_wide_decimals() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512cd") != 0;
}

#define SCALELAW_WIDE \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd"), always_inline)) inline

namespace {

/// Half of eight fields: eight characters each, with the values of digits in place of digits and
/// zeros where a field is shorter. The first character is the lowest byte.
struct Halves {
  __m512i values;
  __m512i points;  ///< All ones in the bytes that are points.
};

/// The eight bytes from `text` + place on, without those before the field.
SCALELAW_WIDE Halves halves_of(const char* text, __m256i places, __m512i missing) {
  const __m512i bytes = _mm512_i32gather_epi64(places, text, 1);
  const __m512i kept = _mm512_sllv_epi64(_mm512_set1_epi64(-1), _mm512_slli_epi64(missing, 3));
  const __m512i values = _mm512_and_si512(_mm512_xor_si512(bytes, _mm512_set1_epi8('0')), kept);
  const __mmask64 points = _mm512_cmpeq_epi8_mask(values, _mm512_set1_epi8('.' ^ '0'));
  return {values, _mm512_movm_epi8(points)};
}

/// Moves the digits before the point up over it.
SCALELAW_WIDE __m512i without_point(const Halves& halves, __mmask8 has_point) {
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i before = _mm512_andnot_si512(halves.points, _mm512_sub_epi64(halves.points, one));
  const __m512i first = _mm512_and_si512(halves.values, before);
  const __m512i last = _mm512_andnot_si512(_mm512_or_si512(halves.points, before), halves.values);
  return _mm512_or_si512(last, _mm512_mask_slli_epi64(first, has_point, first, 8));
}

/// Which fields have more than one point in their halves.
SCALELAW_WIDE __mmask8 with_two_points(__m512i points) {
  const __m512i bits = _mm512_and_si512(points, _mm512_set1_epi8(1));
  return _mm512_test_epi64_mask(bits, _mm512_sub_epi64(bits, _mm512_set1_epi64(1)));
}

/// Which fields have a byte that is no digit.
SCALELAW_WIDE __mmask8 with_others(__m512i values) {
  const __m512i above = _mm512_subs_epu8(values, _mm512_set1_epi8(9));
  return _mm512_test_epi64_mask(above, above);
}

/// The numbers of eight digits each.
SCALELAW_WIDE __m512i number_of(__m512i digits) {
  const __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010A));  // 10 a + b
  const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));  // 100 ab + cd
  return _mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10000)),
                          _mm512_srli_epi64(fours, 32));
}

}  // namespace

// The steps of plain_decimal in eight lanes. A field of up to sixteen characters is two halves of
// eight; the first one is empty for most columns. Compiled for AVX-512 whatever the rest is
// compiled for, and called only if the processor has it.
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd"))) WideDecimals
plain_decimals_wide(const IndexedColumn& column, std::size_t count, double* out) {
  constexpr std::size_t kLanes = 8;
  alignas(64) static constexpr double kTens[16] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const __m512d tens = _mm512_load_pd(kTens);
  const __m512d more_tens = _mm512_load_pd(kTens + kLanes);
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i eight = _mm512_set1_epi64(8);
  const __m512i sixteen = _mm512_set1_epi64(16);
  const __m256i rows = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                          _mm256_set1_epi32(static_cast<int>(column.stride)));
  const __m256i gap = _mm256_set1_epi32(static_cast<int>(column.gap));
  const std::uint32_t* ends = column.ends;
  __mmask8 all = 0xFF;
  std::size_t row = 0;
  for (; row + kLanes <= count; row += kLanes, ends += kLanes * column.stride) {
    const __m256i end = _mm256_i32gather_epi32(reinterpret_cast<const int*>(ends), rows, 4);
    const __m256i before = _mm256_i32gather_epi32(reinterpret_cast<const int*>(ends - 1), rows, 4);
    const __m512i length =
        _mm512_cvtepu32_epi64(_mm256_sub_epi32(_mm256_sub_epi32(end, before), gap));
    // Fields that are empty or too long have lengths that are none as unsigned numbers.
    const __mmask8 usual =
        _mm512_cmplt_epu64_mask(_mm512_sub_epi64(length, one), _mm512_set1_epi64(16));
    const Halves low = halves_of(column.text - 8, end,
                                 _mm512_max_epi64(_mm512_sub_epi64(eight, length), __m512i{}));
    __mmask8 has_point = _mm512_test_epi64_mask(low.points, low.points);
    __mmask8 refused = with_two_points(low.points);
    __m512i decimals = _mm512_srli_epi64(_mm512_lzcnt_epi64(low.points), 3);
    __m512i digits = without_point(low, has_point);
    __m512i mantissa;
    if (_mm512_mask_cmpgt_epi64_mask(usual, length, eight) == 0) [[likely]] {
      mantissa = number_of(digits);
    } else {
      const Halves high = halves_of(column.text - 16, end, _mm512_sub_epi64(sixteen, length));
      const __mmask8 in_high = _mm512_test_epi64_mask(high.points, high.points);
      refused |= with_two_points(high.points);
      refused |= in_high & has_point;
      const __m512i in_front = _mm512_srli_epi64(_mm512_lzcnt_epi64(high.points), 3);
      decimals = _mm512_mask_add_epi64(decimals, in_high, in_front, eight);
      // A point in the low half takes the last digit of the high half into the low one.
      const __m512i carried = _mm512_maskz_srli_epi64(has_point, high.values, 56);
      digits = _mm512_or_si512(digits, carried);
      const __m512i first =
          _mm512_mask_slli_epi64(without_point(high, in_high), has_point, high.values, 8);
      refused |= with_others(first);
      has_point |= in_high;
      // Sixteen digits are too many.
      refused |= _mm512_mask_cmpeq_epi64_mask(static_cast<__mmask8>(~has_point), length, sixteen);
      mantissa = _mm512_add_epi64(
          _mm512_mullo_epi64(number_of(first), _mm512_set1_epi64(100000000)), number_of(digits));
    }
    refused |= with_others(digits);
    __m512d value = _mm512_cvtepi64_pd(mantissa);
    if (has_point != 0) {  // Dividing takes long.
      decimals = _mm512_maskz_mov_epi64(has_point, decimals);
      // A point in front: plain decimals begin with a digit.
      refused |= _mm512_mask_cmpeq_epi64_mask(has_point, _mm512_add_epi64(decimals, one), length);
      value = _mm512_div_pd(value, _mm512_permutex2var_pd(tens, decimals, more_tens));
    }
    const __mmask8 plain = usual & static_cast<__mmask8>(~refused);
    const __m512d none = _mm512_set1_pd(std::numeric_limits<double>::quiet_NaN());
    _mm512_storeu_pd(out + row, _mm512_mask_mov_pd(none, plain, value));
    all &= plain;
  }
  return {row, all == 0xFF};
}

#undef SCALELAW_WIDE

#else

bool has_wide_decimals() { return false; }

WideDecimals plain_decimals_wide(const IndexedColumn& /*column*/, std::size_t /*count*/,
                                 double* /*out*/) {
  return {};
}

#endif

bool plain_decimals(const IndexedColumn& column, std::size_t count, double* out) {
  static const bool is_wide = has_wide_decimals();
  const WideDecimals done = is_wide ? plain_decimals_wide(column, count, out) : WideDecimals{};
  return plain_decimals_by_field(column, done.rows, count, out) && done.all;
}

}  // namespace scalelaw
