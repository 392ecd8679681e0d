#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "scalelaw/base/number.hpp"
#include "scalelaw/replay/simulate.hpp"

namespace scalelaw {

/// What the replays of a job and of a group have in common.
class Simulation {
 public:
  /// @throws std::invalid_argument if eta is not in [0, 1] or beta is below 1.
  Simulation(const JobTrace& trace, const ReplaySettings& settings, BatchSizePolicy& sizes,
             PowerLimitPolicy& limits, RandomSource& paths);

 protected:
  /// Runs the job once: chooses and profiles limits, draws a training run, and stops it at the
  /// bound. The run has 0 epochs if the bound does not even allow one.
  ReplayedRun launch(std::size_t size);
  /// The replay after `play`, which a DataError ends as its failure.
  template <class Play>
  Replay replay_of(Play play) {
    const auto end = replayed([&] { return play(), std::monostate(); });
    if (const auto* failure = std::get_if<std::string>(&end)) replay_.failure = *failure;
    if (least_ < kInfinity) replay_.min_cost = least_;
    return std::move(replay_);
  }
  /// The cost at which a run is stopped.
  double bound() const { return settings_.beta * least_; }
  bool is_corrected() const { return settings_.policy.mode == ReplayMode::kCorrected; }
  /// In corrected mode, a run that the bound stopped counts with the bound, even if it spent less.
  RunOutcome observed(const ReplayedRun& run) const {
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
  double least_ = kInfinity;  ///< Least cost of what reached the target.
  Replay replay_;

 private:
  std::size_t limit_for(std::size_t size, bool& profiling);
  double epochs_within(const SizeTrace& size, const Epoch& epoch, double cost_bound) const;
  /// The cost of an epoch as the profiler and early stopping weigh it.
  double profiled_cost(const SizeTrace& size, const Epoch& epoch) const;

  PowerLimitPolicy& limits_;
  RandomSource& paths_;
};

}  // namespace scalelaw
