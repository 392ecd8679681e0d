#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace scalelaw {

/// Bytes that must be readable before a text handed to plain_decimal.
inline constexpr std::size_t kDecimalLead = 16;

/// Whether all eight bytes of `v` are digits.
inline bool eight_digits(std::uint64_t v) {
  return ((v & 0xF0F0F0F0F0F0F0F0u) | (((v + 0x0606060606060606u) & 0xF0F0F0F0F0F0F0F0u) >> 4)) ==
         0x3333333333333333u;
}

/// The number that eight digits in a little-endian word spell.
inline std::uint64_t value_of_eight_digits(std::uint64_t v) {
  v = (v & 0x0F0F0F0F0F0F0F0Fu) * 2561 >> 8;
  v = (v & 0x00FF00FF00FF00FFu) * 6553601 >> 16;
  return (v & 0x0000FFFF0000FFFFu) * 42949672960001u >> 32;
}

/// The number in [begin, end) if it is an unsigned plain decimal with one to eight digits before the point and at
/// most seven behind it, else NaN: the caller then asks parse_number.
///
/// Exact: the digits form an integer below 2^53 that is divided by a power of ten below 10^22 (Clinger 1990), one
/// correctly rounded operation. Reads up to kDecimalLead bytes before `begin`.
inline double plain_decimal(const char* begin, const char* end) {
  static constexpr double kTens[8] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  static constexpr std::uint64_t kIntegerTens[8] = {1,     10,     100,     1000,
                                                    10000, 100000, 1000000, 10000000};
  constexpr double kNot = std::numeric_limits<double>::quiet_NaN();
  constexpr std::uint64_t kZeros = 0x3030303030303030u;
  const auto length = static_cast<std::size_t>(end - begin);
  if (length - 1 > 15) return kNot;
  std::uint64_t tail;  // The last eight bytes, the last one highest.
  std::memcpy(&tail, end - 8, 8);
  const std::uint64_t x = tail ^ 0x2E2E2E2E2E2E2E2Eu;
  const std::uint64_t points = (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
  // The highest match is the last point; a false match can only stand above a true one, and its digits then fail.
  const int decimals = points != 0 ? std::countl_zero(points) >> 3 : -1;
  const bool fraction = decimals >= 0 && static_cast<std::size_t>(decimals) < length;
  const int behind = fraction ? decimals : 0;
  const int before = static_cast<int>(length) - (fraction ? decimals + 1 : 0);
  if (before < 1 || before > 8) return kNot;
  const char* const integer_end = begin + before;
  std::uint64_t integer;
  std::memcpy(&integer, integer_end - 8, 8);
  integer = before == 8 ? integer
                        : (integer >> (64 - 8 * before) << (64 - 8 * before)) | (kZeros >> (8 * before));
  const std::uint64_t digits =
      behind == 0 ? kZeros : (tail >> (64 - 8 * behind) << (64 - 8 * behind)) | (kZeros >> (8 * behind));
  if (!eight_digits(integer) || !eight_digits(digits)) return kNot;
  const std::uint64_t mantissa =
      value_of_eight_digits(integer) * kIntegerTens[behind] + value_of_eight_digits(digits);
  if (mantissa >= std::uint64_t{1} << 53) return kNot;
  return static_cast<double>(mantissa) / kTens[behind];
}

}  // namespace scalelaw
