#include "replay/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

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

}  // namespace scalelaw
