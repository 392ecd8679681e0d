#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/replay/simulate.hpp"
#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

/// One way to replay one job. Its seed is ignored.
struct StudyCase {
  const JobTrace* trace = nullptr;
  ReplaySettings settings;
  MakePolicies policies = make_policies;  ///< By default, the built-in ones that the settings name.
};

/// A figure, summarised over seeds.
struct OverSeeds {
  double mean = 0;
  std::optional<double> standard_deviation;  ///< Of the sample; empty for one seed.
  /// Interval of the mean, by Student t with seeds - 1 degrees of freedom. Empty if all seeds
  /// agree.
  std::optional<Interval> ci;
};

/// A figure after one recurrence.
struct CurveValue {
  double mean = 0;  ///< Over seeds.
  /// Interval of the mean, as OverSeeds::ci.
  std::optional<Interval> ci = {};
};

/// The figures after one recurrence.
struct CurvePoint {
  CurveValue cost;  ///< Cost so far, J.
  CurveValue energy_j;
  CurveValue time_s;
  std::optional<CurveValue> regret = {};  ///< Regret so far, J.
  // Ratios to the expected totals of as many recurrences with the default knobs.
  std::optional<CurveValue> cost_ratio = {};
  std::optional<CurveValue> energy_ratio = {};
  std::optional<CurveValue> time_ratio = {};
  double best_share = 0;  ///< Share of seeds that chose the best size first.
};

/// The summary of a case over all seeds that completed all recurrences.
struct CaseSummary {
  std::uint32_t recurrences = 0;
  std::size_t seeds = 0;                     ///< As requested.
  std::size_t failed = 0;                    ///< Seeds that failed; the means leave them out.
  std::optional<std::string> first_failure;  ///< Failure of the first seed that failed.
  double runs = 0;                           ///< Mean number of runs, including failed tries.
  OverSeeds energy_j;
  OverSeeds time_s;
  OverSeeds cost;
  std::optional<Knobs> oracle;            ///< The knobs of least expected cost.
  std::optional<double> oracle_cost;      ///< Expected cost per recurrence, J.
  std::optional<OverSeeds> regret;        ///< Cost minus recurrences times oracle_cost, J.
  std::optional<OverSeeds> excess;        ///< Regret over recurrences times oracle_cost.
  std::optional<Spending> default_knobs;  ///< Expected per recurrence at b0 and the highest limit.
  // Savings relative to the default knobs, as shares: 1 - total / (recurrences * expected).
  std::optional<OverSeeds> energy_saving;
  std::optional<OverSeeds> time_saving;
  std::optional<OverSeeds> cost_saving;
  double best_share = 0;  ///< Share of all recurrences whose first choice was the best size.
  /// The least r after which the first choice was the best size in 95 % of recurrences, over all
  /// seeds. At least 20 recurrences must follow r. Empty if there is no such r.
  std::optional<std::uint32_t> converged_after;
  std::vector<CurvePoint> curve;  ///< One per recurrence; empty if every seed failed.
};

/// The summary of one replay of a case: a study of one seed.
CaseSummary summary_of(const StudyCase& one, const Replay& replay);

/// Replays every case with every seed. The number of threads does not change the result.
/// @throws std::invalid_argument as replay_job().
std::vector<CaseSummary> replay_study(std::span<const StudyCase> cases,
                                      std::span<const std::uint64_t> seeds, double confidence,
                                      int threads);

/// A case of a study of several jobs: one job on one GPU, with one combination of settings.
struct StudyRow {
  std::string gpu;
  std::string dataset;
  ReplaySettings settings;
  const JobTrace* trace = nullptr;  ///< Absent where the traces could not be joined.
  Replayed<CaseSummary> result;
};

/// Joins every job with every power trace, and replays each with all settings and seeds.
/// @param traces  Keeps the joined traces, to which the rows point.
/// @throws DataError with the first reason if no case can be replayed.
std::vector<StudyRow> replay_jobs(const TrainTrace& train, std::span<const PowerTrace> power,
                                  std::span<const JobWish> jobs,
                                  std::span<const ReplaySettings> settings,
                                  std::span<const std::uint64_t> seeds, double confidence,
                                  int threads, std::deque<JobTrace>& traces);

/// Sentences on the cases that could not be replayed, and on the seeds that ended early.
std::vector<std::string> lacks_of(std::span<const StudyRow> rows);

}  // namespace scalelaw
