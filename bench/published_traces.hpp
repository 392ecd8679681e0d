#pragma once

#include <deque>

#include "scalelaw/replay/study.hpp"

namespace scalelaw {

/// The six published jobs on every GPU. argv[1] is the train trace; the others are power traces.
inline std::deque<JobTrace> published_traces(int argc, char** argv) {
  std::deque<JobTrace> traces;
  const TrainTrace train = read_train_trace(argv[1]);
  for (int i = 2; i < argc; ++i) {
    const PowerTrace power = read_power_trace(argv[i]);
    for (const Job& job : published_jobs()) {
      traces.push_back(join_traces(train, power, job, true));
    }
  }
  return traces;
}

}  // namespace scalelaw
