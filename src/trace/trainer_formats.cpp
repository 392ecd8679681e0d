#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/input/lines.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/formats.hpp"
#include "trace/trainer_log.hpp"

// Standard output of trainers. One reader understands the lines of all of them, since programs
// that build on one another write into one log:
//    iteration       20/    1000 | consumed samples:           80 | elapsed time per iteration
//    (ms): 1354.9 | ...
//   Training epoch 0, iteration 17/99 | lr: 2.699e-06 | global_step: 17 | train_step_timing in
//   s: 12.64 steps: 1 loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805
//   {'train_runtime': 273.0148, 'train_samples_per_second': 3.663, 'epoch': 1.0}
//   iter 10: loss 3.2087, time 135.24ms, mfu 12.31%
//   step: 10  loss:  7.8712  grad_norm:  2.6431  memory: 47.52GiB(50.02%)  tps: 6,018  mfu: 35.25%

namespace scalelaw {
namespace {

template <std::size_t Count>
bool holds_one_of(std::string_view text, const std::string_view (&parts)[Count]) {
  return std::any_of(std::begin(parts), std::end(parts), [&](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

bool recognises_megatron(std::string_view head) {
  constexpr std::string_view kMarks[] = {"elapsed time per iteration (",
                                         "using world size: ", "elapsed_time_per_iteration_ms="};
  constexpr std::string_view kSigns[] = {"iteration ", "iteration=", "parallel"};
  return holds_one_of(head, kMarks) && holds_one_of(head, kSigns);
}

std::string megatron_lacks(std::string_view head) {
  constexpr std::string_view kMarks[] = {"consumed samples: ", "end of arguments ---",
                                         "| lm loss: "};
  return holds_one_of(head, kMarks) ? "no line has \"elapsed time per iteration (ms)\" or \"(s)\""
                                    : "";
}

bool recognises_nemo(std::string_view head) {
  // Times are logged by a callback, which a run may lack; losses and samples are enough for a
  // curve.
  constexpr std::string_view kMarks[] = {"train_step_timing in s=", "train_step_timing in s: ",
                                         "reduced_train_loss: ", "reduced_train_loss="};
  return holds_one_of(head, kMarks);
}

std::string nemo_lacks(std::string_view head) {
  constexpr std::string_view kMarks[] = {"[NeMo I ", "[NeMo W "};
  return holds_one_of(head, kMarks)
             ? "no line has \"train_step_timing in s\" or \"reduced_train_loss\": does exp_manager "
               "log it (log_step_timing), or the callback TimingCallback?"
             : "";
}

bool recognises_deepspeed(std::string_view head) {
  constexpr std::string_view kMarks[] = {
      "iter time (s): ", ", SamplesPerSec=", "RunningAvgSamplesPerSec="};
  return holds_one_of(head, kMarks);
}

std::string deepspeed_lacks(std::string_view head) {
  constexpr std::string_view kMarks[] = {"DeepSpeed info: version", "[deepspeed]",
                                         ":log_dist] [Rank "};
  return holds_one_of(head, kMarks)
             ? "no line has \"SamplesPerSec=\" or \"iter time (s)\": steps_per_print in its "
               "configuration says how often they come"
             : "";
}

bool has_hub_lines(std::string_view head) {
  constexpr std::string_view kMarks[] = {"{'train_runtime': ", "{'loss': ", "{'eval_loss': "};
  constexpr std::string_view kJsonMarks[] = {
      "{\"train_runtime\": ", "{\"loss\": ", "{\"eval_loss\": "};
  constexpr std::string_view kSummary = "***** train metrics *****";
  const std::size_t summary = head.find(kSummary);
  return (summary != std::string_view::npos &&
          head.find("train_runtime", summary) != std::string_view::npos) ||
         (holds_one_of(head, kMarks) && head.find("'epoch'") != std::string_view::npos) ||
         (holds_one_of(head, kJsonMarks) && head.find("\"epoch\"") != std::string_view::npos);
}

bool recognises_transformers_log(std::string_view head) {
  if (has_hub_lines(head)) return true;
  if (head.find("{'") == std::string_view::npos && head.find("{\"") == std::string_view::npos) {
    return false;
  }
  std::string unwrapped(head);  // A terminal may have wrapped its lines.
  std::erase_if(unwrapped, [](char c) { return c == '\n' || c == '\r'; });
  return has_hub_lines(unwrapped);
}

std::string transformers_lack(std::string_view head) {
  constexpr std::string_view kMarks[] = {
      "{'train_runtime': ", "{'loss': ", "***** Running training *****"};
  return holds_one_of(head, kMarks) ? "no line has {'loss': ..., 'epoch': ...} or "
                                      "{'train_runtime': ..., 'epoch': ...}"
                                    : "";
}

bool recognises_nanogpt(std::string_view head) {
  return any_line(head, [](std::string_view line) { return nanogpt_step(line).has_value(); });
}

std::string nanogpt_lacks(std::string_view head) {
  const bool is_near = head.find(": train loss ") != std::string_view::npos &&
                       head.find(", val loss ") != std::string_view::npos;
  return is_near ? "no line has \"iter 10: loss 3.2, time 135.2ms\": log_interval says how often "
                   "they come"
                 : "";
}

bool recognises_torchtitan(std::string_view head) {
  constexpr std::size_t kLongest = 4096;
  std::string wrapped;
  return any_line(head, [&](std::string_view line) {
    if (torchtitan_step(line)) return true;
    if (begins_as_torchtitan(line)) wrapped.clear();
    if (wrapped.empty() && !begins_as_torchtitan(line)) return false;
    if (wrapped.size() > kLongest) return false;
    wrapped += line;
    return torchtitan_step(wrapped).has_value();
  });
}

std::string torchtitan_lacks(std::string_view head) {
  constexpr std::string_view kMarks[] = {"device mesh with parallelism: ", "[titan] "};
  return holds_one_of(head, kMarks)
             ? "no line has \"step: 10  loss: 7.87  memory: ...  tps: 6,018\": metrics.log_freq "
               "says how often they come"
             : "";
}

/// Lines of a log, with the steps of those that say all of one.
struct LogPiece {
  static constexpr std::size_t kNoStep = ~std::size_t{0};
  struct Line {
    std::string_view text;
    std::size_t step;  ///< Its place in `steps`, or kNoStep.
  };
  LineBlock block;
  std::vector<Line> lines;
  std::vector<StepLine> steps;

  void find_steps() {
    lines.clear();
    steps.clear();
    for (std::string_view rest = block.text; !rest.empty();) {
      const std::string_view line = take_line(rest);
      const auto step = whole_step(line);
      lines.push_back({line, step ? steps.size() : kNoStep});
      if (step) steps.push_back(*step);
    }
  }
  void give_to(TrainerLog& log) const {
    std::uint64_t number = block.line;
    const std::uint64_t last = number + lines.size() - 1;
    for (const auto& [text, step] : lines) {
      log.take(text, step == kNoStep ? nullptr : &steps[step], number,
               block.is_cut && number == last);
      ++number;
    }
  }
};

/// What a log says. Its steps are parsed on several threads.
std::vector<TrainerRun> trainer_runs_of(const InputFile& file, int threads, TraceNotes& notes) {
  const auto stream = open_stream(file);
  LineBlocks blocks(*stream, file.name());
  TrainerLog log(notes);
  const auto read = [&](LogPiece& piece) {
    refuse_cancelled();
    return blocks.next(piece.block);
  };
  for_each_piece<LogPiece>(
      threads, read, [](LogPiece& piece) { piece.find_steps(); },
      [&](const LogPiece& piece) { piece.give_to(log); });
  return log.finish();
}

/// The records of a file's runs. The second one of a file gets the ending "-2".
std::vector<JobRecord> read_trainer_log(const std::string& path, const TraceOptions& options,
                                        TraceNotes& notes) {
  const InputFile file(path);
  const MetricChoices choices(options.metrics);
  const std::string stem = run_name_of(path);
  std::vector<JobRecord> records;
  for (const TrainerRun& run : trainer_runs_of(file, options.threads, notes)) {
    const std::size_t place = records.size() + 1;
    const std::string name = place == 1 ? stem : fmt::format("{}-{}", stem, place);
    records.push_back(options.steps ? steps_record_of(run, name, notes)
                                    : record_of(run, name, choices, notes));
    records.back().file = path;
  }
  if (records.empty()) {
    throw DataError(fmt::format("{}: the log of a trainer that made no step", file.name()));
  }
  return records;
}

}  // namespace

const TraceFormat kMegatron{.name = "megatron",
                            .title = "Megatron-LM log",
                            .recognises = recognises_megatron,
                            .read_records = read_trainer_log,
                            .missing = megatron_lacks};
const TraceFormat kNemo{.name = "nemo",
                        .title = "NeMo log",
                        .recognises = recognises_nemo,
                        .read_records = read_trainer_log,
                        .missing = nemo_lacks};
const TraceFormat kDeepspeed{.name = "deepspeed",
                             .title = "DeepSpeed log",
                             .recognises = recognises_deepspeed,
                             .read_records = read_trainer_log,
                             .missing = deepspeed_lacks};
const TraceFormat kTransformersLog{.name = "hf-log",
                                   .title = "log of a Hugging Face Trainer",
                                   .recognises = recognises_transformers_log,
                                   .read_records = read_trainer_log,
                                   .missing = transformers_lack};

const TraceFormat kNanoGpt{.name = "nanogpt",
                           .title = "nanoGPT log",
                           .recognises = recognises_nanogpt,
                           .read_records = read_trainer_log,
                           .missing = nanogpt_lacks};

const TraceFormat kTorchTitan{.name = "torchtitan",
                              .title = "TorchTitan log",
                              .recognises = recognises_torchtitan,
                              .read_records = read_trainer_log,
                              .missing = torchtitan_lacks};

std::span<const TraceFormat* const> formats_of_logs() {
  static constexpr const TraceFormat* kLogs[] = {&kMegatron,  &kNemo,    &kTransformersLog,
                                                 &kDeepspeed, &kNanoGpt, &kTorchTitan};
  return kLogs;
}

}  // namespace scalelaw
