#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/replay/simulate.hpp"
#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

/// One way to replay one job; its seed is not used.
struct StudyCase {
  const JobTrace* trace = nullptr;
  ReplaySettings settings;
  MakePolicies policies = make_policies;  ///< The built-in ones that the settings name.
};

/// A figure over seeds.
struct OverSeeds {
  double mean = 0;
  std::optional<double> standard_deviation;  ///< Sample; nothing for one seed.
  /// Of the mean: Student t with seeds - 1 degrees of freedom; nothing where all seeds agree.
  std::optional<Interval> ci;
};

/// A figure after one recurrence.
struct CurveValue {
  double mean = 0;  ///< Over seeds.
  /// Of the mean, as OverSeeds::ci.
  std::optional<Interval> ci;
};

/// After one recurrence.
struct CurvePoint {
  CurveValue cost;  ///< Spent so far, J.
  CurveValue energy_j;
  CurveValue time_s;
  std::optional<CurveValue> regret;  ///< So far, J.
  // Over what as many recurrences with the default knobs are expected to take.
  std::optional<CurveValue> cost_ratio;
  std::optional<CurveValue> energy_ratio;
  std::optional<CurveValue> time_ratio;
  double best_share = 0;  ///< Of the seeds whose first choice in this recurrence was the best size.
};

/// What a case comes to over all seeds that went through all recurrences.
struct CaseSummary {
  std::uint32_t recurrences = 0;
  std::size_t seeds = 0;                     ///< Asked for.
  std::size_t failed = 0;                    ///< Of them; not in the means.
  std::optional<std::string> first_failure;  ///< Of the first seed that failed.
  double runs = 0;                           ///< Mean number of runs, failed tries included.
  OverSeeds energy_j;
  OverSeeds time_s;
  OverSeeds cost;
  std::optional<Knobs> oracle;            ///< Least expected cost.
  std::optional<double> oracle_cost;      ///< Of one recurrence, J.
  std::optional<OverSeeds> regret;        ///< Cost less recurrences times oracle_cost, J.
  std::optional<OverSeeds> excess;        ///< Regret over recurrences times oracle_cost.
  std::optional<Expected> default_knobs;  ///< Of one recurrence at b0 and the highest limit.
  // Savings against the default knobs, as shares: 1 - total / (recurrences * expected).
  std::optional<OverSeeds> energy_saving;
  std::optional<OverSeeds> time_saving;
  std::optional<OverSeeds> cost_saving;
  double best_share = 0;  ///< Of all recurrences whose first choice was the best size.
  /// The least r with the best size as first choice in 95 % of recurrences r+1, r+2, ... over all
  /// seeds, which must be 20 recurrences at least; nothing if there is none.
  std::optional<std::uint32_t> converged_after;
  std::vector<CurvePoint> curve;  ///< One a recurrence; empty where every seed failed.
};

/// What one replay of a case comes to: a study of one seed.
CaseSummary summary_of(const StudyCase& one, const Replay& replay);

/// Replays every case with every seed, shared among threads. The result does not depend on the
/// number of threads.
/// @throws std::invalid_argument as replay_job().
std::vector<CaseSummary> replay_study(std::span<const StudyCase> cases,
                                      std::span<const std::uint64_t> seeds, double confidence,
                                      int threads);

}  // namespace scalelaw
