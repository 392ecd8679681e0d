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
  kFixed,      ///< It does not learn: default, oracle, finished grid search.
  kExploring,  ///< It tries a size to learn: pruning, grid search, first draws of a bandit.
  kSampling,   ///< It uses what it learned: Thompson sampling, confidence bounds.
};

/// "fixed", "exploring", "sampling".
std::string_view name_of(Phase phase);

/// What a policy learns about a run that ended.
struct RunOutcome {
  double cost = 0;       ///< As the mode reports it: what a run without the target spent, or the
                         ///< value in docs/explanation/replay.md.
  bool reached = false;  ///< The run reached the target.
  double at_least = 0;   ///< Lower bound of the cost to the target: the stopping bound of a run
                         ///< that was stopped or could not start, else what it spent.
};

/// Chooses the batch size of every run, as a place in JobTrace::sizes. To add a policy, derive from
/// this class and let replay_job(), replay_group() or a StudyCase make it (MakePolicies).
class BatchSizePolicy {
 public:
  virtual ~BatchSizePolicy() = default;
  /// The size of the next run.
  /// @throws DataError if every size was ruled out.
  virtual std::size_t choose() = 0;
  /// Reports that a run ended. If runs overlap, results may come in another order than the choices,
  /// and for sizes that this policy did not choose.
  virtual void observe(std::size_t size, const RunOutcome& outcome) = 0;
  /// The phase of the last choice.
  virtual Phase phase() const = 0;
};

/// Chooses the power limit of a batch size, as a place in SizeTrace::limits (highest first).
class PowerLimitPolicy {
 public:
  virtual ~PowerLimitPolicy() = default;
  /// The limit for a run of that size. If empty, its first epoch profiles all limits.
  virtual std::optional<std::size_t> choose(std::size_t size) = 0;
  /// Reports the cost of an epoch under one limit; called from the highest limit down.
  virtual void learn(std::size_t size, std::size_t limit, double epoch_cost) = 0;
};

/// Names of the built-in policies. docs/explanation/replay.md describes them.
enum class BatchSizeRule : std::uint8_t {
  kZeus,       ///< Pruning exploration, then Thompson sampling as in the mode.
  kDefault,    ///< Always b0.
  kGrid,       ///< Every size once, b0 first, then the cheapest that reached the target.
  kOracle,     ///< The size of least expected cost, under the power-limit policy.
  kThompson,   ///< Gaussian Thompson sampling over all sizes, without pruning.
  kUcb,        ///< Pruning exploration, then the least lower confidence bound of the mean cost.
  kCorrected,  ///< Pruning exploration, then the corrected Thompson sampling, in either mode.
};
enum class PowerLimitRule : std::uint8_t {
  kZeus,     ///< Just-in-time profiling.
  kMaximum,  ///< The highest limit of the batch size.
  kFixed,    ///< A given limit, or else the next lower one of the size, or its lowest.
  kOracle,   ///< The limit with the least cost per epoch, known beforehand.
};
std::string_view name_of(BatchSizeRule rule);
std::string_view name_of(PowerLimitRule rule);

/// kPaper keeps the published algorithm with its weaknesses; kCorrected repairs them.
enum class ReplayMode : std::uint8_t { kPaper, kCorrected };
std::string_view name_of(ReplayMode mode);

/// The limits that suit a batch-size policy if none are named: the maximum for default, the
/// oracle's for oracle, otherwise Zeus's.
PowerLimitRule usual_limits(BatchSizeRule rule);

/// What built-in policies need.
struct PolicySettings {
  BatchSizeRule batch_size = BatchSizeRule::kZeus;
  PowerLimitRule power_limit = PowerLimitRule::kZeus;
  double fixed_limit_w = 0;  ///< The limit of PowerLimitRule::kFixed.
  ReplayMode mode = ReplayMode::kPaper;
  double eta = 0.5;
  std::size_t window = 0;  ///< Latest costs per size that Thompson sampling uses; 0: all.
  double prior_mean = 0;   ///< Prior mean of an arm's reward (minus the cost), in paper mode.
  double prior_precision = 0;
};

/// The MaxPower that weighs time in the profiler and in the bound of early stopping. It is the
/// largest limit of the batch size in paper mode, as published, and of all sizes in corrected mode.
double profiling_max_power(ReplayMode mode, const JobTrace& trace, const SizeTrace& size);

/// For each size, the place of the limit at which the power-limit policy ends.
std::vector<std::size_t> settled_limits(const PolicySettings& settings, const JobTrace& trace);

/// @param random  Must outlive the policy.
/// @throws std::invalid_argument if window is 1, because a variance needs two costs.
std::unique_ptr<BatchSizePolicy> make_batch_size_policy(const PolicySettings& settings,
                                                        const JobTrace& trace,
                                                        RandomSource& random);
std::unique_ptr<PowerLimitPolicy> make_power_limit_policy(const PolicySettings& settings,
                                                          const JobTrace& trace);

/// The policies of one replay; both must be set.
struct Policies {
  std::unique_ptr<BatchSizePolicy> sizes;
  std::unique_ptr<PowerLimitPolicy> limits;
};

/// Makes new policies for each replay, so that every replay can be repeated. Its arguments are the
/// settings, the job's traces (they outlive the replay), and the random numbers for policies.
/// Several threads call it at a time.
using MakePolicies = std::function<Policies(const PolicySettings&, const JobTrace&, RandomSource&)>;

/// The built-in policies that the settings name; replays use them by default.
Policies make_policies(const PolicySettings& settings, const JobTrace& trace, RandomSource& random);

}  // namespace scalelaw
