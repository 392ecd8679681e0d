#include <algorithm>
#include <cmath>
#include <limits>

#include "tail/special_functions.hpp"
#include "tail/tail_parts.hpp"

namespace scalelaw {
namespace {

struct Place {
  double model = 0;     ///< The power law's share below the value.
  double distance = 0;  ///< Distance from the sample's share, there and just above.
};

class ContinuousTail {
 public:
  ContinuousTail(const TailSample& sample, std::size_t first, double log_x_min)
      : sample_(sample),
        first_(first),
        log_x_min_(log_x_min),
        share_(1.0 / sample.from(first)),
        gap_(sample.from(first) / (sample.log_sums[first] - sample.from(first) * log_x_min)) {}

  /// In closed form, independent of other candidates.
  double alpha() const { return 1 + gap_; }

  double share_below(std::size_t i) const {
    return (sample_.below[i] - sample_.below[first_]) * share_;
  }
  Place place(std::size_t i) const {
    const double model = -std::expm1(-gap_ * (sample_.logs[i] - log_x_min_));
    return {model, std::abs(model - share_below(i))};
  }

 private:
  const TailSample& sample_;
  std::size_t first_;
  double log_x_min_;
  double share_;
  double gap_;  ///< alpha - 1.
};

/// The maximum-likelihood exponent of a power law on whole numbers from q on: it gives ln(x / q)
/// the mean that the sample has. Newton's steps use the logarithm of the mean, which is nearly
/// straight where the power law is steep.
double discrete_alpha(double mean_log, double q, double start) {
  constexpr int kMostSteps = 100;
  double alpha = start;
  for (int step = 0; step < kMostSteps; ++step) {
    const ZetaSums sums = zeta_sums(alpha, q);
    const double mean = sums.log_moment / sums.value;
    const double slope = mean * mean - sums.log_square_moment / sums.value;
    const double change = std::log(mean_log / mean) * mean / slope;
    const double next = alpha + change > 1 ? alpha + change : 0.5 * (1 + alpha);
    const bool done = std::abs(next - alpha) <= 1e-14 * alpha;
    alpha = next;
    if (done) break;
  }
  return alpha;
}

class DiscreteTail {
 public:
  DiscreteTail(const TailSample& sample, std::size_t first, double log_x_min)
      : sample_(sample),
        first_(first),
        x_min_(log_x_min == sample.logs[first] ? sample.values[first]
                                               : std::round(std::exp(log_x_min))),
        share_(1.0 / sample.from(first)) {
    const double n = sample.from(first);
    const double mean_log = sample.log_sums[first] / n - log_x_min;
    // The continuous estimate for values that were rounded to whole numbers (Clauset et al., 3.7).
    const double start = 1 + 1 / (mean_log + std::log(x_min_ / (x_min_ - 0.5)));
    alpha_ = discrete_alpha(mean_log, x_min_, start);
    all_ = scaled_zeta(alpha_, x_min_);
  }

  double alpha() const { return alpha_; }

  double share_below(std::size_t i) const {
    return (sample_.below[i] - sample_.below[first_]) * share_;
  }
  /// Between two values of the sample, its share is constant while the power law's rises. The
  /// greatest distance is therefore at a value or at the whole number above it.
  Place place(std::size_t i) const {
    const double value = sample_.values[i];
    const double scale = std::pow(value / x_min_, -alpha_) / all_;
    const double from = scale * scaled_zeta(alpha_, value);
    const double model = 1 - from;
    const double above = model + scale;  // P(X <= value).
    return {model,
            std::max(std::abs(model - share_below(i)), std::abs(above - share_below(i + 1)))};
  }

 private:
  const TailSample& sample_;
  std::size_t first_;
  double x_min_;
  double share_;
  double alpha_ = 0;
  double all_ = 0;  ///< Scaled zeta at x_min.
};

/// Finds the greatest distance of a candidate, or finds that it exceeds `limit`.
template <class Tail>
class DistanceScan {
 public:
  DistanceScan(const Tail& tail, double limit) : tail_(tail), limit_(limit) {}

  /// The distance over the distinct values [first, end), or some value > limit if it is greater.
  /// `farthest` is tried first, and becomes the farthest place seen.
  double greatest(std::size_t first, std::size_t end, std::size_t& farthest) {
    if (farthest >= first && farthest < end) take(farthest);
    if (!exceeded()) {
      const std::size_t last = end - 1;
      scan(first, take(first), last, take(last));
    }
    if (farthest_ != kNone) farthest = farthest_;
    return greatest_;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool exceeded() const { return greatest_ > limit_; }

  double take(std::size_t i) {
    const Place place = tail_.place(i);
    if (!(place.distance <= greatest_)) {
      greatest_ = place.distance;
      farthest_ = i;
    }
    return place.model;
  }

  /// Scans the places strictly between two places with known model shares.
  void scan(std::size_t low, double model_low, std::size_t high, double model_high) {
    if (exceeded() || high - low < 2) return;
    const double bound =
        std::max(model_high - tail_.share_below(low + 1), tail_.share_below(high) - model_low);
    if (bound <= greatest_) return;
    const std::size_t middle = low + (high - low) / 2;
    const double model = take(middle);
    scan(low, model_low, middle, model);
    scan(middle, model, high, model_high);
  }

  const Tail& tail_;
  double limit_;
  double greatest_ = -1;
  std::size_t farthest_ = kNone;
};

template <class Tail>
std::optional<TailFit> fit_from(const TailSample& sample, std::size_t first, double log_x_min,
                                double limit, std::size_t& farthest) {
  const double n = sample.from(first);
  if (!(sample.log_sums[first] - n * log_x_min > 1e-13 * n)) return std::nullopt;
  const Tail tail(sample, first, log_x_min);
  const double distance =
      DistanceScan<Tail>(tail, limit).greatest(first, sample.distinct(), farthest);
  return TailFit{first, log_x_min, tail.alpha(), distance};
}

/// Takes candidates and keeps the closest.
template <class Tail>
class Search {
 public:
  explicit Search(const TailSample& sample) : sample_(sample) {}

  void try_candidate(std::size_t first) {
    const double limit = best_ ? best_->distance : std::numeric_limits<double>::infinity();
    const auto fit = fit_from<Tail>(sample_, first, sample_.logs[first], limit, farthest_);
    if (!fit || fit->distance > limit) return;
    if (best_ && fit->distance == limit && best_->first <= first) return;
    best_ = fit;
  }

  std::optional<TailFit> closest() {
    constexpr std::size_t kCoarse = 32;
    const std::size_t candidates = sample_.distinct() - 1;
    if (candidates > 2 * kCoarse) {
      for (std::size_t i = 0; i < kCoarse; ++i) try_candidate(i * candidates / kCoarse);
    }
    for (std::size_t i = 0; i < candidates; ++i) try_candidate(i);
    return best_;
  }

 private:
  const TailSample& sample_;
  std::optional<TailFit> best_;
  std::size_t farthest_ = 0;  ///< Place where the last candidate was farthest; most fail there.
};

}  // namespace

TailSample tail_sample(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  if (!std::ranges::is_sorted(sorted)) std::ranges::sort(sorted);
  TailSample sample;
  TailSampleBuilder builder(sample);
  for (std::size_t i = 0, end = 0; i < sorted.size(); i = end) {
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    builder.add(sorted[i], std::log(sorted[i]), static_cast<std::uint32_t>(end - i));
  }
  builder.finish();
  return sample;
}

std::optional<TailFit> fit_tail(const TailSample& sample, bool discrete, double log_x_min) {
  const auto place = std::lower_bound(sample.logs.begin(), sample.logs.end(), log_x_min);
  const auto first = static_cast<std::size_t>(place - sample.logs.begin());
  if (first >= sample.distinct()) return std::nullopt;
  std::size_t farthest = first;
  const double none = std::numeric_limits<double>::infinity();
  return discrete ? fit_from<DiscreteTail>(sample, first, log_x_min, none, farthest)
                  : fit_from<ContinuousTail>(sample, first, log_x_min, none, farthest);
}

std::optional<TailFit> closest_tail(const TailSample& sample, bool discrete) {
  if (sample.distinct() < 2) return std::nullopt;
  return discrete ? Search<DiscreteTail>(sample).closest()
                  : Search<ContinuousTail>(sample).closest();
}

double alpha_standard_error(double alpha, std::size_t tail_n, bool discrete, double x_min) {
  const double root = std::sqrt(static_cast<double>(tail_n));
  if (!discrete) return (alpha - 1) / root;
  const ZetaSums sums = zeta_sums(alpha, x_min);
  const double mean = sums.log_moment / sums.value;
  return 1 / (root * std::sqrt(sums.log_square_moment / sums.value - mean * mean));
}

double power_law_log_scale(double alpha, bool discrete, double x_min) {
  return discrete ? -std::log(scaled_zeta(alpha, x_min)) : std::log((alpha - 1) / x_min);
}

double power_law_log_share(double alpha, bool discrete, double x_min, double x) {
  const double z = std::log(x / x_min);
  if (!discrete) return -(alpha - 1) * z;
  return -alpha * z + std::log(scaled_zeta(alpha, x) / scaled_zeta(alpha, x_min));
}

}  // namespace scalelaw
