#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace scalelaw {

/// ln t as an integer multiple of 2^-53, so that its sums are exact in any order.
///
/// |ln t| < 746 for every positive double, so 63 bits hold it. The error is at most 0.6 units
/// (2^-53) for t between 2^-60 and 2^60, and 2 units elsewhere. For |ln t| >= 1 this is as good as
/// a correctly rounded double.
///
/// Method: t = m 2^e, and a table gives c = 1/m to ten bits. Then r = m c - 1 is exact in integers
/// and |r| < 2^-7. ln t = e ln 2 - ln c + r + (log1p(r) - r), with a series for the last term.
class FixedLog {
 public:
  static constexpr int kBits = 53;
  static constexpr double kUnit = 0x1p-53;

  /// @param t  A positive finite number.
  std::int64_t operator()(double t) const {
    auto bits = std::bit_cast<std::uint64_t>(t);
    std::int64_t shift = 0;
    if (bits < kLeastNormal) [[unlikely]] {
      bits = std::bit_cast<std::uint64_t>(t * 0x1p64);
      shift = 64;
    }
    const std::int64_t e = static_cast<std::int64_t>(bits >> 52) - 1023 - shift;
    const std::uint64_t mantissa = (bits & kFraction) | (kFraction + 1);
    const Entry& entry = table_[(bits >> 45) & 127];
    const auto r =
        static_cast<std::int64_t>(mantissa * entry.reciprocal - (std::uint64_t{1} << 62));
    const double x = static_cast<double>(r) * 0x1p-62;
    const double x2 = x * x;
    const double series =
        x2 * (-0.5 + x * (1.0 / 3) +
              x2 * (-0.25 + x * 0.2 + x2 * (-1.0 / 6 + x * (1.0 / 7) - x2 * 0.125)));
    const std::int64_t low = entry.log + r + std::llrint(series * 0x1p62) + e * kLn2Low;
    return e * kLn2 + ((low + 256) >> 9);
  }

  /// The logarithms of `count` such numbers, the same bits as one by one, several at a time where
  /// the processor can (AVX-512).
  void take(const double* ts, std::size_t count, std::int64_t* logs) const;

  FixedLog() {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const long double middle = 1 + (static_cast<long double>(i) + 0.5L) / 128;
      const auto reciprocal = static_cast<std::uint64_t>(std::llrint(1024 / middle));
      table_[i] = {reciprocal,
                   std::llrint(-std::log(static_cast<long double>(reciprocal) / 1024) * 0x1p62L)};
    }
  }

 private:
  struct Entry {
    std::uint64_t reciprocal;  ///< c in units of 2^-10.
    std::int64_t log;          ///< -ln c in units of 2^-62.
  };

  static bool has_wide();
  /// Does whole lots of numbers. Returns how many these are.
  std::size_t take_wide(const double* ts, std::size_t count, std::int64_t* logs) const;

  static constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
  static constexpr std::uint64_t kLeastNormal = std::uint64_t{1} << 52;
  static constexpr std::int64_t kLn2 =
      6243314768165359;                         ///< ln 2 in units of 2^-53, rounded down ...
  static constexpr std::int64_t kLn2Low = 107;  ///< ... and the rest in units of 2^-62.

  std::array<Entry, 128> table_;
};

/// The one that all share: its table takes longer to make than a small study to read.
inline const FixedLog& fixed_log() {
  static const FixedLog log;
  return log;
}

}  // namespace scalelaw
