#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "statistics/moments.hpp"

namespace scalelaw {

/// The Moments of four quantities that are measured at the same instants. A quantity that is NaN
/// was not measured.
///
/// It adds as Moments does, to the same bits where each instant has the same quantities, but all
/// four at once and without a branch for those that are missing.
class MomentLanes {
 public:
  static constexpr std::size_t kLanes = 4;

  void add(double a, double b, double c, double d) {
    const Pairs v = {Pair{a, b}, Pair{c, d}};
    Marks begins;  // Which quantities are measured for the first time.
    for (std::size_t i = 0; i < kPairs; ++i)
      begins[i] = (v[i] == v[i]) & (origin_[i] != origin_[i]);
    if (is_any(begins)) [[unlikely]]
      begin(v);
    for (std::size_t i = 0; i < kPairs; ++i) {
      const Mark is_measured = v[i] == v[i];
      const Pair distance = either(is_measured, v[i] - origin_[i], Pair{});
      count_[i] -= is_measured;  // A mark is -1.
      sum_[i] += distance;
      squares_[i] += distance * distance;
      largest_[i] = either(v[i] > largest_[i], v[i], largest_[i]);
    }
    if (++in_block_ == kBlock) [[unlikely]]
      close_block();
  }

  /// The moments of one quantity.
  Moments of(std::size_t lane) const {
    if (count(lane) == 0) return {};
    const std::size_t i = lane / 2;
    const std::size_t j = lane % 2;
    return Moments({.count = count(lane),
                    .origin = origin_[i][j],
                    .largest = largest_[i][j],
                    .sum = closed_[lane].sum + sum_[i][j],
                    .squares = closed_[lane].squares + squares_[i][j]});
  }
  std::uint64_t count(std::size_t lane) const {
    return static_cast<std::uint64_t>(count_[lane / 2][lane % 2]);
  }

 private:
  // Two numbers are the widest vector that every processor has.
  using Pair [[gnu::vector_size(16)]] = double;
  using Mark [[gnu::vector_size(16)]] = std::int64_t;
  static constexpr std::size_t kPairs = kLanes / 2;
  using Pairs = std::array<Pair, kPairs>;
  using Marks = std::array<Mark, kPairs>;
  struct Sums {
    long double sum = 0;
    long double squares = 0;
  };
  static constexpr std::uint32_t kBlock = 1024;  // As Moments.
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  static Pair either(Mark mark, Pair yes, Pair no) { return mark ? yes : no; }
  static bool is_any(const Marks& marks) {
    const Mark both = marks[0] | marks[1];
    return (both[0] | both[1]) != 0;
  }

  void begin(const Pairs& v) {
    for (std::size_t i = 0; i < kPairs; ++i) {
      const Mark begins = (v[i] == v[i]) & (origin_[i] != origin_[i]);
      origin_[i] = either(begins, v[i], origin_[i]);
      largest_[i] = either(begins, v[i], largest_[i]);
    }
  }

  void close_block() {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      closed_[lane].sum += sum_[lane / 2][lane % 2];
      closed_[lane].squares += squares_[lane / 2][lane % 2];
    }
    sum_ = {};
    squares_ = {};
    in_block_ = 0;
  }

  Pairs origin_ = {Pair{kNone, kNone}, Pair{kNone, kNone}};
  Pairs largest_ = {Pair{kNone, kNone}, Pair{kNone, kNone}};
  Pairs sum_{};  ///< Of the block.
  Pairs squares_{};
  Marks count_{};
  std::uint32_t in_block_ = 0;         ///< Instants since the last block was closed.
  std::array<Sums, kLanes> closed_{};  ///< Of the blocks before.
};

}  // namespace scalelaw
