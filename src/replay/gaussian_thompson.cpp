#include <cmath>

#include "replay/arms.hpp"
#include "replay/bandit.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kFirstTries = 2;

class GaussianThompson final : public Bandit {
 public:
  GaussianThompson(std::size_t arms, const PolicySettings& settings, RandomSource& random)
      : arms_(arms, Arm(settings.window)),
        beliefs_(arms),
        prior_{settings.prior_mean, settings.prior_precision},
        random_(random) {}

  void add(std::size_t arm, const RunOutcome& outcome) override {
    arms_[arm].add(outcome);
    beliefs_[arm] = belief_after(arms_[arm].all());
  }

  std::size_t choose() override {
    // As published, the permutation is drawn even if nothing is left to explore.
    for (const std::uint32_t arm : random_.permutation(static_cast<std::uint32_t>(arms_.size()))) {
      if (arms_[arm].all().n >= kFirstTries) continue;
      phase_ = Phase::kExploring;
      return arm;
    }
    phase_ = Phase::kSampling;
    std::size_t best = 0;
    double greatest = 0;
    for (std::size_t arm = 0; arm < beliefs_.size(); ++arm) {
      const double draw = beliefs_[arm].mean + beliefs_[arm].deviation * random_.normal();
      if (arm > 0 && !(draw > greatest)) continue;
      greatest = draw;
      best = arm;
    }
    return best;
  }

  Phase phase() const override { return phase_; }

 private:
  struct Prior {
    double mean;
    double precision;
  };
  /// The posterior of the mean reward.
  struct Belief {
    double mean = 0;
    double deviation = 0;
  };

  Belief belief_after(const CostMoments& costs) const {
    const double reward = -costs.mean;
    const double variance = costs.squares / costs.n;
    if (variance == 0) return {reward, 0};
    const double noise_precision = 1 / variance;
    const double precision = prior_.precision + costs.n * noise_precision;
    const double sum = prior_.precision * prior_.mean + noise_precision * costs.n * reward;
    return {sum / precision, std::sqrt(1 / precision)};
  }

  std::vector<Arm> arms_;
  std::vector<Belief> beliefs_;
  Prior prior_;
  RandomSource& random_;
  Phase phase_ = Phase::kExploring;
};

}  // namespace

std::unique_ptr<Bandit> make_gaussian_thompson(std::size_t arms, const PolicySettings& settings,
                                               RandomSource& random) {
  return std::make_unique<GaussianThompson>(arms, settings, random);
}

}  // namespace scalelaw
