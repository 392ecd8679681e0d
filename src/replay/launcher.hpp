#pragma once

#include <cstddef>
#include <limits>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/replay/simulate.hpp"

namespace scalelaw {

/// @throws std::invalid_argument if eta is not in [0, 1] or beta is below 1.
void check(const ReplaySettings& settings);

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

/// What the replays of a job and of a group have in common.
class Simulation {
 public:
  Simulation(const JobTrace& trace, const ReplaySettings& settings, BatchSizePolicy& sizes,
             PowerLimitPolicy& limits, RandomSource& paths)
      : trace_(trace),
        settings_(settings),
        sizes_(sizes),
        launcher_(trace, settings_.policy, limits, paths) {}

 protected:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  /// The replay after `play`, which a DataError ends as its failure.
  template <class Play>
  Replay replay_of(Play play) {
    try {
      play();
    } catch (const DataError& error) {
      replay_.failure = error.what();
    }
    if (least_ < kInfinity) replay_.min_cost = least_;
    return std::move(replay_);
  }
  /// The cost at which a run is stopped.
  double bound() const { return settings_.beta * least_; }
  bool is_corrected() const { return settings_.policy.mode == ReplayMode::kCorrected; }
  /// In corrected mode, a run that the bound stopped counts with the bound, even if it spent less.
  RunOutcome outcome_of(const ReplayedRun& run) const {
    const bool stopped = !run.reached && run.epochs < trace_.job.max_epochs;
    const double at_least = stopped ? bound() : run.cost;
    return {is_corrected() ? at_least : run.cost, run.reached, at_least};
  }
  void record(const ReplayedRun& run) {
    replay_.history.push_back(run);
    replay_.totals += run.spending();
  }

  const JobTrace& trace_;
  ReplaySettings settings_;
  BatchSizePolicy& sizes_;
  Launcher launcher_;
  double least_ = kInfinity;  ///< Least cost of what reached the target.
  Replay replay_;
};

}  // namespace scalelaw
