#include "statistics/quantiles.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "base/per_thread.hpp"

namespace scalelaw {
namespace {

/// Interpolates linearly between the ranks beside a position q (n - 1); reorders `values`.
double quantile_in(std::span<double> values, double position) {
  const auto rank = static_cast<std::size_t>(position);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), nth, values.end());
  if (rank + 1 >= values.size()) return *nth;
  const double next = *std::min_element(nth + 1, values.end());
  return *nth + (position - static_cast<double>(rank)) * (next - *nth);
}

/// Shared by all samples of a thread.
std::vector<double>& buffer_of_thread() {
  thread_local PerThread<std::vector<double>> kept;
  return *kept;
}

/// The lower tail of a sample, or the upper one with its sign turned.
class Tail {
 public:
  Tail(std::span<const double> values, double sign) : values_(values), sign_(sign) {}

  /// Keeps at least the values up to `position` in order of size.
  void gather_to(double position) {
    if (values_.size() < 4 * kSample || !gather(bound_beyond(position), position)) {
      gather(std::numeric_limits<double>::infinity(), 0);
    }
  }
  double quantile(double position) {
    return sign_ * quantile_in({buffer_.data(), kept_}, position);
  }

 private:
  static constexpr std::size_t kSample = 256;

  /// A value that a sample suggests to lie beyond the position, four standard errors off.
  double bound_beyond(double position) const {
    std::array<double, kSample> sample{};
    for (std::size_t i = 0; i < kSample; ++i) {
      sample[i] = sign_ * values_[i * values_.size() / kSample];
    }
    const double rank = kSample * position / static_cast<double>(values_.size());
    const auto safe_rank =
        std::min(static_cast<double>(kSample - 1), rank + 4 * std::sqrt(rank) + 4);
    const auto nth = sample.begin() + static_cast<std::ptrdiff_t>(safe_rank);
    std::nth_element(sample.begin(), nth, sample.end());
    return *nth;
  }

  /// Keeps what is not above the bound, without a branch per value. False if that is too little.
  bool gather(double bound, double position) {
    buffer_.resize(std::max(buffer_.size(), values_.size() + 1));
    double* const out = buffer_.data();
    const double sign = sign_;
    std::size_t kept = 0;  // Local, as a member would be written back for every value.
    for (const double value : values_) {
      out[kept] = sign * value;
      kept += static_cast<std::size_t>(sign * value <= bound);
    }
    kept_ = kept;
    return static_cast<double>(kept_) >= position + 2;
  }

  std::span<const double> values_;
  double sign_;
  std::size_t kept_ = 0;
  std::vector<double>& buffer_ = buffer_of_thread();
};

}  // namespace

std::vector<double> quantiles_of(std::span<const double> values,
                                 std::span<const double> probabilities) {
  const double last = static_cast<double>(values.size()) - 1;
  std::vector<double> quantiles(probabilities.size());
  // Selects from the tails only: among all values it would cost more than drawing them.
  for (const bool upper : {false, true}) {
    const auto position = [&](double q) { return upper ? last - q * last : q * last; };
    double furthest = -1;
    for (const double q : probabilities) {
      if ((q > 0.5) == upper) furthest = std::max(furthest, position(q));
    }
    if (furthest < 0) continue;
    Tail tail(values, upper ? -1 : 1);
    tail.gather_to(furthest);
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
      const double q = probabilities[i];
      if ((q > 0.5) == upper) quantiles[i] = tail.quantile(position(q));
    }
  }
  return quantiles;
}

}  // namespace scalelaw
