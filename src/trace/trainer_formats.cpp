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

/// TraceFormat::recognises for texts that hold one of some marks.
template <const auto& kMarks>
bool has_mark(std::string_view head) {
  return holds_any(head, kMarks);
}

/// TraceFormat::missing for texts that hold one of some marks of the program.
template <const auto& kMarks, const std::string_view& kLacks>
std::string lacks_mark(std::string_view head) {
  return std::string(holds_any(head, kMarks) ? kLacks : "");
}

bool recognises_megatron(std::string_view head) {
  constexpr std::string_view kMarks[] = {"elapsed time per iteration (",
                                         "using world size: ", "elapsed_time_per_iteration_ms="};
  constexpr std::string_view kContexts[] = {"iteration ", "iteration=", "parallel"};
  return holds_any(head, kMarks) && holds_any(head, kContexts);
}

constexpr std::string_view kNearMegatron[] = {"consumed samples: ", "end of arguments ---",
                                              "| lm loss: "};
constexpr std::string_view kMegatronLacks =
    "no line has \"elapsed time per iteration (ms)\" or \"(s)\"";

// Times of NeMo are logged by a callback, which a run may lack; losses and samples are enough for a
// curve.
constexpr std::string_view kNemoMarks[] = {"train_step_timing in s=", "train_step_timing in s: ",
                                           "reduced_train_loss: ", "reduced_train_loss="};
constexpr std::string_view kNearNemo[] = {"[NeMo I ", "[NeMo W "};
constexpr std::string_view kNemoLacks =
    "no line has \"train_step_timing in s\" or \"reduced_train_loss\": does exp_manager log it "
    "(log_step_timing), or the callback TimingCallback?";

constexpr std::string_view kDeepspeedMarks[] = {
    "iter time (s): ", ", SamplesPerSec=", "RunningAvgSamplesPerSec="};
constexpr std::string_view kNearDeepspeed[] = {"DeepSpeed info: version", "[deepspeed]",
                                               ":log_dist] [Rank "};
constexpr std::string_view kDeepspeedLacks =
    "no line has \"SamplesPerSec=\" or \"iter time (s)\": steps_per_print in its configuration "
    "says how often they come";

bool has_hub_lines(std::string_view head) {
  constexpr std::string_view kMarks[] = {"{'train_runtime': ", "{'loss': ", "{'eval_loss': "};
  constexpr std::string_view kJsonMarks[] = {
      "{\"train_runtime\": ", "{\"loss\": ", "{\"eval_loss\": "};
  constexpr std::string_view kSummary = "***** train metrics *****";
  const std::size_t summary = std::min(head.find(kSummary), head.size());
  return holds(head.substr(summary), "train_runtime") ||
         (holds_any(head, kMarks) && holds(head, "'epoch'")) ||
         (holds_any(head, kJsonMarks) && holds(head, "\"epoch\""));
}

bool recognises_transformers_log(std::string_view head) {
  if (has_hub_lines(head)) return true;
  if (!holds(head, "{'") && !holds(head, "{\"")) return false;
  std::string unwrapped(head);  // A terminal may have wrapped its lines.
  std::erase_if(unwrapped, [](char c) { return c == '\n' || c == '\r'; });
  return has_hub_lines(unwrapped);
}

constexpr std::string_view kNearTransformers[] = {
    "{'train_runtime': ", "{'loss': ", "***** Running training *****"};
constexpr std::string_view kTransformersLacks =
    "no line has {'loss': ..., 'epoch': ...} or {'train_runtime': ..., 'epoch': ...}";

bool recognises_nanogpt(std::string_view head) {
  return any_line(head, [](std::string_view line) { return nanogpt_step(line).has_value(); });
}

std::string nanogpt_lacks(std::string_view head) {
  const bool is_near = holds(head, ": train loss ") && holds(head, ", val loss ");
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

constexpr std::string_view kNearTorchTitan[] = {"device mesh with parallelism: ", "[titan] "};
constexpr std::string_view kTorchTitanLacks =
    "no line has \"step: 10  loss: 7.87  memory: ...  tps: 6,018\": metrics.log_freq says how "
    "often "
    "they come";

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
    const std::string name = numbered(stem, records.size() + 1);
    records.push_back(options.steps ? steps_record_of(run, name, notes)
                                    : record_of(run, name, choices, notes));
    records.back().file = path;
  }
  if (records.empty()) {
    throw DataError(fmt::format("{}: the log of a trainer that made no step", file.name()));
  }
  return records;
}

constexpr TraceFormat format_of_log(std::string_view name, std::string_view title,
                                    bool (*recognises)(std::string_view),
                                    std::string (*missing)(std::string_view)) {
  return {.name = name,
          .title = title,
          .recognises = recognises,
          .read_records = read_trainer_log,
          .missing = missing};
}

}  // namespace

const TraceFormat kMegatron = format_of_log("megatron", "Megatron-LM log", recognises_megatron,
                                            lacks_mark<kNearMegatron, kMegatronLacks>);
const TraceFormat kNemo =
    format_of_log("nemo", "NeMo log", has_mark<kNemoMarks>, lacks_mark<kNearNemo, kNemoLacks>);
const TraceFormat kDeepspeed =
    format_of_log("deepspeed", "DeepSpeed log", has_mark<kDeepspeedMarks>,
                  lacks_mark<kNearDeepspeed, kDeepspeedLacks>);
const TraceFormat kTransformersLog =
    format_of_log("hf-log", "log of a Hugging Face Trainer", recognises_transformers_log,
                  lacks_mark<kNearTransformers, kTransformersLacks>);
const TraceFormat kNanoGpt =
    format_of_log("nanogpt", "nanoGPT log", recognises_nanogpt, nanogpt_lacks);
const TraceFormat kTorchTitan = format_of_log("torchtitan", "TorchTitan log", recognises_torchtitan,
                                              lacks_mark<kNearTorchTitan, kTorchTitanLacks>);

std::span<const TraceFormat* const> formats_of_logs() {
  static constexpr const TraceFormat* kLogs[] = {&kMegatron,  &kNemo,    &kTransformersLog,
                                                 &kDeepspeed, &kNanoGpt, &kTorchTitan};
  return kLogs;
}

}  // namespace scalelaw
