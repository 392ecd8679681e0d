#include "scalelaw/base/exact.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace scalelaw {
namespace {

constexpr auto kDigitPairs = [] {
  std::array<std::array<char, 2>, 100> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
  }
  return pairs;
}();

void write_pair(char* out, std::uint32_t number) {
  std::memcpy(out, kDigitPairs[number].data(), 2);
}

/// All eight digits of a number below 1e8: two halves that the processor divides at the same time.
void write_eight_digits(char* out, std::uint32_t number) {
  const std::uint32_t high = number / 10000;
  const std::uint32_t low = number % 10000;
  write_pair(out, high / 100);
  write_pair(out + 2, high % 100);
  write_pair(out + 4, low / 100);
  write_pair(out + 6, low % 100);
}

/// Writes a whole number's digits so that they end at `end`; returns where they begin.
char* write_digits_before(char* end, std::uint64_t number) {
  while (number >= 100'000'000) {
    end -= 8;
    write_eight_digits(end, static_cast<std::uint32_t>(number % 100'000'000));
    number /= 100'000'000;
  }
  auto rest = static_cast<std::uint32_t>(number);
  while (rest >= 100) {
    end -= 2;
    write_pair(end, rest % 100);
    rest /= 100;
  }
  if (rest < 10) {
    *--end = static_cast<char>('0' + rest);
    return end;
  }
  end -= 2;
  write_pair(end, rest);
  return end;
}

constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, 20> powers{};
  std::uint64_t power = 1;
  for (std::uint64_t& entry : powers) {
    entry = power;
    power *= 10;
  }
  return powers;
}();

/// The number of decimal digits of a number > 0.
int digits_of(std::uint64_t number) {
  // 1233 / 4096 is log10(2), from below: the estimate is right or one too small.
  const int digits = (static_cast<int>(std::bit_width(number)) * 1233) >> 12;
  return digits + (number >= kPowersOfTen[static_cast<std::size_t>(digits)] ? 1 : 0);
}

constexpr int kDecimalText = 32;

// Digits are written where they stay: what was just written in pairs cannot be read back in one
// piece without waiting.

/// Makes room for the point: moves the first `count` characters one place to the left of `out` + 1.
char* set_point(char* out, int count) {
  for (int i = 0; i < count; ++i) out[i] = out[i + 1];
  out[count] = '.';
  return out;
}

char* write_scientific(char* out, std::uint64_t significand, int count, int exponent) {
  if (count == 1) {
    *out++ = static_cast<char>('0' + significand);
  } else {
    write_digits_before(out + 1 + count, significand);
    out = set_point(out, 1) + count + 1;
  }
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  const int magnitude = std::abs(exponent);
  if (magnitude >= 100) *out++ = static_cast<char>('0' + magnitude / 100);
  write_pair(out, static_cast<std::uint32_t>(magnitude % 100));
  return out + 2;
}

/// Writes significand * 10^exponent as fmt and most tools do: plainly from 1e-4 up to 1e16, else
/// with an exponent. `out` has kDecimalText bytes.
char* write_decimal(char* out, std::uint64_t significand, int exponent) {
  const int count = digits_of(significand);
  const int point = count + exponent;  // Digits before the decimal point.
  if (point <= -4 || point > 16) return write_scientific(out, significand, count, point - 1);
  if (point <= 0) {
    out[0] = '0';
    out[1] = '.';
    std::memset(out + 2, '0', 3);
    char* const end = out + 2 - point + count;
    write_digits_before(end, significand);
    return end;
  }
  if (point >= count) {
    write_digits_before(out + count, significand);
    std::memset(out + count, '0', static_cast<std::size_t>(point - count));
    return out + point;
  }
  write_digits_before(out + 1 + count, significand);
  return set_point(out, point) + count + 1;
}
}  // namespace

void append_exact(std::string& out, double value) {
  if (value == 0) {
    out += std::signbit(value) ? "-0" : "0";
  } else if (!std::isfinite(value)) {
    out += std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  } else {
    char text[kDecimalText];
    char* end = text;
    if (value < 0) *end++ = '-';
    // The digits that fmt's "{}" writes; writing them here takes half its time, and tables of fits
    // are mostly numbers.
    const auto [significand, exponent] = fmt::detail::dragonbox::to_decimal(std::fabs(value));
    end = write_decimal(end, significand, exponent);
    out.append(text, end);
  }
}
}  // namespace scalelaw
