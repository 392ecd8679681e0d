#include <algorithm>
#include <cmath>
#include <limits>

#include "replay/arms.hpp"
#include "replay/bandit.hpp"

namespace scalelaw {
namespace {

/// How many costs the variance that all arms share is worth to an arm.
constexpr double kPriorDof = 4;

/// Chi-squared with any positive dof (Marsaglia and Tsang 2000, twice their gamma).
double chi_squared(RandomSource& random, double dof) {
  const double shape = dof / 2;
  if (shape < 1) {
    const double u = 1 - random.uniform();
    return chi_squared(random, dof + 2) * std::pow(u, 1 / shape);
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal();
    const double v = std::pow(1 + c * x, 3);
    if (!(v > 0)) continue;
    const double log_u = std::log1p(-random.uniform());
    if (log_u < 0.5 * x * x + d - d * v + d * std::log(v)) return 2 * d * v;
  }
}

/// Standard normal above `lower` (Robert 1995).
double normal_above(RandomSource& random, double lower) {
  if (lower <= 0) {
    for (;;) {
      const double z = random.normal();
      if (z > lower) return z;
    }
  }
  const double rate = (lower + std::sqrt(lower * lower + 4)) / 2;
  for (;;) {
    const double z = lower - std::log1p(-random.uniform()) / rate;
    if (random.uniform() < std::exp(-0.5 * (z - rate) * (z - rate))) return z;
  }
}

class CorrectedThompson final : public Bandit {
 public:
  CorrectedThompson(std::size_t arms, const PolicySettings& settings, RandomSource& random)
      : arms_(arms, Arm(settings.window)), last_(arms), random_(random) {}

  void add(std::size_t arm, const CostObservation& observation) override {
    arms_[arm].add(observation);
    last_[arm].reset();
  }

  std::size_t choose() override {
    const auto& order = random_.permutation(static_cast<std::uint32_t>(arms_.size()));
    for (const std::uint32_t arm : order) {
      if (arms_[arm].seen().size() >= 2) continue;
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
  /// Mean and spread of an arm's cost, as drawn from their posterior.
  struct Draw {
    double mean;
    double deviation;
  };

  double mean_cost_draw(std::size_t arm, double relative_variance) {
    const CostMoments& reached = arms_[arm].reached();
    // No run of the arm reached the target: only worth a try if that holds for all.
    if (reached.n == 0) return std::numeric_limits<double>::infinity();
    const double prior_squares = kPriorDof * relative_variance * reached.mean * reached.mean;
    if (reached.n == arms_[arm].all().n) return drawn(reached, prior_squares).mean;
    // One sweep of a Gibbs sampler: what stopped runs would have cost, then mean and spread.
    Draw& state = last_[arm] ? *last_[arm] : last_[arm].emplace(start(reached, prior_squares));
    CostMoments completed = reached;
    for (const CostObservation& one : arms_[arm].seen()) {
      if (!one.reached) completed.add(cost_above(one.cost, state));
    }
    state = drawn(completed, prior_squares);
    return state.mean;
  }

  static Draw start(const CostMoments& reached, double prior_squares) {
    return {reached.mean,
            std::sqrt((prior_squares + reached.squares) / (kPriorDof + reached.n - 1))};
  }

  /// From the posterior of a normal sample: flat prior of the mean, scaled inverse chi-squared one
  /// of the variance.
  Draw drawn(const CostMoments& costs, double prior_squares) {
    const double squares = prior_squares + costs.squares;
    if (!(squares > 0)) return {costs.mean, 0};
    const double deviation = std::sqrt(squares / chi_squared(random_, kPriorDof + costs.n - 1));
    return {costs.mean + deviation / std::sqrt(costs.n) * random_.normal(), deviation};
  }

  double cost_above(double bound, const Draw& state) {
    if (!(state.deviation > 0)) return std::max(bound, state.mean);
    return state.mean +
           state.deviation * normal_above(random_, (bound - state.mean) / state.deviation);
  }

  std::vector<Arm> arms_;
  std::vector<std::optional<Draw>> last_;  ///< State of the sampler of arms with stopped runs.
  RandomSource& random_;
  Phase phase_ = Phase::kExploring;
};

}  // namespace

std::unique_ptr<Bandit> make_corrected_thompson(std::size_t arms, const PolicySettings& settings,
                                                RandomSource& random) {
  return std::make_unique<CorrectedThompson>(arms, settings, random);
}

}  // namespace scalelaw
