// How many recurrences per second a study replays: 1,000 seeds of the six published jobs, on the
// GPUs of the given power traces.
//
//   replay_bench SUMMARY_TRAIN.csv SUMMARY_POWER_V100.csv [SUMMARY_POWER_A40.csv ...]

#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <numeric>
#include <vector>

#include "published_traces.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/replay/study.hpp"

namespace {

using namespace scalelaw;

void measure(const std::deque<JobTrace>& traces, BatchSizeRule rule, ReplayMode mode,
             RandomKind random) {
  std::vector<StudyCase> cases;
  double recurrences = 0;
  std::vector<std::uint64_t> seeds(1000);
  std::iota(seeds.begin(), seeds.end(), 1);
  for (const JobTrace& trace : traces) {
    StudyCase one{&trace, {}};
    one.settings.policy.batch_size = rule;
    one.settings.policy.mode = mode;
    one.settings.random = random;
    cases.push_back(one);
    recurrences += static_cast<double>(seeds.size()) * trace.usual_recurrences();
  }
  const auto start = std::chrono::steady_clock::now();
  replay_study(cases, seeds, 0.95, 0);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  fmt::print("{:<8} {:<9} {:<9} {:>10.0f} recurrences {:>7.3f} s {:>12.0f} /s\n", name_of(rule),
             name_of(mode), name_of(random), recurrences, taken.count(),
             recurrences / taken.count());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: replay_bench TRAIN.csv POWER.csv...\n");
    return 2;
  }
  try {
    const std::deque<JobTrace> traces = published_traces(argc, argv);
    measure(traces, BatchSizeRule::kZeus, ReplayMode::kPaper, RandomKind::kZeus);
    measure(traces, BatchSizeRule::kZeus, ReplayMode::kPaper, RandomKind::kScalelaw);
    measure(traces, BatchSizeRule::kZeus, ReplayMode::kCorrected, RandomKind::kScalelaw);
    measure(traces, BatchSizeRule::kThompson, ReplayMode::kPaper, RandomKind::kScalelaw);
    measure(traces, BatchSizeRule::kUcb, ReplayMode::kPaper, RandomKind::kScalelaw);
    measure(traces, BatchSizeRule::kGrid, ReplayMode::kPaper, RandomKind::kScalelaw);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
