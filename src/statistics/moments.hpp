#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace scalelaw {

/// Count, mean, spread and greatest value of a quantity, without its values.
///
/// Values are summed as differences from the first one. Sums of whole numbers are then exact, and a
/// large level costs no digits of the spread. Sums over short blocks keep long series from
/// drifting.
class Moments {
 public:
  /// The whole content of a Moments, with sums as differences from the origin.
  struct State {
    std::uint64_t count = 0;
    double origin = 0;
    double largest = 0;
    long double sum = 0;
    long double squares = 0;
  };

  Moments() = default;
  explicit Moments(const State& state)
      : count_(state.count),
        origin_(state.origin),
        largest_(state.largest),
        sum_(state.sum),
        squares_(state.squares) {}
  /// A state from which an equal Moments can be made, to the last bit.
  State state() const {
    return {count_, origin_, largest_, sum_ + block_sum_, squares_ + block_squares_};
  }

  void add(double value) {
    if (count_ == 0) [[unlikely]] {
      origin_ = value;
      largest_ = value;
    }
    const double d = value - origin_;
    ++count_;
    block_sum_ += d;
    block_squares_ += d * d;
    largest_ = std::max(largest_, value);
    if (count_ % kBlock == 0) [[unlikely]]
      close_block();
  }

  /// Adds the values of another one (Chan, Golub and LeVeque 1979).
  void merge(Moments other) {
    if (other.count_ == 0) return;
    if (count_ == 0) {
      *this = other;
      return;
    }
    close_block();
    other.close_block();
    const auto n = static_cast<long double>(other.count_);
    const long double shift = static_cast<long double>(other.origin_) - origin_;
    squares_ += other.squares_ + 2 * shift * other.sum_ + n * shift * shift;
    sum_ += other.sum_ + n * shift;
    count_ += other.count_;
    largest_ = std::max(largest_, other.largest_);
  }

  std::uint64_t count() const { return count_; }
  std::optional<double> mean() const {
    if (count_ == 0) return std::nullopt;
    return static_cast<double>(origin_ + (sum_ + block_sum_) / static_cast<long double>(count_));
  }
  std::optional<double> largest() const {
    return count_ == 0 ? std::nullopt : std::optional(largest_);
  }
  /// Population standard deviation over mean; empty if the mean is 0.
  std::optional<double> variation() const {
    const auto average = mean();
    if (!average || *average == 0) return std::nullopt;
    return static_cast<double>(std::sqrt(mean_square())) / std::abs(*average);
  }
  /// Sample standard deviation: empty for fewer than two values, exactly 0 if all are equal.
  std::optional<double> standard_deviation() const {
    if (count_ < 2) return std::nullopt;
    const auto n = static_cast<long double>(count_);
    return static_cast<double>(std::sqrt(mean_square() * (n / (n - 1))));
  }

 private:
  static constexpr std::uint64_t kBlock = 1024;

  /// Mean square of the distances from the mean.
  long double mean_square() const {
    const auto n = static_cast<long double>(count_);
    const long double shift = (sum_ + block_sum_) / n;
    return std::max(0.0L, (squares_ + block_squares_) / n - shift * shift);
  }

  void close_block() {
    sum_ += block_sum_;
    squares_ += block_squares_;
    block_sum_ = block_squares_ = 0;
  }

  std::uint64_t count_ = 0;
  double origin_ = 0;
  double largest_ = 0;
  double block_sum_ = 0;  ///< Sum since the last block was closed.
  double block_squares_ = 0;
  long double sum_ = 0;
  long double squares_ = 0;
};

}  // namespace scalelaw
