#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scalelaw/replay/policy.hpp"

namespace scalelaw {

/// Count, mean and centred sum of squares (Welford's update).
struct CostMoments {
  double n = 0;
  double mean = 0;
  double squares = 0;

  void add(double cost) {
    n += 1;
    const double distance = cost - mean;
    mean += distance / n;
    squares += distance * (cost - mean);
  }
};

/// How many runs were stopped at one bound, which their full cost exceeds.
struct StoppedRuns {
  double bound = 0;
  double n = 0;
};

/// Mean and standard deviation of an arm's cost.
struct CostSpread {
  double mean = 0;
  double deviation = 0;
};

/// The prior of the variance is worth this many costs.
inline constexpr double kPriorDof = 4;

/// Draws mean and deviation of normal costs from their posterior. The mean has a flat prior, the
/// variance a scaled inverse chi-squared prior with kPriorDof degrees of freedom. Some costs were
/// seen; for others only a lower bound is known (right-censored).
///
/// Without stopped runs the draw is exact. Otherwise it is the next state of a Markov chain with
/// that posterior: slice sampling (Neal 2003) on the likelihood itself, in (mean - mean of the
/// costs seen) / deviation and in the logarithm of the deviation. The posterior has a width of
/// about 1 in both. The effort grows with the number of different bounds, not of runs.
class CensoredNormal {
 public:
  /// @param costs          At least one.
  /// @param prior_squares  kPriorDof times the prior's variance, from 0.
  CostSpread draw(RandomSource& random, const CostMoments& costs,
                  std::span<const StoppedRuns> stopped, double prior_squares);

 private:
  std::optional<CostSpread> state_;
  double seen_ = 0;  ///< How many runs the state has taken in.
};

/// Summaries of the latest costs of one arm.
class Arm {
 public:
  /// @param window  How many of the latest costs count; 0: all.
  explicit Arm(std::size_t window) : window_(window) {}

  void add(const RunOutcome& outcome) {
    if (window_ == 0) return take(outcome);
    latest_.push_back(outcome);
    if (latest_.size() > window_) latest_.erase(latest_.begin());
    all_ = {};
    reached_ = {};
    stopped_.clear();
    for (const RunOutcome& one : latest_) take(one);
  }
  /// All costs, as reported.
  const CostMoments& all() const { return all_; }
  /// Costs of runs that reached the target.
  const CostMoments& reached() const { return reached_; }
  /// The other runs, by ascending bound. There are few, because many runs share a bound.
  std::span<const StoppedRuns> stopped() const { return stopped_; }

 private:
  void take(const RunOutcome& outcome) {
    all_.add(outcome.cost);
    outcome.reached ? reached_.add(outcome.cost) : add_stopped(outcome.at_least);
  }

  void add_stopped(double bound) {
    auto place = std::lower_bound(stopped_.begin(), stopped_.end(), bound,
                                  [](const auto& one, double of) { return one.bound < of; });
    if (place == stopped_.end() || place->bound != bound) {
      place = stopped_.insert(place, {bound, 0});
    }
    place->n += 1;
  }

  std::size_t window_;
  std::vector<RunOutcome> latest_;  ///< Empty without a window.
  CostMoments all_;
  CostMoments reached_;
  std::vector<StoppedRuns> stopped_;
};

/// The variance over the squared mean, pooled over arms; 0 if no arm has two costs.
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

// Bandits choose among arms, numbered from 0, by the costs so far. An arm stands for a batch size.

using MakeBandit = std::unique_ptr<BatchSizePolicy> (*)(std::size_t arms, const PolicySettings&,
                                                        RandomSource&);

/// Thompson sampling with a normal posterior of the mean reward. The noise precision is taken as
/// known: 1 over the variance with divisor n (Zeus, section 4.4).
extern const MakeBandit make_gaussian_thompson;

/// Thompson sampling with a Student posterior and censored costs (docs/explanation/replay.md).
extern const MakeBandit make_corrected_thompson;

/// The arm of least lower confidence bound: mean - s sqrt(2 ln t / n), where s comes from the
/// pooled relative variance.
extern const MakeBandit make_confidence_bound;

/// Zeus's exploration in two rounds. Each round goes down from the default until a size fails, then
/// up until one fails. Sizes that reached the target stay, and the cheapest one is the next
/// default. If no size reached it, the round leaves none, as published, or all.
class PruningExploration {
 public:
  PruningExploration(std::size_t sizes, std::size_t first, bool keep_if_none = false);

  /// The next size to try; empty when the rounds are over.
  std::optional<std::size_t> next();
  /// Reports the result of a run. Only a run of the awaited size counts.
  void report(std::size_t size, double cost, bool reached);
  /// In ascending order, once next() is empty.
  const std::vector<std::size_t>& survivors() const { return sizes_; }

 private:
  void plan_round();
  void end_round();

  std::vector<std::size_t> sizes_;    ///< Sizes of this round.
  std::size_t first_;                 ///< The default of this round.
  std::vector<std::size_t> down_;     ///< Sizes still to try downwards, the next one at the back.
  std::vector<std::size_t> up_;       ///< The same upwards.
  std::vector<std::size_t> reached_;  ///< Sizes that reached the target in this round.
  double least_cost_ = std::numeric_limits<double>::infinity();
  std::size_t cheapest_ = 0;
  std::optional<std::size_t> awaited_;
  bool keep_if_none_;
  bool going_down_ = true;
  int rounds_ = 0;
};

}  // namespace scalelaw
