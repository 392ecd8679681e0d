#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/render/replay_report.hpp"
#include "scalelaw/replay/job.hpp"
#include "scalelaw/replay/simulate.hpp"

namespace scalelaw {

/// What is replayed and how. A study has all combinations of the lists.
struct ReplayRequest {
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
  /// Empty: as the published simulator draws for one replay, our own for a study.
  std::optional<RandomKind> random;
  double confidence = 0.95;
  std::string jobs = {};  ///< The file of groups that recur; empty: none.
};

/// @throws DataError if parts of the request do not go together.
void check_combination(const ReplayRequest& request);

/// The traces of a request.
struct Traces {
  TrainTrace train;
  std::vector<PowerTrace> power;
  std::vector<std::string> warnings;  ///< What is odd in them.
};

/// @throws DataError if the request names none, or two of one name.
Traces read_traces(const ReplayRequest& request);

/// Whether the lists of a request ask for one replay.
bool is_one_replay(const ReplayRequest& request);

/// One replay with its trace, which the report points to.
struct OneReplay {
  std::deque<JobTrace> traces;
  ReplayReport report;
};

/// Replays the first of every list.
OneReplay replay_first(const ReplayRequest& request, const Traces& traces);

/// A study of all combinations of the lists.
struct ReplayStudy {
  std::deque<JobTrace> traces;  ///< The rows of the report point to them.
  ReplayStudyReport report;
};

/// Replays all combinations.
/// @throws DataError with the first reason if none can be replayed.
ReplayStudy replay_all(const ReplayRequest& request, const Traces& traces, int threads);

/// Replays the groups of the file of jobs.
/// @throws DataError if the request asks for more than one replay of each, or none can be replayed.
ReplayGroupsReport replay_submitted(const ReplayRequest& request, const Traces& traces,
                                    int threads);

}  // namespace scalelaw
