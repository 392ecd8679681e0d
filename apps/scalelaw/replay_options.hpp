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

/// What is replayed and how, as the user gave it. A study has all combinations of the lists.
struct ReplayOptions {
  std::string train;
  std::vector<std::string> power;
  std::vector<std::string> datasets{""};  ///< One empty name where the traces are to tell.
  JobWish job;
  std::vector<BatchSizeRule> policies{BatchSizeRule::kZeus};
  std::optional<PowerLimitRule> power_policy;
  std::optional<double> limit_w;
  std::vector<ReplayMode> modes{ReplayMode::kPaper};
  std::vector<double> etas{0.5};
  std::vector<double> betas{2};
  std::size_t window = 0;
  std::uint32_t recurrences = 0;
  std::vector<std::uint64_t> seeds{1};
  std::optional<RandomKind> random;
  double confidence = 0.95;
};

/// Adds the traces, the job, the policy and the simulation. `options` must outlive the parsing.
void add_replay_options(Options& command, ReplayOptions& options);
/// --confidence, in the group that the command has for results.
void add_seed_confidence(Options& command, ReplayOptions& options, const char* group);

/// @throws DataError if options do not go together.
void check_combination(const ReplayOptions& options);

/// The first settings of every list. Without --random they draw as the published simulator does.
ReplaySettings first_settings(const ReplayOptions& options);
/// The settings of all combinations. Without --random they have random numbers of our own.
std::vector<ReplaySettings> all_settings(const ReplayOptions& options);

/// The job on a dataset, as far as the call names it.
JobWish wish_of(const ReplayOptions& options, const std::string& dataset);

/// @throws DataError if the output file is one of the traces, which it would replace.

/// The traces of a call.
struct Traces {
  TrainTrace train;
  std::vector<PowerTrace> power;
  std::vector<std::string> warnings;
};

/// Reads the traces and says on stderr what is odd in them.
/// @throws DataError if the call names none, or two of one name.
Traces read_traces(const ReplayOptions& options, const Messages& console);

/// A study of all combinations of the lists in a call.
struct ReplayStudy {
  std::deque<JobTrace> traces;  ///< The rows of the report point to them.
  ReplayStudyReport report;
};

/// Replays all combinations.
/// @throws DataError with the first reason if none can be replayed.
ReplayStudy study_of(const ReplayOptions& options, const Traces& traces, int threads);

}  // namespace scalelaw::cli
