#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// What a policy learns of a run that ended.
struct RunOutcome {
  double cost = 0;       ///< As the mode tells it: of a run that did not reach the target what it
                         ///< spent, or as much as stands in docs/methods.md.
  bool reached = false;  ///< The target.
  double at_least = 0;   ///< What reaching the target would have cost at least: of a run that was
                         ///< stopped or could not start the bound, otherwise what it spent.
};

/// Chooses the batch size of every run. To add one, derive from it and have replay_job(),
/// replay_group() or a StudyCase make it (MakePolicies).
///
/// Sizes are places in JobTrace::sizes.
class BatchSizePolicy {
 public:
  virtual ~BatchSizePolicy() = default;
  /// The size of the next run.
  /// @throws DataError if every size was ruled out.
  virtual std::size_t choose() = 0;
  /// A run ended. Of runs that overlap, results may come in another order than the choices, and for
  /// sizes that were not chosen here.
  virtual void observe(std::size_t size, const RunOutcome& outcome) = 0;
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
  kOracle,     ///< The size of least expected cost at the limits of the power-limit policy.
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

/// The MaxPower by which the profiler and the bound of early stopping weigh time: the largest limit
/// of the batch size in paper mode, as published, of all in corrected mode.
double profiling_max_power(ReplayMode mode, const JobTrace& trace, const SizeTrace& size);

/// The limit of each size at which the power-limit policy ends, by their places.
std::vector<std::size_t> settled_limits(const PolicySettings& settings, const JobTrace& trace);

/// @param random  Must outlive the policy.
/// @throws std::invalid_argument if window is 1: two costs are needed for a variance.
std::unique_ptr<BatchSizePolicy> make_batch_size_policy(const PolicySettings& settings,
                                                        const JobTrace& trace,
                                                        RandomSource& random);
std::unique_ptr<PowerLimitPolicy> make_power_limit_policy(const PolicySettings& settings,
                                                          const JobTrace& trace);

/// The policies of one replay; both must be there.
struct Policies {
  std::unique_ptr<BatchSizePolicy> sizes;
  std::unique_ptr<PowerLimitPolicy> limits;
};

/// Makes the policies of one replay anew, so that every replay can be repeated: from the settings,
/// the job's traces, which outlive the replay, and the random numbers meant for policies. Called by
/// several threads at a time.
using MakePolicies = std::function<Policies(const PolicySettings&, const JobTrace&, RandomSource&)>;

/// The built-in policies that the settings name: what replays use where nothing else is said.
Policies make_policies(const PolicySettings& settings, const JobTrace& trace, RandomSource& random);

}  // namespace scalelaw
