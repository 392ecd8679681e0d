// Whether the intervals over seeds hold the truth, and what the corrected mode gains. Prints the
// section "Replay" of docs/explanation/coverage.md.
//
//   replay_rates SUMMARY_TRAIN.csv SUMMARY_POWER_V100.csv [SUMMARY_POWER_A40.csv ...]

#include <fmt/format.h>

#include <deque>
#include <numeric>
#include <vector>

#include "published_traces.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/replay/study.hpp"

namespace {

using namespace scalelaw;

std::vector<std::uint64_t> seeds_from(std::uint64_t first, std::size_t count) {
  std::vector<std::uint64_t> seeds(count);
  std::iota(seeds.begin(), seeds.end(), first);
  return seeds;
}

CaseSummary study_of(const JobTrace& trace, ReplayMode mode, std::uint32_t recurrences,
                     const std::vector<std::uint64_t>& seeds) {
  StudyCase one{&trace, {}};
  one.settings.policy.mode = mode;
  one.settings.recurrences = recurrences;
  one.settings.random = RandomKind::kScalelaw;
  return replay_study(std::vector<StudyCase>{one}, seeds, 0.95, 0).front();
}

/// The share of intervals that hold the mean of all seeds, for `studies` studies with `n` seeds
/// each. A study whose seeds all agree has no interval.
double coverage(const JobTrace& trace, ReplayMode mode, std::size_t n, std::size_t studies) {
  const double truth = study_of(trace, mode, 0, seeds_from(1, n * studies)).cost.mean;
  std::size_t held = 0;
  std::size_t intervals = 0;
  for (std::size_t i = 0; i < studies; ++i) {
    const auto ci = study_of(trace, mode, 0, seeds_from(1 + i * n, n)).cost.ci;
    if (!ci) continue;
    ++intervals;
    held += ci->lower <= truth && truth <= ci->upper ? 1 : 0;
  }
  return 100.0 * static_cast<double>(held) / static_cast<double>(intervals);
}

void print_coverage(const std::deque<JobTrace>& traces, ReplayMode mode, std::size_t studies) {
  fmt::print(
      "### Replay: coverage of 95 % intervals of the mean cost over seeds, {} mode, {} studies\n\n",
      name_of(mode), studies);
  fmt::print("| GPU | dataset | 5 seeds | 10 seeds | 30 seeds | 100 seeds |\n");
  fmt::print("| --- | --- | --: | --: | --: | --: |\n");
  for (const JobTrace& trace : traces) {
    fmt::print("| {} | {} |", trace.power, trace.job.dataset);
    for (const std::size_t n : {5, 10, 30, 100}) {
      fmt::print(" {:.1f} |", coverage(trace, mode, n, studies));
    }
    fmt::print("\n");
  }
  fmt::print("\n");
}

void print_modes(const std::deque<JobTrace>& traces, std::uint32_t recurrences) {
  fmt::print(
      "### Replay: cost above the oracle's in %, policy zeus, {}, 1,000 seeds\n\n",
      recurrences == 0 ? "the usual recurrences" : fmt::format("{} recurrences", recurrences));
  fmt::print(
      "| GPU | dataset | paper: mean | sd | best size | corrected: mean | sd | best size |\n");
  fmt::print("| --- | --- | --: | --: | --: | --: | --: | --: |\n");
  const auto seeds = seeds_from(1, 1000);
  for (const JobTrace& trace : traces) {
    fmt::print("| {} | {} |", trace.power, trace.job.dataset);
    for (const ReplayMode mode : {ReplayMode::kPaper, ReplayMode::kCorrected}) {
      const CaseSummary summary = study_of(trace, mode, recurrences, seeds);
      fmt::print(" {:.2f} | {:.2f} | {:.1f} |", 100 * summary.excess->mean,
                 100 * *summary.excess->standard_deviation, 100 * summary.best_share);
    }
    fmt::print("\n");
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: replay_rates TRAIN.csv POWER.csv...\n");
    return 2;
  }
  try {
    const std::deque<JobTrace> traces = published_traces(argc, argv);
    print_coverage(traces, ReplayMode::kPaper, 1000);
    print_coverage(traces, ReplayMode::kCorrected, 1000);
    print_modes(traces, 0);
    print_modes(traces, 3000);
  } catch (const scalelaw::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
