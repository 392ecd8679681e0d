#include "cell_sums.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "fixed_log.hpp"

namespace scalelaw {
namespace {

using boost::multiprecision::cpp_int;
using Wide = boost::multiprecision::int512_t;

template <class Integer>
Integer wide(Int128 value) {
  const bool negative = value < 0;
  const auto magnitude = negative ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
  Integer out = static_cast<std::uint64_t>(magnitude >> 64);
  out <<= 64;
  out += static_cast<std::uint64_t>(magnitude);
  return negative ? Integer(-out) : out;
}

template <class Integer>
Integer wide(const SquareSum& sum) {
  Integer out = sum.high;
  out <<= 64;
  out += static_cast<std::uint64_t>(sum.low >> 64);
  out <<= 64;
  out += static_cast<std::uint64_t>(sum.low);
  return out;
}

/// value * 2^exponent / divisor, from the highest 64 bits of value.
template <class Integer>
double to_double(const Integer& value, int exponent, long double divisor) {
  if (value == 0) return 0;
  const Integer magnitude = value < 0 ? Integer(-value) : value;
  const int drop = std::max(0, static_cast<int>(msb(magnitude)) - 63);
  const auto high = static_cast<std::uint64_t>(magnitude >> drop);
  const long double result = std::ldexp(static_cast<long double>(high) / divisor, exponent + drop);
  return static_cast<double>(value < 0 ? -result : result);
}

struct Moments {
  double mean;
  double ss;
};

/// Mean and centred sum of squares of `count` integers on the scale 2^exponent, from an exact n S2
/// - S1^2.
template <class Integer>
Moments moments(const Integer& sum, const Integer& squares, std::uint64_t count, int exponent) {
  const auto n = static_cast<long double>(count);
  const Integer centred = squares * count - sum * sum;
  return {to_double(sum, exponent, n), to_double(centred, 2 * exponent, n)};
}

/// The moments over all scale classes of a cell, on the scale of the lowest class.
Moments moments_of_classes(const ScaledSums& first, std::uint64_t count,
                           const std::vector<ScaledSums>& pool) {
  const auto exponent_of = [](std::int32_t scale_class) { return 8 * scale_class - 1075; };
  if (first.next < 0) {
    return moments<Wide>(wide<Wide>(first.sum), wide<Wide>(first.squares), count,
                         exponent_of(first.scale_class));
  }
  std::int32_t lowest = first.scale_class;
  for (std::int32_t i = first.next; i >= 0; i = pool[i].next)
    lowest = std::min(lowest, pool[i].scale_class);
  cpp_int sum = 0;
  cpp_int squares = 0;
  const auto add = [&](const ScaledSums& sums) {
    const auto up = static_cast<unsigned>(8 * (sums.scale_class - lowest));
    sum += wide<cpp_int>(sums.sum) << up;
    squares += wide<cpp_int>(sums.squares) << (2 * up);
  };
  add(first);
  for (std::int32_t i = first.next; i >= 0; i = pool[i].next) add(pool[i]);
  return moments<cpp_int>(sum, squares, count, exponent_of(lowest));
}

}  // namespace

ScaledSums& CellSums::of_class(std::int32_t scale_class, std::vector<ScaledSums>& pool) {
  if (values.scale_class == ScaledSums::kNoClass) {
    values.scale_class = scale_class;
    return values;
  }
  for (std::int32_t i = values.next; i >= 0; i = pool[i].next) {
    if (pool[i].scale_class == scale_class) return pool[i];
  }
  pool.push_back({.scale_class = scale_class, .next = values.next, .sum = 0, .squares = {}});
  values.next = static_cast<std::int32_t>(pool.size() - 1);
  return pool.back();
}

void CellSums::merge(const CellSums& other, const std::vector<ScaledSums>& other_pool,
                     std::vector<ScaledSums>& pool) {
  if (other.count == 0) return;
  count += other.count;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  log_sum += other.log_sum;
  log_squares.add(other.log_squares.low, other.log_squares.high);
  const auto add = [&](const ScaledSums& from) {
    ScaledSums& to =
        from.scale_class == values.scale_class ? values : of_class(from.scale_class, pool);
    to.sum += from.sum;
    to.squares.add(from.squares.low, from.squares.high);
  };
  add(other.values);
  for (std::int32_t i = other.values.next; i >= 0; i = other_pool[i].next) add(other_pool[i]);
}

Cell CellSums::cell(double x, const std::vector<ScaledSums>& pool) const {
  if (count == 1) {
    return {.x = x,
            .count = 1,
            .mean_log = static_cast<double>(static_cast<std::int64_t>(log_sum)) * FixedLog::kUnit,
            .ss_log = 0,
            .mean = min,
            .ss = 0,
            .min = min,
            .max = max};
  }
  const Moments logs =
      moments<Wide>(wide<Wide>(log_sum), wide<Wide>(log_squares), count, -FixedLog::kBits);
  const Moments plain = moments_of_classes(values, count, pool);
  return {.x = x,
          .count = count,
          .mean_log = logs.mean,
          .ss_log = logs.ss,
          .mean = plain.mean,
          .ss = plain.ss,
          .min = min,
          .max = max};
}

}  // namespace scalelaw
