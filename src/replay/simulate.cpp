#include "scalelaw/replay/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "replay/simulation.hpp"

namespace scalelaw {
namespace {

constexpr int kMostDraws = 20;
constexpr double kNotStartedFactor = 100;

class JobSimulation : Simulation {
 public:
  using Simulation::Simulation;

  Replay run() {
    replay_.recurrences =
        settings_.recurrences > 0 ? settings_.recurrences : trace_.usual_recurrences();
    replay_.history.reserve(replay_.recurrences + 8);
    return replay_of([this] {
      for (std::uint32_t i = 1; i <= replay_.recurrences && !replay_.failure; ++i) recur(i);
    });
  }

 private:
  void recur(std::uint32_t recurrence) {
    double spent = 0;
    for (int tries = 0; tries < kMostDraws; ++tries) {
      const std::size_t size = sizes_.choose();
      if (tries == 0) replay_.first_choices.push_back(size);
      ReplayedRun run = launch(size);
      run.recurrence = recurrence;
      run.phase = sizes_.phase();
      if (run.epochs == 0) {
        report_not_started(size);
        continue;
      }
      spent += run.cost;
      sizes_.observe(size, observed(run));
      record(run);
      if (run.reached) {
        least_ = std::min(least_, is_corrected() ? run.cost : spent);
        return;
      }
      if (recurrence == 1 && size == trace_.default_size) return fail_at_default();
    }
    replay_.failure = fmt::format("recurrence {}: the target was not reached in {} tries",
                                  recurrence, kMostDraws);
  }

  void report_not_started(std::size_t size) {
    ++replay_.not_started;
    sizes_.observe(size, {(is_corrected() ? 1 : kNotStartedFactor) * bound(), false, bound()});
  }

  void fail_at_default() {
    replay_.failure =
        fmt::format("the default batch size {} did not reach the target {} within {} epochs",
                    trace_.job.default_batch_size, trace_.job.target_metric, trace_.job.max_epochs);
  }
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
  return JobSimulation(trace, settings, sizes, limits, paths).run();
}

Replay replay_job(const JobTrace& trace, const ReplaySettings& settings, const MakePolicies& make) {
  const auto paths = make_random_source(settings.random, settings.seed, RandomUse::kPaths);
  const auto draws = make_random_source(settings.random, settings.seed, RandomUse::kPolicy);
  const Policies policies = make(settings.policy, trace, *draws);
  return replay_job(trace, settings, *policies.sizes, *policies.limits, *paths);
}

}  // namespace scalelaw
