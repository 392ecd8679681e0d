#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "scalelaw/replay/job.hpp"
#include "scalelaw/replay/random_source.hpp"

namespace scalelaw {

/// What a batch-size policy was doing when it chose.
enum class Phase : std::uint8_t {
  kFixed,      ///< It knows what it wants: default, oracle, grid search that is over.
  kExploring,  ///< It tries a size to learn of it: pruning, grid search, first draws of a bandit.
  kSampling,   ///< It weighs what it learned: Thompson sampling, confidence bounds.
};

/// "fixed", "exploring", "sampling".
std::string_view name_of(Phase phase);

/// Chooses the batch size of every run. To add one, derive from it and hand it to replay_job().
///
/// Sizes are places in JobTrace::sizes.
class BatchSizePolicy {
 public:
  virtual ~BatchSizePolicy() = default;
  /// The size of the next run.
  /// @throws DataError if every size was ruled out.
  virtual std::size_t choose() = 0;
  /// A run ended. Where it did not reach the target, its cost is what was spent until it was
  /// stopped. Of runs that overlap, results may come in another order than the choices, and for
  /// sizes that were not chosen here.
  virtual void observe(std::size_t size, double cost, bool reached) = 0;
  /// Of the last choice.
  virtual Phase phase() const = 0;
};

/// Chooses the power limit of a batch size. Limits are places in SizeTrace::limits, highest first.
class PowerLimitPolicy {
 public:
  virtual ~PowerLimitPolicy() = default;
  /// The limit for a run with that size; nothing asks for all limits to be profiled in its first
  /// epoch.
  virtual std::optional<std::size_t> choose(std::size_t size) = 0;
  /// The cost of an epoch under one limit; called from the highest limit down.
  virtual void learn(std::size_t size, std::size_t limit, double epoch_cost) = 0;
};

/// Names of the built-in policies. docs/methods.md describes them.
enum class BatchSizeRule : std::uint8_t {
  kZeus,       ///< Pruning exploration, then the Thompson sampling of the mode.
  kDefault,    ///< Always b0.
  kGrid,       ///< Every size once, b0 first, then the cheapest that reached the target.
  kOracle,     ///< The size of least expected cost.
  kThompson,   ///< Gaussian Thompson sampling over all sizes, without pruning.
  kUcb,        ///< Pruning exploration, then the least lower confidence bound of the mean cost.
  kCorrected,  ///< Pruning exploration, then the corrected Thompson sampling, in either mode.
};
enum class PowerLimitRule : std::uint8_t {
  kZeus,     ///< Just-in-time profiling.
  kMaximum,  ///< The highest limit of the batch size.
  kFixed,    ///< A given limit; the next lower one where a batch size lacks it, else its lowest.
  kOracle,   ///< The limit of least cost of an epoch, known beforehand.
};
std::string_view name_of(BatchSizeRule rule);
std::string_view name_of(PowerLimitRule rule);

/// kPaper keeps the published algorithm with its weak points; kCorrected mends them.
enum class ReplayMode : std::uint8_t { kPaper, kCorrected };
std::string_view name_of(ReplayMode mode);

/// The limits that go with a batch-size policy where none are named: the maximum with default, the
/// oracle's with oracle, otherwise Zeus's.
PowerLimitRule usual_limits(BatchSizeRule rule);

/// What built-in policies are made from.
struct PolicySettings {
  BatchSizeRule batch_size = BatchSizeRule::kZeus;
  PowerLimitRule power_limit = PowerLimitRule::kZeus;
  double fixed_limit_w = 0;  ///< Of PowerLimitRule::kFixed.
  ReplayMode mode = ReplayMode::kPaper;
  double eta = 0.5;
  std::size_t window = 0;  ///< Latest costs of a size that Thompson sampling heeds; 0: all.
  double prior_mean = 0;   ///< Of an arm's reward (minus the cost), in paper mode.
  double prior_precision = 0;
};

/// @param random  Must outlive the policy.
/// @throws std::invalid_argument if window is 1: two costs are needed for a variance.
std::unique_ptr<BatchSizePolicy> make_batch_size_policy(const PolicySettings& settings,
                                                        const JobTrace& trace,
                                                        RandomSource& random);
std::unique_ptr<PowerLimitPolicy> make_power_limit_policy(const PolicySettings& settings,
                                                          const JobTrace& trace);

}  // namespace scalelaw
