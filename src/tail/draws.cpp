#include <algorithm>
#include <cmath>

#include "base/per_thread.hpp"
#include "tail/special_functions.hpp"
#include "tail/tail_parts.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kTableSize = 4096;

}  // namespace

TailDraws::TailDraws(const TailSample& sample, bool discrete)
    : sample_(sample), discrete_(discrete), index_of_(sample.size()) {
  for (std::size_t i = 0; i < sample.distinct(); ++i) {
    std::fill(index_of_.begin() + sample.below[i], index_of_.begin() + sample.below[i + 1],
              static_cast<std::uint32_t>(i));
  }
}

void TailDraws::add_counted(const std::vector<std::uint32_t>& counts,
                            TailSampleBuilder& builder) const {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) builder.add(sample_.values[i], sample_.logs[i], counts[i]);
  }
}

void TailDraws::resample(RandomStream& random, TailSample& out) const {
  thread_local PerThread<std::vector<std::uint32_t>> kept;
  std::vector<std::uint32_t>& counts = *kept;
  counts.assign(sample_.distinct(), 0);
  for (std::uint32_t i = 0; i < sample_.size(); ++i)
    ++counts[index_of_[random.below(sample_.size())]];
  TailSampleBuilder builder(out);
  add_counted(counts, builder);
  builder.finish();
}

NullDraws::NullDraws(const TailSample& sample, bool discrete, double log_x_min, double alpha)
    : TailDraws(sample, discrete), log_x_min_(log_x_min), alpha_(alpha) {
  const auto first = std::lower_bound(sample.logs.begin(), sample.logs.end(), log_x_min);
  body_ = sample.below[static_cast<std::size_t>(first - sample.logs.begin())];
  if (!discrete) return;
  x_min_ = std::round(std::exp(log_x_min));
  all_ = scaled_zeta(alpha, x_min_);
  for (std::size_t i = 0; i < kTableSize; ++i) {
    share_above_.push_back(share_from(x_min_ + static_cast<double>(i + 1)));
  }
}

void NullDraws::draw(RandomStream& random, TailSample& out) const {
  thread_local PerThread<std::vector<std::uint32_t>> kept;
  std::vector<std::uint32_t>& counts = *kept;
  counts.assign(body_ > 0 ? index_of_[body_ - 1] + std::size_t{1} : 0, 0);
  std::uint32_t in_tail = 0;
  for (std::uint32_t i = 0; i < sample_.size(); ++i) {
    const std::uint32_t rank = random.below(sample_.size());
    if (rank < body_) {
      ++counts[index_of_[rank]];
    } else {
      ++in_tail;
    }
  }
  TailSampleBuilder builder(out);
  add_counted(counts, builder);
  discrete_ ? add_discrete_tail(in_tail, random, builder)
            : add_continuous_tail(in_tail, random, builder);
  builder.finish();
}

// The gaps between sorted exponential variables are exponential themselves (Renyi 1953).
void NullDraws::add_continuous_tail(std::uint32_t count, RandomStream& random,
                                    TailSampleBuilder& builder) const {
  double log = log_x_min_;
  for (std::uint32_t left = count; left > 0; --left) {
    log -= std::log(random.uniform()) / (left * (alpha_ - 1));
    builder.add(std::exp(log), log, 1);
  }
}

void NullDraws::add_discrete_tail(std::uint32_t count, RandomStream& random,
                                  TailSampleBuilder& builder) const {
  double log_share = 0;
  double value = x_min_;
  std::uint32_t same = 0;
  for (std::uint32_t left = count; left > 0; --left) {
    log_share += std::log(random.uniform()) / left;
    const double next = discrete_value(std::exp(log_share), value);
    if (next != value && same > 0) {
      builder.add(value, std::log(value), same);
      same = 0;
    }
    value = next;
    ++same;
  }
  if (same > 0) builder.add(value, std::log(value), same);
}

double NullDraws::share_from(double value) const {
  return std::pow(value / x_min_, -alpha_) * scaled_zeta(alpha_, value) / all_;
}

/// The value v >= `at_least` with P(X > v) < share <= P(X >= v).
double NullDraws::discrete_value(double share, double at_least) const {
  auto i = static_cast<std::size_t>(std::min(at_least - x_min_, static_cast<double>(kTableSize)));
  while (i < kTableSize && share_above_[i] >= share) ++i;
  if (i < kTableSize) return x_min_ + static_cast<double>(i);
  double low = std::max(at_least, x_min_ + static_cast<double>(kTableSize));
  double high = low;
  while (share_from(high + 1) >= share && high < 1e300) high = 2 * high;
  while (high - low > 1) {
    const double middle = std::floor(0.5 * (low + high));
    if (middle <= low || middle >= high) break;
    (share_from(middle + 1) >= share ? low : high) = middle;
  }
  return share_from(low + 1) >= share ? high : low;
}

}  // namespace scalelaw
