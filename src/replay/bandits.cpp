#include <cmath>
#include <limits>

#include "replay/bandit.hpp"
#include "replay/censored_normal.hpp"

namespace scalelaw {
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

}  // namespace scalelaw
