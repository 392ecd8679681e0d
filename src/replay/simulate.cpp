#include "scalelaw/replay/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "replay/check.hpp"
#include "replay/launcher.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMostTries = 20;
constexpr double kNotStartedFactor = 100;

class Simulation {
 public:
  Simulation(const JobTrace& trace, const ReplaySettings& settings, BatchSizePolicy& sizes,
             PowerLimitPolicy& limits, RandomSource& paths)
      : trace_(trace),
        settings_(settings),
        sizes_(sizes),
        launcher_(trace, settings_.policy, limits, paths) {}

  Replay run() {
    replay_.recurrences =
        settings_.recurrences > 0 ? settings_.recurrences : trace_.usual_recurrences();
    replay_.history.reserve(replay_.recurrences + 8);
    try {
      for (std::uint32_t i = 1; i <= replay_.recurrences && !replay_.failure; ++i) recur(i);
    } catch (const DataError& error) {
      replay_.failure = error.what();
    }
    if (least_ < kInfinity) replay_.min_cost = least_;
    return std::move(replay_);
  }

 private:
  void recur(std::uint32_t recurrence) {
    double spent = 0;
    for (int tries = 0; tries < kMostTries; ++tries) {
      const std::size_t size = sizes_.choose();
      if (tries == 0) replay_.first_choices.push_back(size);
      ReplayedRun run = launcher_.launch(size, settings_.beta * least_);
      run.recurrence = recurrence;
      run.phase = sizes_.phase();
      if (run.epochs == 0) {
        report_not_started(size);
        continue;
      }
      spent += run.cost;
      sizes_.observe(size, outcome_of(run));
      replay_.history.push_back(run);
      replay_.totals.add(run);
      if (run.reached) {
        const bool paper = settings_.policy.mode == ReplayMode::kPaper;
        least_ = std::min(least_, paper ? spent : run.cost);
        return;
      }
      if (recurrence == 1 && size == trace_.default_size) return fail_at_default();
    }
    replay_.failure = fmt::format("recurrence {}: the target was not reached in {} tries",
                                  recurrence, kMostTries);
  }

  /// In corrected mode, a run that the bound stopped counts with the bound, even if it spent less.
  RunOutcome outcome_of(const ReplayedRun& run) const {
    const double at_least = least_possible_cost(trace_, run, settings_.beta * least_);
    const bool corrected = settings_.policy.mode == ReplayMode::kCorrected;
    return {corrected ? at_least : run.cost, run.reached, at_least};
  }

  void report_not_started(std::size_t size) {
    const bool paper = settings_.policy.mode == ReplayMode::kPaper;
    const double bound = settings_.beta * least_;
    ++replay_.not_started;
    sizes_.observe(size, {(paper ? kNotStartedFactor : 1) * bound, false, bound});
  }

  void fail_at_default() {
    replay_.failure =
        fmt::format("the default batch size {} did not reach the target {} within {} epochs",
                    trace_.job.default_batch_size, trace_.job.target_metric, trace_.job.max_epochs);
  }

  const JobTrace& trace_;
  ReplaySettings settings_;
  BatchSizePolicy& sizes_;
  Launcher launcher_;
  double least_ = kInfinity;
  Replay replay_;
};

void add_run(const ReplayedRun& run, KnobUse& use) {
  use.knobs = {run.size, run.limit};
  ++use.runs;
  use.reached += run.reached ? 1 : 0;
  use.mean_energy_j += (run.energy_j - use.mean_energy_j) / use.runs;
  use.mean_time_s += (run.time_s - use.mean_time_s) / use.runs;
  use.mean_cost += (run.cost - use.mean_cost) / use.runs;
}

}  // namespace

std::vector<KnobUse> knob_uses(const Replay& replay) {
  std::map<std::pair<std::size_t, std::size_t>, KnobUse> uses;
  for (const ReplayedRun& run : replay.history) add_run(run, uses[{run.size, run.limit}]);
  std::vector<KnobUse> out;
  for (const auto& [knobs, use] : uses) out.push_back(use);
  return out;
}

std::optional<double> lowest_run_cost(const Replay& replay) {
  std::optional<double> lowest;
  for (const ReplayedRun& run : replay.history) {
    if (run.reached && !(lowest && *lowest <= run.cost)) lowest = run.cost;
  }
  return lowest;
}

Replay replay_job(const JobTrace& trace, const ReplaySettings& settings, BatchSizePolicy& sizes,
                  PowerLimitPolicy& limits, RandomSource& paths) {
  check(settings);
  return Simulation(trace, settings, sizes, limits, paths).run();
}

Replay replay_job(const JobTrace& trace, const ReplaySettings& settings, const MakePolicies& make) {
  const auto paths = make_random_source(settings.random, settings.seed, RandomUse::kPaths);
  const auto draws = make_random_source(settings.random, settings.seed, RandomUse::kPolicy);
  const Policies policies = make(settings.policy, trace, *draws);
  return replay_job(trace, settings, *policies.sizes, *policies.limits, *paths);
}

}  // namespace scalelaw
