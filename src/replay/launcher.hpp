#pragma once

#include <cstddef>

#include "scalelaw/replay/simulate.hpp"

namespace scalelaw {

/// Lower bound of a run's cost to the target: the stopping bound if that ended it.
inline double least_possible_cost(const JobTrace& trace, const ReplayedRun& run, double bound) {
  const bool stopped = !run.reached && run.epochs < trace.job.max_epochs;
  return stopped ? bound : run.cost;
}

/// Runs one job once: chooses and profiles limits, draws a training run, and stops it early.
class Launcher {
 public:
  Launcher(const JobTrace& trace, const PolicySettings& settings, PowerLimitPolicy& limits,
           RandomSource& paths)
      : trace_(trace), settings_(settings), limits_(limits), paths_(paths) {}

  /// @param cost_bound  May be infinite.
  /// @returns A run of 0 epochs if the bound does not even allow one.
  ReplayedRun launch(std::size_t size, double cost_bound);

 private:
  std::size_t limit_for(std::size_t size, bool& profiling);
  double epochs_within(const SizeTrace& size, const Epoch& epoch, double cost_bound) const;
  double max_power_for(const SizeTrace& size) const;

  const JobTrace& trace_;
  const PolicySettings& settings_;
  PowerLimitPolicy& limits_;
  RandomSource& paths_;
};

}  // namespace scalelaw
