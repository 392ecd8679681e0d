#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "replay/bandit.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

// Measured (docs/explanation/replay.md): with these sweeps a draw after news is practically
// independent of its starting point, and so are two draws in a row without news.
constexpr int kSweeps = 1;
constexpr int kSweepsAfterNews = 12;
constexpr int kMostWidenings = 60;

/// Of the costs, with stopped runs as if they had cost their bound.
CostSpread rough_spread(const CostMoments& costs, std::span<const StoppedRuns> stopped,
                        double prior_squares) {
  double n = costs.n;
  double sum = 0;
  double squares = prior_squares + costs.squares;
  for (const StoppedRuns& one : stopped) {
    const double above = std::max(one.bound - costs.mean, 0.0);
    n += one.n;
    sum += one.n * above;
    squares += one.n * above * above;
  }
  return {costs.mean + sum / n, std::sqrt(squares / (kPriorDof + n - 1))};
}

/// The posterior in theta = (mean - mean of the costs seen) / deviation, and in log_deviation.
struct Posterior {
  const CostMoments& costs;
  std::span<const StoppedRuns> stopped;
  double squares;  ///< Sums of squares of the prior and the costs.

  /// ln density up to a constant.
  double log_density(double theta, double log_deviation) const {
    const double per_deviation = std::exp(-log_deviation);
    double log = -(kPriorDof + costs.n - 1) * log_deviation -
                 0.5 * squares * per_deviation * per_deviation - 0.5 * costs.n * theta * theta;
    for (const StoppedRuns& one : stopped) {
      log += one.n * log_normal_cdf(theta - (one.bound - costs.mean) * per_deviation);
    }
    return log;
  }
};

/// One step of a slice sampler: stepping out, then shrinkage.
template <class LogDensity>
double slice_step(RandomSource& random, double x, double width, LogDensity log_density) {
  const double level = log_density(x) + std::log1p(-random.uniform());
  double left = x - width * random.uniform();
  double right = left + width;
  for (int i = 0; i < kMostWidenings && log_density(left) > level; ++i) left -= width;
  for (int i = 0; i < kMostWidenings && log_density(right) > level; ++i) right += width;
  for (;;) {
    const double next = left + (right - left) * random.uniform();
    if (log_density(next) >= level || !(right - left > 0)) return next;
    (next < x ? left : right) = next;
  }
}

CostSpread swept(RandomSource& random, const Posterior& posterior, const CostSpread& from) {
  const double n = posterior.costs.n;
  double theta = (from.mean - posterior.costs.mean) / from.deviation;
  double log_deviation = std::log(from.deviation);
  theta = slice_step(random, theta, 2 / std::sqrt(n),
                     [&](double x) { return posterior.log_density(x, log_deviation); });
  log_deviation = slice_step(random, log_deviation, 2 / std::sqrt(kPriorDof + n),
                             [&](double x) { return posterior.log_density(theta, x); });
  const double deviation = std::exp(log_deviation);
  return {posterior.costs.mean + deviation * theta, deviation};
}

CostSpread uncensored_draw(RandomSource& random, const CostMoments& costs, double squares) {
  if (!(squares > 0)) return {costs.mean, 0};
  const double deviation = std::sqrt(squares / chi_squared_draw(random, kPriorDof + costs.n - 1));
  return {costs.mean + deviation / std::sqrt(costs.n) * random.normal(), deviation};
}

}  // namespace

CostSpread CensoredNormal::draw(RandomSource& random, const CostMoments& costs,
                                std::span<const StoppedRuns> stopped, double prior_squares) {
  if (stopped.empty()) return uncensored_draw(random, costs, prior_squares + costs.squares);
  const CostSpread rough = rough_spread(costs, stopped, prior_squares);
  if (!(rough.deviation > 0)) return {costs.mean, 0};
  if (!state_ || !(state_->deviation > 0)) state_ = rough;
  double runs = costs.n;
  for (const StoppedRuns& one : stopped) runs += one.n;
  const Posterior posterior{costs, stopped, prior_squares + costs.squares};
  const int sweeps = runs == seen_ ? kSweeps : kSweepsAfterNews;
  for (int i = 0; i < sweeps; ++i) state_ = swept(random, posterior, *state_);
  seen_ = runs;
  return *state_;
}

namespace {

/// The arm for which `value_of` is least, or the first of several; `usual` if it is infinite for
/// all.
template <class Value>
std::size_t least_arm(std::size_t arms, std::size_t usual, Value value_of) {
  std::size_t best = usual;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t arm = 0; arm < arms; ++arm) {
    const double value = value_of(arm);
    if (!(value < least)) continue;
    least = value;
    best = arm;
  }
  return best;
}

class ConfidenceBound final : public BatchSizePolicy {
 public:
  ConfidenceBound(std::size_t arms, const PolicySettings& settings, RandomSource& /*random*/)
      : arms_(arms, Arm(settings.window)) {}

  void observe(std::size_t arm, const RunOutcome& outcome) override { arms_[arm].add(outcome); }

  std::size_t choose() override {
    double total = 0;
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
      if (arms_[arm].all().n == 0) return arm;
      total += arms_[arm].all().n;
    }
    const double spread = std::sqrt(pooled_relative_variance(arms_));
    return least_arm(arms_.size(), 0, [&](std::size_t arm) {
      const CostMoments& costs = arms_[arm].all();
      return costs.mean * (1 - spread * std::sqrt(2 * std::log(total) / costs.n));
    });
  }

  Phase phase() const override { return Phase::kSampling; }

 private:
  std::vector<Arm> arms_;
};

/// Tries every arm twice in random order, then the one with the least draw of its mean cost.
class ThompsonSampling : public BatchSizePolicy {
 public:
  ThompsonSampling(std::size_t arms, const PolicySettings& settings, RandomSource& random)
      : arms_(arms, Arm(settings.window)), random_(random) {}

  std::size_t choose() final {
    constexpr double kFirstTries = 2;
    // As published, the permutation is drawn even if nothing is left to explore.
    const auto& order = random_.permutation(static_cast<std::uint32_t>(arms_.size()));
    phase_ = Phase::kExploring;
    for (const std::uint32_t arm : order) {
      if (arms_[arm].all().n < kFirstTries) return arm;
    }
    phase_ = Phase::kSampling;
    const double relative_variance = pooled_relative_variance(arms_);
    return least_arm(arms_.size(), order.front(),
                     [&](std::size_t arm) { return mean_cost_draw(arm, relative_variance); });
  }

  Phase phase() const final { return phase_; }

 protected:
  virtual double mean_cost_draw(std::size_t arm, double relative_variance) = 0;

  std::vector<Arm> arms_;
  RandomSource& random_;

 private:
  Phase phase_ = Phase::kExploring;
};

class CorrectedThompson final : public ThompsonSampling {
 public:
  CorrectedThompson(std::size_t arms, const PolicySettings& settings, RandomSource& random)
      : ThompsonSampling(arms, settings, random), posteriors_(arms) {}

  void observe(std::size_t arm, const RunOutcome& outcome) override { arms_[arm].add(outcome); }

 private:
  double mean_cost_draw(std::size_t arm, double relative_variance) override {
    const CostMoments& reached = arms_[arm].reached();
    // No run of the arm reached the target, so it is only worth a try if no arm has one.
    if (reached.n == 0) return std::numeric_limits<double>::infinity();
    const double prior_squares = kPriorDof * relative_variance * reached.mean * reached.mean;
    return posteriors_[arm].draw(random_, reached, arms_[arm].stopped(), prior_squares).mean;
  }

  std::vector<CensoredNormal> posteriors_;
};

class GaussianThompson final : public ThompsonSampling {
 public:
  GaussianThompson(std::size_t arms, const PolicySettings& settings, RandomSource& random)
      : ThompsonSampling(arms, settings, random),
        beliefs_(arms),
        prior_mean_(settings.prior_mean),
        prior_precision_(settings.prior_precision) {}

  void observe(std::size_t arm, const RunOutcome& outcome) override {
    arms_[arm].add(outcome);
    beliefs_[arm] = belief_after(arms_[arm].all());
  }

 private:
  /// The posterior of the mean reward, which is minus the cost.
  struct Belief {
    double mean = 0;
    double deviation = 0;
  };

  double mean_cost_draw(std::size_t arm, double /*relative_variance*/) override {
    return -(beliefs_[arm].mean + beliefs_[arm].deviation * random_.normal());
  }

  Belief belief_after(const CostMoments& costs) const {
    const double reward = -costs.mean;
    const double variance = costs.squares / costs.n;
    if (variance == 0) return {reward, 0};
    const double noise_precision = 1 / variance;
    const double precision = prior_precision_ + costs.n * noise_precision;
    const double sum = prior_precision_ * prior_mean_ + noise_precision * costs.n * reward;
    return {sum / precision, std::sqrt(1 / precision)};
  }

  std::vector<Belief> beliefs_;
  double prior_mean_;
  double prior_precision_;
};

template <class Bandit>
std::unique_ptr<BatchSizePolicy> make(std::size_t arms, const PolicySettings& settings,
                                      RandomSource& random) {
  return std::make_unique<Bandit>(arms, settings, random);
}

}  // namespace

const MakeBandit make_gaussian_thompson = make<GaussianThompson>;
const MakeBandit make_corrected_thompson = make<CorrectedThompson>;
const MakeBandit make_confidence_bound = make<ConfidenceBound>;

namespace {

constexpr int kRounds = 2;

}  // namespace

PruningExploration::PruningExploration(std::size_t sizes, std::size_t first, bool keep_if_none)
    : sizes_(sizes), first_(first), keep_if_none_(keep_if_none) {
  std::iota(sizes_.begin(), sizes_.end(), std::size_t{0});
  plan_round();
}

void PruningExploration::plan_round() {
  const auto above = std::upper_bound(sizes_.begin(), sizes_.end(), first_);
  down_.assign(sizes_.begin(), above);
  up_.assign(std::make_reverse_iterator(sizes_.end()), std::make_reverse_iterator(above));
  reached_.clear();
  least_cost_ = std::numeric_limits<double>::infinity();
}

void PruningExploration::end_round() {
  ++rounds_;
  std::ranges::sort(reached_);
  if (!reached_.empty()) first_ = cheapest_;
  if (!reached_.empty() || !keep_if_none_) sizes_ = reached_;
  plan_round();
}

std::optional<std::size_t> PruningExploration::next() {
  if (down_.empty() && up_.empty() && rounds_ < kRounds) end_round();
  if (rounds_ == kRounds) return std::nullopt;
  going_down_ = !down_.empty();
  std::vector<std::size_t>& list = going_down_ ? down_ : up_;
  if (list.empty()) return std::nullopt;  // No size survived the first round.
  awaited_ = list.back();
  list.pop_back();
  return awaited_;
}

void PruningExploration::report(std::size_t size, double cost, bool reached) {
  if (awaited_ != size) return;
  awaited_.reset();
  if (!reached) {
    (going_down_ ? down_ : up_).clear();
    return;
  }
  reached_.push_back(size);
  if (!(cost < least_cost_)) return;
  least_cost_ = cost;
  cheapest_ = size;
}

}  // namespace scalelaw
