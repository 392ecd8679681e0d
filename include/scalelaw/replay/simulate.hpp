#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/replay/job.hpp"
#include "scalelaw/replay/policy.hpp"
#include "scalelaw/replay/random_source.hpp"

namespace scalelaw {

/// How a job is replayed.
struct ReplaySettings {
  PolicySettings policy = {};
  double beta = 2;  ///< A run stops before it costs more than beta times the least cost so far;
                    ///< infinity: never.
  std::uint32_t recurrences = 0;  ///< 0: JobTrace::usual_recurrences().
  std::uint64_t seed = 1;
  RandomKind random = RandomKind::kZeus;
};

/// One run that took place.
struct ReplayedRun {
  std::uint32_t recurrence = 0;  ///< Counted from 1.
  std::size_t size = 0;          ///< Place in JobTrace::sizes.
  std::size_t limit = 0;         ///< Place in SizeTrace::limits.
  double epochs = 0;
  double energy_j = 0;
  double time_s = 0;
  double cost = 0;
  bool reached = false;
  bool profiling = false;  ///< All limits shared its first epoch.
  Phase phase = Phase::kFixed;

  Spending spending() const { return {energy_j, time_s, cost}; }
};

/// The result of a recurring job.
struct Replay {
  std::uint32_t recurrences = 0;  ///< As requested.
  std::vector<ReplayedRun> history;
  std::vector<std::size_t> first_choices;  ///< The first size of each recurrence, started or not.
  std::uint32_t not_started = 0;  ///< Choices whose first epoch alone would exceed the bound.
  Spending totals;
  std::optional<double> min_cost;      ///< The least cost of a recurrence, which beta multiplies.
  std::optional<std::string> failure;  ///< Why it ended before the last recurrence.
};

/// Replays a job whose runs follow one another (Zeus's trace-driven simulation). Every run draws
/// one of the training runs of its batch size, and lasts as many epochs as that one needed.
///
/// Paper mode equals the published simulator, run for run, if random is kZeus. Corrected mode
/// differs in three ways. Early stopping uses the least cost of a run, not of a recurrence with its
/// failed tries. Profiles use the same MaxPower as the cost. A run that could not start costs more
/// than the bound for the policy, not a hundred times the bound.
///
/// @param make  Makes the policies; by default the built-in ones that the settings name.
/// @throws std::invalid_argument if eta is not in [0, 1], beta is below 1 or the window is 1.
Replay replay_job(const JobTrace& trace, const ReplaySettings& settings,
                  const MakePolicies& make = make_policies);

/// The same with given policies; of `settings.policy` only eta and mode count.
/// @param paths  Draws the training runs.
Replay replay_job(const JobTrace& trace, const ReplaySettings& settings, BatchSizePolicy& sizes,
                  PowerLimitPolicy& limits, RandomSource& paths);

/// How often a batch size ran with a power limit, and the means of its runs.
struct KnobUse {
  Knobs knobs;
  std::uint32_t runs = 0;
  std::uint32_t reached = 0;
  double mean_energy_j = 0;
  double mean_time_s = 0;
  double mean_cost = 0;
};

/// By batch size, then from the highest limit down.
std::vector<KnobUse> knob_uses(const Replay& replay);

/// The least cost of a run that reached the target.
std::optional<double> lowest_run_cost(const Replay& replay);

}  // namespace scalelaw
