#include <limits>

#include "replay/arms.hpp"
#include "replay/bandit.hpp"
#include "replay/censored_normal.hpp"

namespace scalelaw {
namespace {

constexpr double kFirstTries = 2;

class CorrectedThompson final : public Bandit {
 public:
  CorrectedThompson(std::size_t arms, const PolicySettings& settings, RandomSource& random)
      : arms_(arms, Arm(settings.window)), posteriors_(arms), random_(random) {}

  void add(std::size_t arm, const RunOutcome& outcome) override { arms_[arm].add(outcome); }

  std::size_t choose() override {
    const auto& order = random_.permutation(static_cast<std::uint32_t>(arms_.size()));
    for (const std::uint32_t arm : order) {
      if (arms_[arm].all().n >= kFirstTries) continue;
      phase_ = Phase::kExploring;
      return arm;
    }
    phase_ = Phase::kSampling;
    const double relative_variance = pooled_relative_variance(arms_);
    std::size_t best = order.front();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
      const double draw = mean_cost_draw(arm, relative_variance);
      if (!(draw < least)) continue;
      least = draw;
      best = arm;
    }
    return best;
  }

  Phase phase() const override { return phase_; }

 private:
  double mean_cost_draw(std::size_t arm, double relative_variance) {
    const CostMoments& reached = arms_[arm].reached();
    // No run of the arm reached the target, so it is only worth a try if no arm has one.
    if (reached.n == 0) return std::numeric_limits<double>::infinity();
    const double prior_squares = kPriorDof * relative_variance * reached.mean * reached.mean;
    return posteriors_[arm].draw(random_, reached, arms_[arm].stopped(), prior_squares).mean;
  }

  std::vector<Arm> arms_;
  std::vector<CensoredNormal> posteriors_;
  RandomSource& random_;
  Phase phase_ = Phase::kExploring;
};

}  // namespace

std::unique_ptr<Bandit> make_corrected_thompson(std::size_t arms, const PolicySettings& settings,
                                                RandomSource& random) {
  return std::make_unique<CorrectedThompson>(arms, settings, random);
}

}  // namespace scalelaw
