#include <cmath>
#include <limits>

#include "replay/arms.hpp"
#include "replay/bandit.hpp"

namespace scalelaw {
namespace {

class ConfidenceBound final : public Bandit {
 public:
  ConfidenceBound(std::size_t arms, const PolicySettings& settings)
      : arms_(arms, Arm(settings.window)) {}

  void add(std::size_t arm, const RunOutcome& outcome) override { arms_[arm].add(outcome); }

  std::size_t choose() override {
    const double spread = std::sqrt(pooled_relative_variance(arms_));
    double total = 0;
    for (const Arm& arm : arms_) total += arm.all().n;
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
      const CostMoments& costs = arms_[arm].all();
      if (costs.n == 0) return arm;
      const double bound = costs.mean * (1 - spread * std::sqrt(2 * std::log(total) / costs.n));
      if (!(bound < least)) continue;
      least = bound;
      best = arm;
    }
    return best;
  }

  Phase phase() const override { return Phase::kSampling; }

 private:
  std::vector<Arm> arms_;
};

}  // namespace

std::unique_ptr<Bandit> make_confidence_bound(std::size_t arms, const PolicySettings& settings) {
  return std::make_unique<ConfidenceBound>(arms, settings);
}

}  // namespace scalelaw
