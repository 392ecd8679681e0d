#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "delivery.hpp"
#include "scalelaw/render/replay_report.hpp"
#include "scalelaw/replay/job.hpp"
#include "scalelaw/replay/simulate.hpp"

namespace scalelaw::cli {

/// What is replayed and how, as the user gave it.
struct ReplayOptions {
  std::string train;
  std::vector<std::string> power;
  std::string datasets;
  JobWish job;
  std::string target_metric;
  std::string policies = "zeus";
  std::string power_policy;
  double limit_w = 0;
  std::string modes = "paper";
  std::string etas = "0.5";
  std::string betas = "2";
  std::size_t window = 0;
  std::uint32_t recurrences = 0;
  std::string seeds = "1";
  std::optional<RandomKind> random;
  double confidence = 0.95;
};

/// Adds the traces, the job, the policy and the simulation. `options` must outlive the parsing.
void add_replay_options(Options& command, ReplayOptions& options);
/// --confidence, in the group that the command has for results.
void add_seed_confidence(Options& command, ReplayOptions& options, const char* group);

/// What every combination of the lists in the call is made from.
struct ReplayPlan {
  std::vector<BatchSizeRule> policies;
  std::vector<ReplayMode> modes;
  std::vector<double> etas;
  std::vector<double> betas;
  std::vector<std::uint64_t> seeds;
};

/// The lists of a call, read.
/// @throws DataError if a word is none of the choices, or options do not go together.
ReplayPlan plan_of(const ReplayOptions& options);

/// The policy of one combination.
PolicySettings policy_of(const ReplayOptions& options, BatchSizeRule rule, ReplayMode mode,
                         double eta);

/// The datasets asked for; one empty name where the traces are to tell.
std::vector<std::string> datasets_of(const ReplayOptions& options);

/// The job on a dataset, as far as the call names it.
JobWish wish_of(const ReplayOptions& options, const std::string& dataset);

/// The random numbers asked for, else the usual ones.
RandomKind random_of(const ReplayOptions& options, RandomKind usual);

/// @throws DataError if the output file is one of the traces, which it would replace.
void refuse_to_replace_traces(const std::string& output, const ReplayOptions& options);

/// The traces of a call.
struct Traces {
  TrainTrace train;
  std::vector<PowerTrace> power;
  std::vector<std::string> warnings;
};

/// Reads the traces and says on stderr what is odd in them.
/// @throws DataError if the call names none, or two of one name.
Traces read_traces(const ReplayOptions& options, const Console& console);

/// A study of all combinations of the lists in a call.
struct ReplayStudy {
  std::deque<JobTrace> traces;  ///< The rows of the report point to them.
  ReplayStudyReport report;
  Lacks lacks;  ///< Cases that cannot be replayed, and seeds that ended early.
};

/// Replays all combinations.
/// @throws DataError with the first reason if none can be replayed.
ReplayStudy study_of(const ReplayOptions& options, const ReplayPlan& plan, const Traces& traces,
                     int threads);

}  // namespace scalelaw::cli
