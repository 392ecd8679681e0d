#include "scalelaw/replay/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "replay/simulation.hpp"

namespace scalelaw {
namespace {

/// Python's a // b, exact even where the quotient would round up to a whole number.
double whole_times(double a, double b) {
  const double quotient = (a - std::fmod(a, b)) / b;
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

}  // namespace

Simulation::Simulation(const JobTrace& trace, const ReplaySettings& settings,
                       BatchSizePolicy& sizes, PowerLimitPolicy& limits, RandomSource& paths)
    : trace_(trace), settings_(settings), sizes_(sizes), limits_(limits), paths_(paths) {
  if (!(settings.policy.eta >= 0 && settings.policy.eta <= 1)) {
    throw std::invalid_argument("eta is not in [0, 1]");
  }
  if (!(settings.beta >= 1)) throw std::invalid_argument("beta is below 1");
}

double Simulation::profiled_cost(const SizeTrace& size, const Epoch& epoch) const {
  return zeus_cost(settings_.policy.eta, profiling_max_power(settings_.policy.mode, trace_, size),
                   epoch.energy_j, epoch.seconds);
}

std::size_t Simulation::limit_for(std::size_t size, bool& profiling) {
  if (const auto known = limits_.choose(size)) return *known;
  profiling = true;
  const SizeTrace& of_size = trace_.sizes[size];
  for (std::size_t limit = 0; limit < of_size.limits.size(); ++limit) {
    limits_.learn(size, limit, profiled_cost(of_size, of_size.limits[limit].mean));
  }
  return limits_.choose(size).value_or(0);
}

double Simulation::epochs_within(const SizeTrace& size, const Epoch& epoch,
                                 double cost_bound) const {
  const double most = trace_.job.max_epochs;
  if (std::isinf(cost_bound)) return most;
  return std::min(whole_times(cost_bound, profiled_cost(size, epoch)), most);
}

ReplayedRun Simulation::launch(std::size_t size) {
  ReplayedRun run{.size = size};
  run.limit = limit_for(size, run.profiling);
  const SizeTrace& of_size = trace_.sizes[size];
  const std::vector<Epoch>& measured = of_size.limits[run.limit].rows;
  // A row of the joined table: each training run is paired with every measurement.
  const std::size_t paths = std::max<std::size_t>(of_size.paths.size(), 1);
  const std::size_t row = paths_.below(static_cast<std::uint32_t>(paths * measured.size()));
  const Epoch& epoch = measured[row % measured.size()];
  const auto target = of_size.paths.empty() ? std::nullopt : of_size.paths[row / measured.size()];
  const double most = epochs_within(of_size, epoch, bound());
  if (!(most > 0)) return run;
  run.reached = target && *target <= most;
  run.epochs = run.reached ? *target : most;
  run.energy_j = epoch.energy_j * run.epochs;
  run.time_s = epoch.seconds * run.epochs;
  if (run.profiling) {
    run.energy_j = of_size.profiled.energy_j + epoch.energy_j * (run.epochs - 1);
    run.time_s = of_size.profiled.seconds + epoch.seconds * (run.epochs - 1);
  }
  run.cost = zeus_cost(settings_.policy.eta, trace_.max_power_w, run.energy_j, run.time_s);
  return run;
}

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
