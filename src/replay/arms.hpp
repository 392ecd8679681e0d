#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "replay/bandit.hpp"

namespace scalelaw {

/// The latest costs of one arm.
class Arm {
 public:
  /// @param window  How many count; 0: all.
  explicit Arm(std::size_t window) : window_(window) {}

  void add(const CostObservation& observation) {
    seen_.push_back(observation);
    if (window_ > 0 && seen_.size() > window_) seen_.erase(seen_.begin());
    if (window_ == 0) {
      take(observation);
      return;
    }
    all_ = {};
    reached_ = {};
    for (const CostObservation& one : seen_) take(one);
  }
  std::span<const CostObservation> seen() const { return seen_; }
  /// Of all costs, as spent.
  const CostMoments& all() const { return all_; }
  /// Of runs that reached the target.
  const CostMoments& reached() const { return reached_; }

 private:
  void take(const CostObservation& observation) {
    all_.add(observation.cost);
    if (observation.reached) reached_.add(observation.cost);
  }

  std::size_t window_;
  std::vector<CostObservation> seen_;
  CostMoments all_;
  CostMoments reached_;
};

/// The variance over the squared mean that arms share; 0 where no arm has two costs.
inline double pooled_relative_variance(std::span<const Arm> arms) {
  double squares = 0;
  double dof = 0;
  for (const Arm& arm : arms) {
    const CostMoments& costs = arm.reached();
    if (costs.n < 2) continue;
    squares += costs.squares / (costs.mean * costs.mean);
    dof += costs.n - 1;
  }
  return dof > 0 ? squares / dof : 0;
}

}  // namespace scalelaw
