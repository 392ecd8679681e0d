#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "scalelaw/runs/cell.hpp"

namespace scalelaw {

// Aligned like their halves, which keeps cells small enough for the nearest caches.
__extension__ typedef __int128 Int128 __attribute__((aligned(8)));  // NOLINT(modernize-use-using)
__extension__ typedef unsigned __int128 Uint128
    __attribute__((aligned(8)));  // NOLINT(modernize-use-using)

/// A sum of squares of 63-bit integers: 192 bits, so that 2^64 terms cannot overflow it.
struct SquareSum {
  Uint128 low = 0;
  std::uint64_t high = 0;

  void add(std::int64_t value) {
    const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
    add(static_cast<Uint128>(magnitude) * magnitude, 0);
  }
  void add(Uint128 low_part, std::uint64_t high_part) {
    high += high_part + (__builtin_add_overflow(low, low_part, &low) ? 1 : 0);
  }
};

/// Exact sums of doubles of similar size. A double is m 2^e with a 53-bit integer m. Eight
/// neighbouring e form a class. Within a class, doubles become 61-bit integers on one scale, whose
/// sum is exact in any order.
struct ScaledSums {
  static constexpr std::int32_t kNoClass = -1;

  std::int32_t scale_class = kNoClass;
  std::int32_t next = -1;  ///< Index of the sums of the cell's next class; -1: none.
  Int128 sum = 0;
  SquareSum squares;
};

/// A double as an integer on the scale of its class: value = integer * 2^(8 * scale_class - 1075).
struct ScaledValue {
  std::int32_t scale_class;
  std::int64_t integer;
};

inline ScaledValue scaled(double value) {
  constexpr std::uint64_t kImplicitBit = std::uint64_t{1} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  auto exponent = static_cast<std::int32_t>((bits >> 52) & 0x7FF);
  std::uint64_t mantissa = (bits & (kImplicitBit - 1)) | kImplicitBit;
  if (exponent == 0) [[unlikely]] {  // Zero, or so small that the leading bit is not implied.
    mantissa -= kImplicitBit;
    exponent = 1;
  }
  const auto integer = static_cast<std::int64_t>(mantissa << (exponent & 7));
  return {exponent >> 3, value < 0 ? -integer : integer};
}

/// Exact moments of the response in one cell. Adding and merging give the same bits in any order.
struct CellSums {
  std::uint64_t count = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  Int128 log_sum = 0;  ///< Sum of ln y in units of 2^-53 (FixedLog).
  SquareSum log_squares;
  ScaledSums values;  ///< Sums of y; further classes are in the pool, from values.next on.

  /// Adds one row. `log` is ln y from FixedLog, or 0 if no logarithm is needed.
  void add(double value, std::int64_t log, std::vector<ScaledSums>& pool) {
    ++count;
    min = value < min ? value : min;
    max = value > max ? value : max;
    log_sum += log;
    log_squares.add(log);
    const ScaledValue v = scaled(value);
    ScaledSums& sums = v.scale_class == values.scale_class ? values : of_class(v.scale_class, pool);
    sums.sum += v.integer;
    sums.squares.add(v.integer);
  }

  /// Adds the rows of another cell, whose further classes are in its own pool.
  void merge(const CellSums& other, const std::vector<ScaledSums>& other_pool,
             std::vector<ScaledSums>& pool);

  /// The finished moments at `x`.
  Cell cell(double x, const std::vector<ScaledSums>& pool) const;

 private:
  ScaledSums& of_class(std::int32_t scale_class, std::vector<ScaledSums>& pool);
};

}  // namespace scalelaw
