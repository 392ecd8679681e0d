#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>

namespace scalelaw {

inline double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The correlation of as many values each; NaN if one of them does not vary.
inline double correlation_of(std::span<const double> a, std::span<const double> b) {
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  double aa = 0;
  double bb = 0;
  double ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

/// Count, mean, spread and greatest value of a quantity, without its values.
///
/// Values are summed as differences from the first one, so that whole numbers add exactly and a
/// large level costs no digits of the spread. Short blocks keep sums of long series from drifting.
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
  explicit Moments(const State& state) : all_(state) {}
  /// A state from which an equal Moments can be made, to the last bit.
  State state() const {
    return {all_.count, all_.origin, all_.largest, all_.sum + block_sum_,
            all_.squares + block_squares_};
  }

  void add(double value) {
    if (all_.count == 0) [[unlikely]] {
      all_.origin = value;
      all_.largest = value;
    }
    const double d = value - all_.origin;
    ++all_.count;
    block_sum_ += d;
    block_squares_ += d * d;
    all_.largest = std::max(all_.largest, value);
    if (all_.count % kBlock == 0) [[unlikely]]
      close_block();
  }

  /// Adds the values of another one (Chan, Golub and LeVeque 1979).
  void merge(Moments other) {
    if (other.all_.count == 0) return;
    if (all_.count == 0) {
      *this = other;
      return;
    }
    close_block();
    other.close_block();
    const auto n = static_cast<long double>(other.all_.count);
    const long double shift = static_cast<long double>(other.all_.origin) - all_.origin;
    all_.squares += other.all_.squares + 2 * shift * other.all_.sum + n * shift * shift;
    all_.sum += other.all_.sum + n * shift;
    all_.count += other.all_.count;
    all_.largest = std::max(all_.largest, other.all_.largest);
  }

  std::uint64_t count() const { return all_.count; }
  std::optional<double> mean() const {
    if (all_.count == 0) return std::nullopt;
    return static_cast<double>(all_.origin +
                               (all_.sum + block_sum_) / static_cast<long double>(all_.count));
  }
  std::optional<double> largest() const {
    return all_.count == 0 ? std::nullopt : std::optional(all_.largest);
  }
  /// Population standard deviation over mean; empty if the mean is 0.
  std::optional<double> variation() const {
    const auto average = mean();
    if (!average || *average == 0) return std::nullopt;
    return static_cast<double>(std::sqrt(mean_square())) / std::abs(*average);
  }
  /// Sample standard deviation: empty for fewer than two values, exactly 0 if all are equal.
  std::optional<double> standard_deviation() const {
    if (all_.count < 2) return std::nullopt;
    const auto n = static_cast<long double>(all_.count);
    return static_cast<double>(std::sqrt(mean_square() * (n / (n - 1))));
  }

 private:
  static constexpr std::uint64_t kBlock = 1024;

  /// Mean square of the distances from the mean.
  long double mean_square() const {
    const auto n = static_cast<long double>(all_.count);
    const long double shift = (all_.sum + block_sum_) / n;
    return std::max(0.0L, (all_.squares + block_squares_) / n - shift * shift);
  }

  void close_block() {
    all_.sum += block_sum_;
    all_.squares += block_squares_;
    block_sum_ = block_squares_ = 0;
  }

  State all_;             ///< Its sums lack those of the block.
  double block_sum_ = 0;  ///< Sum since the last block was closed.
  double block_squares_ = 0;
};

}  // namespace scalelaw
