#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "scalelaw/trace/sample.hpp"

namespace scalelaw {

/// What a line of a trainer's log says of a step, or of the steps since the line before, as their
/// mean. What it does not say is NaN.
struct LoggedStep {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  std::int64_t number = 0;  ///< Of its last step, from 1.
  std::uint64_t line = 0;   ///< Of the log.
  double seconds = kNone;   ///< Time of one step.
  double samples = kNone;   ///< Samples of one step: the global batch size.
  double samples_per_s = kNone;
  double tokens_per_s = kNone;      ///< Of one GPU.
  double tflops = kNone;            ///< Of one GPU.
  double energy_j = kNone;          ///< Of one GPU and one step.
  double loss = kNone;              ///< Infinite if it is NaN or infinite: see leading_loss().
  double consumed_samples = kNone;  ///< Since the begin of the training.
  double consumed_tokens = kNone;
};

/// Medians over the steps that count; empty where no line says it.
struct StepFigures {
  std::optional<double> seconds;
  std::optional<double> seconds_cv;  ///< Population standard deviation over the mean.
  std::optional<double> samples;
  std::optional<double> samples_per_s;
  std::optional<double> tokens_per_s;
  std::optional<double> tflops;
  /// Joules of one GPU over all steps that this log is of, if all lines have it.
  std::optional<double> energy_j;
  std::optional<double> energy_seconds;  ///< The time in which it was spent.
  std::optional<double> energy_steps;    ///< The steps that spent it.
};

/// The steps of one run, in their order, each once.
class StepSeries {
 public:
  /// Adds a step. One that is logged again counts once: the first line of several ranks, the last
  /// one of a program that was started again. Without a word of restart(), a step is taken for that
  /// of another rank if it is one of the last two, else for that of a restart.
  /// @returns Whether the line counts.
  bool add(const LoggedStep& step, TraceNotes& notes);
  /// The program was started again.
  void restart() { restarted_ = !steps_.empty(); }

  const std::vector<LoggedStep>& steps() const { return steps_; }
  bool empty() const { return steps_.empty(); }
  const LoggedStep& back() const { return steps_.back(); }
  /// How often the program was started.
  std::size_t starts() const { return starts_.size(); }

  /// Sets apart the steps that do not show the pace of the run, and counts them as kOtherStep:
  /// - steps with another batch size than the last one that is told;
  /// - the first ones of each start while they differ, at most ten or a tenth, and the first one of
  ///   two if it is slower;
  /// - slower ones, which hold an evaluation or a checkpoint.
  /// Steps without an energy are counted as kBadCell if others have one.
  /// A step differs if it is off the median by more than a tenth of it and more than five times the
  /// median deviation.
  StepFigures figures(TraceNotes& notes) const;

 private:
  void drop_from(std::int64_t number, TraceNotes& notes);
  std::vector<bool> steps_apart() const;

  std::vector<LoggedStep> steps_;
  std::vector<std::size_t> starts_;  ///< Places of the first steps after a start.
  bool restarted_ = false;
};

}  // namespace scalelaw
