#pragma once

#include <deque>
#include <string>
#include <vector>

#include "replay_options.hpp"
#include "scalelaw/render/replay_report.hpp"

namespace scalelaw::cli {

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
  bool complete = true;  ///< All cases and seeds came to their end.
};

/// Replays all combinations. Those that cannot be replayed, and seeds that end early, are told of
/// on stderr.
/// @throws DataError with the first reason if there is nothing left.
ReplayStudy study_of(const ReplayOptions& options, const ReplayPlan& plan, const Traces& traces,
                     const GlobalOptions& global);

}  // namespace scalelaw::cli
