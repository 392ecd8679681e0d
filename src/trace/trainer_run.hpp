#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/trace/format.hpp"
#include "trace/metrics.hpp"
#include "trace/step_series.hpp"

namespace scalelaw {

/// A number that a trainer states of a run, apart from those of its steps.
enum class Stated {
  kGpus,
  kNodes,
  kGpusPerNode,
  kTensorParallel,
  kPipelineParallel,
  kDataParallel,
  kContextParallel,
  kExpertParallel,
  kMicroBatch,
  kGlobalBatch,
  kAccumulation,  ///< Micro batches of one device in a step.
  kTokensPerStep,
  kSequence,
  kLayers,
  kHidden,
  kParameters,
  kTrainable,  ///< Parameters that are trained, which may be some of them only.
  kPlannedEpochs,
  kLastStep,  ///< The step at which training is to end.
  // The following change while a run goes on; the last value holds.
  kSteps,
  kEpochs,
  kSamples,  ///< Consumed so far.
  kTokens,
  kTrainLoss,  ///< Mean over the whole training; infinite if it diverged: see leading_loss().
  kDuration,
  kSamplesPerSecond,
  kEngineRate,  ///< Samples per second by DeepSpeed's timer, which may leave out parts of a step.
  kStepsPerSecond,
  kTotalFlops,
  kCount
};

/// What a program states before its first step.
class Statements {
 public:
  std::optional<double> get(Stated what) const { return values_[static_cast<std::size_t>(what)]; }
  void set(Stated what, std::optional<double> value) {
    if (value) values_[static_cast<std::size_t>(what)] = value;
  }
  /// Sets what is not known yet.
  void add(Stated what, std::optional<double> value) {
    if (!get(what)) set(what, value);
  }
  /// Takes what is not known yet.
  void add(const Statements& other);
  /// Whether no setting, of those up to kLastStep, is stated differently.
  bool agrees_with(const Statements& other) const;

 private:
  std::array<std::optional<double>, static_cast<std::size_t>(Stated::kCount)> values_;
};

/// What Trainer calls the figures of a run, in its files and in what it prints.
struct TransformersKey {
  std::string_view name;
  Stated what;
};
inline constexpr TransformersKey kTransformersFigures[] = {
    {"epoch", Stated::kEpochs},
    {"train_runtime", Stated::kDuration},
    {"train_loss", Stated::kTrainLoss},
    {"train_samples_per_second", Stated::kSamplesPerSecond},
    {"train_steps_per_second", Stated::kStepsPerSecond},
    {"total_flos", Stated::kTotalFlops},
    {"num_input_tokens_seen", Stated::kTokens}};

/// A loss that does not stand in the line of a step. What is not logged is NaN.
struct LoggedLoss {
  static constexpr double kNone = LoggedStep::kNone;

  double step = kNone;
  double epoch = kNone;
  double tokens = kNone;  ///< Since the begin of the training.
  double loss = kNone;    ///< Infinite if it diverged: see leading_loss().
  double validation_loss = kNone;
};

/// Adds a loss, or what is known of a step, if there is one of either kind.
void add_loss(const LoggedLoss& loss, std::vector<LoggedLoss>& losses);

/// A run of a trainer, as far as its log tells.
struct TrainerRun {
  Statements said;
  /// Parameters of each shard, by its tensor and pipeline ranks.
  std::map<std::pair<int, int>, double> shards = {};
  StepSeries iterations = {};                 ///< Lines of the trainer itself.
  StepSeries deepspeed_steps = {};            ///< Lines of DeepSpeed's engine that tell a time.
  StepSeries stamped_steps = {};              ///< Its lines with time stamps alone.
  std::optional<std::int64_t> stamp_ns = {};  ///< The last of these.
  std::vector<LoggedLoss> losses = {};
  std::optional<std::int64_t> begin_ns = {};
  std::optional<std::int64_t> end_ns = {};
  bool ended = false;      ///< The trainer says that it is done.
  bool has_error = false;  ///< An error stands behind its last step.
  bool resumed = false;    ///< It began behind a checkpoint, so that its duration is not the run's.
  // Whose lines were seen.
  bool by_megatron = false;
  bool by_neox = false;
  bool by_nemo = false;
  bool by_deepspeed = false;
  bool by_transformers = false;
  bool by_nanogpt = false;
  bool by_torchtitan = false;
};

/// Takes what a program says before its first step; what the run knows already holds.
void take_statements(TrainerRun said, TrainerRun& run);

/// The record of a run under a name.
/// @param choices  What counts of loss and validation_loss.
JobRecord record_of(const TrainerRun& run, std::string job, const MetricChoices& choices,
                    TraceNotes& notes);

/// The settings of a run and the steps that it logged, with the columns step, epoch, samples,
/// tokens, elapsed_s (the sum of the logged times of steps), seconds_per_step, loss and
/// validation_loss, as far as they are logged.
/// Losses that are not finite are empty.
JobRecord steps_record_of(const TrainerRun& run, std::string job, TraceNotes& notes);

/// Notes the losses of a run that are logged and not finite.
void note_lost_losses(const TrainerRun& run, TraceNotes& notes);

/// The steps by which those of a run are counted; nullptr if it has none.
const StepSeries* series_of(const TrainerRun& run);

/// The settings of a run as the facts of a record.
RowFacts settings_of(const TrainerRun& run);

/// The name of a run that its file does not state: that of the file, or of its folder where the
/// file has a name that all runs have (train.log, stdout.txt, trainer_state.json).
std::string run_name_of(const std::string& path);

/// The number at the begin of a text, behind blanks; empty without one.
std::optional<double> leading_number(std::string_view text);

/// The loss at the begin of a text; infinite if it is NaN or infinite, as nothing finite stands for
/// it. Empty without one.
std::optional<double> leading_loss(std::string_view text);

}  // namespace scalelaw
