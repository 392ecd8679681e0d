#include "trace/trainer_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <limits>

#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"

namespace scalelaw {
namespace {

constexpr Stated kLastSetting = Stated::kLastStep;

/// The product if both are known.
std::optional<double> product(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

std::optional<double> quotient(std::optional<double> a, std::optional<double> b) {
  return a && b && *b > 0 ? std::optional(*a / *b) : std::nullopt;
}

std::optional<double> first_known(std::initializer_list<std::optional<double>> values) {
  for (const auto& value : values) {
    if (value) return value;
  }
  return std::nullopt;
}

/// The parameters of all shards, if each one is told. Experts are on other shards still.
std::optional<double> parameters_of(const TrainerRun& run) {
  const auto shards = product(run.said.get(Stated::kTensorParallel).value_or(1),
                              run.said.get(Stated::kPipelineParallel).value_or(1));
  const bool has_experts = run.said.get(Stated::kExpertParallel).value_or(1) > 1;
  if (!has_experts && static_cast<double>(run.shards.size()) == *shards) {
    double sum = 0;
    for (const auto& [place, count] : run.shards) sum += count;
    return sum;
  }
  return run.said.get(Stated::kParameters);
}

/// The devices that have batches of their own: those of which the batch of a step consists. Empty
/// unless the log states the sizes, and they divide without a rest.
std::optional<double> batch_devices(const Statements& said) {
  const auto of_device = product(said.get(Stated::kMicroBatch), said.get(Stated::kAccumulation));
  const auto devices = quotient(said.get(Stated::kGlobalBatch), of_device);
  return devices && *devices >= 1 && *devices == std::floor(*devices) ? devices : std::nullopt;
}

std::string_view framework_of(const TrainerRun& run) {
  if (run.by_nemo) return "NeMo";
  if (run.by_neox) return "GPT-NeoX";
  if (run.by_megatron) return run.by_deepspeed ? "Megatron-DeepSpeed" : "Megatron-LM";
  if (run.by_transformers) return "Transformers";
  if (run.by_nanogpt) return "nanoGPT";
  if (run.by_torchtitan) return "TorchTitan";
  return run.by_deepspeed ? "DeepSpeed" : "";
}

/// Seconds between the times that the trainer tells of begin and end. Between two starts of the
/// program there may be anything.
std::optional<double> told_duration(const TrainerRun& run) {
  if (run.iterations.starts() > 1 || !run.begin_ns || !run.end_ns || *run.end_ns < *run.begin_ns) {
    return std::nullopt;
  }
  return static_cast<double>(*run.end_ns - *run.begin_ns) / 1e9;
}

/// Whether training went on to the end of its last epoch, and so to its last step.
bool made_all_epochs(const Statements& said) {
  constexpr double kRounding = 0.02;  // Epochs are logged with two decimals.
  const auto epochs = said.get(Stated::kEpochs);
  const auto planned = said.get(Stated::kPlannedEpochs);
  return epochs && planned && std::abs(*epochs - *planned) <= kRounding;
}

/// Whether a run ended in an error, as far as its log tells, before its training was done.
bool has_failed(const TrainerRun& run) {
  if (!run.has_error || run.ended || made_all_epochs(run.said)) return false;
  const StepSeries* const series = series_of(run);
  const auto last = run.said.get(Stated::kLastStep);
  return series == nullptr || !last || static_cast<double>(series->back().number) < *last;
}

/// What the lines of steps tell: those of the trainer, or else of the engine below it.
struct TrainerPace {
  StepFigures trainer;
  StepFigures engine;
  StepFigures stamped;

  std::optional<double> seconds() const {
    return first_known({trainer.seconds, engine.seconds, stamped.seconds});
  }
  std::optional<double> seconds_cv() const {
    if (trainer.seconds) return trainer.seconds_cv;
    return engine.seconds ? engine.seconds_cv : stamped.seconds_cv;
  }
};

TrainerPace trainer_pace_of(const TrainerRun& run, TraceNotes& notes) {
  NoNotes silent;  // For steps that another series has, too.
  const auto figures = [&](const StepSeries& series) {
    return series.figures(&series == series_of(run) ? notes : silent);
  };
  return {figures(run.iterations), figures(run.deepspeed_steps), figures(run.stamped_steps)};
}

/// The figures of a record that follow from several statements.
struct Derived {
  std::optional<double> gpus;
  std::optional<double> batch;
  std::optional<double> steps;
  std::optional<double> tokens;
  std::optional<double> duration_s;
  std::optional<double> seconds_per_step;
  std::optional<double> samples_per_s;
  std::optional<double> tokens_per_s;
  std::optional<double> tokens_per_s_per_gpu;
  std::optional<double> energy_j;
  std::optional<double> power_w;
};

Derived derived_of(const TrainerRun& run, const TrainerPace& pace) {
  const Statements& said = run.said;
  Derived of;
  of.gpus = first_known(
      {said.get(Stated::kGpus), product(said.get(Stated::kNodes), said.get(Stated::kGpusPerNode))});
  of.batch = first_known({pace.trainer.samples, said.get(Stated::kGlobalBatch)});
  const StepSeries* const series = series_of(run);
  of.steps = said.get(Stated::kSteps);
  if (series != nullptr) of.steps = static_cast<double>(series->back().number);
  if (!of.steps && made_all_epochs(said)) of.steps = said.get(Stated::kLastStep);
  of.tokens = first_known({said.get(Stated::kTokens),
                           product(said.get(Stated::kSamples), said.get(Stated::kSequence))});
  of.duration_s = first_known({said.get(Stated::kDuration), told_duration(run)});
  const auto whole = run.resumed ? std::nullopt : said.get(Stated::kDuration);
  of.seconds_per_step = first_known({pace.seconds(), quotient(whole, of.steps)});
  const auto engine_rate = run.iterations.empty() ? said.get(Stated::kEngineRate) : std::nullopt;
  of.samples_per_s =
      first_known({quotient(of.batch, pace.seconds()), pace.trainer.samples_per_s,
                   pace.engine.samples_per_s, said.get(Stated::kSamplesPerSecond), engine_rate});
  const auto told_rate = product(pace.trainer.tokens_per_s, of.gpus);
  // The times of TorchTitan's steps are computed from the rates that it tells.
  of.tokens_per_s = first_known({run.by_torchtitan ? told_rate : std::nullopt,
                                 product(of.samples_per_s, said.get(Stated::kSequence)), told_rate,
                                 quotient(said.get(Stated::kTokensPerStep), pace.seconds())});
  of.tokens_per_s_per_gpu =
      first_known({quotient(of.tokens_per_s, of.gpus), pace.trainer.tokens_per_s});
  of.energy_j = product(pace.trainer.energy_j, of.gpus);
  of.power_w = quotient(pace.trainer.energy_j, pace.trainer.energy_seconds);
  return of;
}

/// The values of a member; NaN is nothing.
template <class Item>
MetricSeries trainer_values(const std::vector<Item>& items, double Item::*member) {
  MetricSeries values;
  for (const Item& item : items) {
    if (!std::isnan(item.*member)) values.add(item.*member);
  }
  return values;
}

/// The losses of the steps that count, or else of lines without a step.
MetricSeries losses_of(const TrainerRun& run) {
  for (const StepSeries* series : {&run.iterations, &run.deepspeed_steps}) {
    MetricSeries losses = trainer_values(series->steps(), &LoggedStep::loss);
    if (!losses.empty()) return losses;
  }
  return trainer_values(run.losses, &LoggedLoss::loss);
}

/// Usual facts stand there always, so that a table of jobs may supply them, and the others where
/// they are known.
void add_trainer_settings(RunFacts& facts, const TrainerRun& run, const Derived& of) {
  const Statements& said = run.said;
  facts.add("framework", std::string(framework_of(run)));
  facts.add("gpus", exact_text(of.gpus));
  facts.add_known("nodes", said.get(Stated::kNodes));
  facts.add_known("tensor_parallel", said.get(Stated::kTensorParallel));
  facts.add_known("pipeline_parallel", said.get(Stated::kPipelineParallel));
  facts.add_known("data_parallel",
                  first_known({said.get(Stated::kDataParallel), batch_devices(said)}));
  facts.add_known("context_parallel", said.get(Stated::kContextParallel));
  facts.add_known("expert_parallel", said.get(Stated::kExpertParallel));
  facts.add_known("micro_batch_size", said.get(Stated::kMicroBatch));
  facts.add("global_batch_size", exact_text(of.batch));
  facts.add("sequence_length", exact_text(said.get(Stated::kSequence)));
  facts.add("parameters", exact_text(parameters_of(run)));
  facts.add_known("trainable_parameters", said.get(Stated::kTrainable));
  facts.add_known("layers", said.get(Stated::kLayers));
  facts.add_known("hidden_size", said.get(Stated::kHidden));
}

}  // namespace

void Statements::add(const Statements& other) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!values_[i]) values_[i] = other.values_[i];
  }
}

bool Statements::agrees_with(const Statements& other) const {
  for (std::size_t i = 0; i < static_cast<std::size_t>(kLastSetting); ++i) {
    if (values_[i] && other.values_[i] && *values_[i] != *other.values_[i]) return false;
  }
  return true;
}

void add_loss(const LoggedLoss& loss, std::vector<LoggedLoss>& losses) {
  if (!std::isnan(loss.loss) || !std::isnan(loss.validation_loss)) losses.push_back(loss);
}

const StepSeries* series_of(const TrainerRun& run) {
  for (const StepSeries* series : {&run.iterations, &run.deepspeed_steps, &run.stamped_steps}) {
    if (!series->empty()) return series;
  }
  return nullptr;
}

RowFacts settings_of(const TrainerRun& run) {
  NoNotes silent;
  RunFacts facts;
  add_trainer_settings(facts, run, derived_of(run, trainer_pace_of(run, silent)));
  return facts.take();
}

JobRecord record_of(const TrainerRun& run, std::string job, const MetricChoices& choices,
                    TraceNotes& notes) {
  const TrainerPace pace = trainer_pace_of(run, notes);
  const Statements& said = run.said;
  const Derived of = derived_of(run, pace);
  RunFacts facts;
  add_trainer_settings(facts, run, of);
  facts.add("steps", exact_text(of.steps));
  facts.add_known("epochs", said.get(Stated::kEpochs));
  facts.add("tokens", exact_text(of.tokens));
  facts.add("duration_s", exact_text(of.duration_s));
  facts.add("seconds_per_step", exact_text(of.seconds_per_step));
  facts.add_known("seconds_per_step_cv", pace.seconds_cv());
  const auto whole = run.resumed ? std::nullopt : said.get(Stated::kDuration);
  facts.add_known("epoch_seconds", quotient(whole, said.get(Stated::kEpochs)));
  facts.add("samples_per_second", exact_text(of.samples_per_s));
  facts.add("tokens_per_second", exact_text(of.tokens_per_s));
  facts.add_known("tokens_per_second_per_gpu", of.tokens_per_s_per_gpu);
  facts.add_known("steps_per_second", said.get(Stated::kStepsPerSecond));
  facts.add_known("tflops_per_gpu", pace.trainer.tflops);
  facts.add_known("energy_j", of.energy_j);
  // Behind a checkpoint, the log is of some steps only.
  const auto energy_steps = of.energy_j ? pace.trainer.energy_steps : std::nullopt;
  if (energy_steps != of.steps) facts.add_known("energy_steps", energy_steps);
  facts.add_known("power_mean_w", of.power_w);
  facts.add_known("total_flops", said.get(Stated::kTotalFlops));
  facts.add("loss", exact_text(losses_of(run).value(choices.of("loss"))));
  facts.add_known("train_loss", said.get(Stated::kTrainLoss));
  facts.add_known("validation_loss", trainer_values(run.losses, &LoggedLoss::validation_loss)
                                         .value(choices.of("validation_loss")));
  facts.add("status", has_failed(run) ? "failed" : run.ended ? "finished" : "");
  note_lost_losses(run, notes);
  return {std::move(job), facts.take()};
}

std::string run_name_of(const std::string& path) {
  constexpr std::string_view kOfAnyRun[] = {
      "log",   "logs",          "train",       "training",      "stdout",      "output",
      "out",   "run",           "console",     "train_log",     "std_out",     "stdouterr",
      "nohup", "trainer_state", "all_results", "train_results", "eval_results"};
  const std::string stem = origin_by_stem(path).job;
  std::filesystem::path place = std::filesystem::path(path).parent_path();
  // W&B keeps what a run prints as run-20240501_100000-abc123/files/output.log.
  if (place.filename() == "files") place = place.parent_path();
  const std::string folder = place.filename().string();
  return !is_one_of(stem, kOfAnyRun) || folder.empty() || folder == "." || folder == ".." ? stem
                                                                                          : folder;
}

void take_statements(TrainerRun said, TrainerRun& run) {
  run.said.add(said.said);
  run.shards.merge(said.shards);
  run.resumed |= said.resumed;
  if (!run.begin_ns) run.begin_ns = said.begin_ns;
  run.by_deepspeed |= said.by_deepspeed;
}

void note_lost_losses(const TrainerRun& run, TraceNotes& notes) {
  for (const StepSeries* series : {&run.iterations, &run.deepspeed_steps}) {
    for (const LoggedStep& step : series->steps()) {
      if (!std::isinf(step.loss)) continue;
      notes.note(TraceOddity::kLostLoss, step.line, fmt::format("step {}", step.number));
    }
  }
  if (std::isinf(run.said.get(Stated::kTrainLoss).value_or(0))) {
    notes.note(TraceOddity::kLostLoss, 0, "train_loss");
  }
  for (const LoggedLoss& logged : run.losses) {
    if (!std::isinf(logged.loss) && !std::isinf(logged.validation_loss)) continue;
    const bool has_step = !std::isnan(logged.step);
    notes.note(
        TraceOddity::kLostLoss, 0,
        fmt::format("{} {}", has_step ? "step" : "epoch", has_step ? logged.step : logged.epoch));
  }
}

namespace {

/// What stands at the begin of a text, before a blank or a mark that ends a number.
std::string_view leading_word(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const auto ends = [&](char c) {
    return is_blank(c) || c == ',' || c == ';' || c == '|' || c == ')' || c == ']' || c == '}' ||
           c == '%';
  };
  std::size_t begin = 0;
  while (begin < text.size() && is_blank(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && !ends(text[end])) ++end;
  return text.substr(begin, end - begin);
}

}  // namespace

std::optional<double> leading_number(std::string_view text) {
  return parse_number(leading_word(text));
}

std::optional<double> leading_loss(std::string_view text) {
  std::string_view word = leading_word(text);
  if (const auto number = parse_number(word)) return number;
  if (is_infinite(word)) return std::numeric_limits<double>::infinity();
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  const bool is_nan = word == "nan" || word == "NaN" || word == "NAN";
  return is_nan ? std::optional(std::numeric_limits<double>::infinity()) : std::nullopt;
}

namespace {

// The curve of a trainer's run: what it logged at each step.

/// A row of the curve. What was not logged is NaN.
struct CurveRow {
  double step = LoggedStep::kNone;
  double epoch = LoggedStep::kNone;
  double samples = LoggedStep::kNone;
  double tokens = LoggedStep::kNone;
  double elapsed_s = LoggedStep::kNone;
  double seconds_per_step = LoggedStep::kNone;
  double loss = LoggedStep::kNone;
  double validation_loss = LoggedStep::kNone;
};

struct CurveColumn {
  const char* name;
  double CurveRow::*value;
};

constexpr std::array<CurveColumn, 8> kColumns{{{"step", &CurveRow::step},
                                               {"epoch", &CurveRow::epoch},
                                               {"samples", &CurveRow::samples},
                                               {"tokens", &CurveRow::tokens},
                                               {"elapsed_s", &CurveRow::elapsed_s},
                                               {"seconds_per_step", &CurveRow::seconds_per_step},
                                               {"loss", &CurveRow::loss},
                                               {"validation_loss", &CurveRow::validation_loss}}};

double finite(double loss) { return std::isinf(loss) ? LoggedStep::kNone : loss; }

/// How many steps a line stands for: those since the line before; the first one for as many as the
/// second, and nobody knows for how many one line alone. NaN where `tells_one`, if there are more.
double steps_of_line(const std::vector<LoggedStep>& steps, std::size_t i, bool tells_one) {
  if (steps.size() == 1) return steps[0].number > 1 ? LoggedStep::kNone : 1;
  const std::int64_t since =
      i > 0 ? steps[i].number - steps[i - 1].number : steps[1].number - steps[0].number;
  if (tells_one) return since == 1 ? 1 : LoggedStep::kNone;
  return static_cast<double>(i > 0 ? since : std::min(steps[0].number, since));
}

/// The rows of the steps' own lines.
/// @param tells_one  A line tells the time of its last step, not the mean of several.
std::vector<CurveRow> rows_of_steps(const StepSeries& series, double sequence, bool tells_one) {
  const std::vector<LoggedStep>& steps = series.steps();
  std::vector<CurveRow> rows;
  rows.reserve(steps.size());
  double elapsed_s = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const LoggedStep& step = steps[i];
    elapsed_s += steps_of_line(steps, i, tells_one) * step.seconds;
    const double counted = step.consumed_samples * sequence;
    rows.push_back(
        {.step = static_cast<double>(step.number),
         .samples = step.consumed_samples,
         .tokens = std::isnan(step.consumed_tokens) ? counted : step.consumed_tokens,
         .elapsed_s = std::round(elapsed_s * 1e9) / 1e9,  // A sum shows digits of its own.
         .seconds_per_step = step.seconds,
         .loss = finite(step.loss)});
  }
  return rows;
}

/// Whether two rows tell of one step: both name it or its epoch, and no column has two values.
bool is_one_step(const CurveRow& a, const CurveRow& b) {
  const bool same =
      std::isnan(a.step) ? std::isnan(b.step) && a.epoch == b.epoch : a.step == b.step;
  return same && std::ranges::all_of(kColumns, [&](const CurveColumn& column) {
           const double one = a.*column.value;
           const double other = b.*column.value;
           return std::isnan(one) || std::isnan(other) || one == other;
         });
}

/// Joins neighbours that tell of one step, as a loss and an evaluation do.
void join_rows(std::vector<CurveRow>& rows) {
  std::size_t kept = 0;
  for (const CurveRow& row : rows) {
    if (kept == 0 || !is_one_step(rows[kept - 1], row)) {
      rows[kept++] = row;
      continue;
    }
    for (const CurveColumn& column : kColumns) {
      double& value = rows[kept - 1].*column.value;
      if (std::isnan(value)) value = row.*column.value;
    }
  }
  rows.resize(kept);
}

std::vector<CurveRow> step_rows(const TrainerRun& run) {
  std::vector<CurveRow> rows;
  if (const StepSeries* const series = series_of(run)) {
    rows = rows_of_steps(*series, run.said.get(Stated::kSequence).value_or(LoggedStep::kNone),
                         run.by_nanogpt);
  }
  for (const LoggedLoss& logged : run.losses) {
    rows.push_back({.step = logged.step,
                    .epoch = logged.epoch,
                    .tokens = logged.tokens,
                    .loss = finite(logged.loss),
                    .validation_loss = finite(logged.validation_loss)});
  }
  // What tells no step keeps its order, behind the others.
  const auto comes_first = [](const CurveRow& a, const CurveRow& b) {
    return std::isnan(b.step) ? !std::isnan(a.step) : a.step < b.step;
  };
  if (!std::ranges::is_sorted(rows, comes_first)) {
    std::ranges::stable_sort(rows, comes_first);
  }
  join_rows(rows);
  return rows;
}

}  // namespace

JobRecord steps_record_of(const TrainerRun& run, std::string job, TraceNotes& notes) {
  note_lost_losses(run, notes);
  JobRecord record{std::move(job), settings_of(run)};
  const std::vector<CurveRow> rows = step_rows(run);
  std::vector<double CurveRow::*> values;
  for (const auto& [name, value] : kColumns) {
    const auto member = value;
    const bool is_logged =
        std::ranges::any_of(rows, [&](const CurveRow& row) { return !std::isnan(row.*member); });
    if (!is_logged) continue;
    record.steps.names.emplace_back(name);
    values.push_back(member);
  }
  record.steps.cells.reserve(rows.size() * values.size());
  for (const CurveRow& row : rows) {
    for (const auto value : values) record.steps.cells.push_back(row.*value);
  }
  return record;
}

}  // namespace scalelaw
