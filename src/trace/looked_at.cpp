#include "trace/looked_at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/formats.hpp"
#include "trace/sacct_columns.hpp"

namespace scalelaw {
namespace {

/// What files of a format have, the most telling sign first, which suffices alone unless other
/// texts have it, too. A format may have several rows.
struct Signs {
  const TraceFormat* format;
  std::array<std::string_view, 4> signs;  ///< The last ones may be empty.
};

/// Whether one sign suffices: a key of JSON, or a name of several words, and no "iter " or "sm".
bool is_rare(std::string_view sign) {
  constexpr std::string_view kCommon[] = {"\"times\"", "\"association\"", "run_start",
                                          "window_name"};
  const bool is_name =
      sign.starts_with('"') || sign.find_first_of("_.=(") != std::string_view::npos;
  return is_name && !is_one_of(sign, kCommon);
}

constexpr Signs kSigns[] = {
    {&kMegatron, {"elapsed time per iteration (ms)", "iteration ", "consumed samples", "lm loss"}},
    {&kNemo, {"train_step_timing in s", "reduced_train_loss", "global_step", "[NeMo "}},
    {&kTransformersLog, {"{'loss': ", "'epoch': ", "'learning_rate': ", "'grad_norm': "}},
    {&kDeepspeed, {"SamplesPerSec=", "global_step=", "[deepspeed]", "micro_step="}},
    {&kDeepspeed, {"train_micro_batch_size_per_gpu", "SamplesPerSec=", "global_step="}},
    {&kDeepspeed, {"[config.py:", "train_batch_size", "SamplesPerSec=", "global_step="}},
    {&kNanoGpt, {"iter ", ": loss ", ", time ", "tokens per iteration will be"}},
    {&kTorchTitan, {"tps: ", "step: ", "loss: ", "mfu: "}},
    {&kNvidiaSmi, {"power.draw", "utilization.gpu", "timestamp", "index"}},
    {&kNvidiaSmiQuery, {"Power Draw", "Timestamp", "Attached GPUs"}},
    {&kSupercloud, {"utilization_gpu_pct", "power_draw_W", "gpu_index", "timestamp"}},
    {&kDmon, {"pwr", "# gpu", "sm", "mem"}},
    {&kDcgm, {"POWER", "GPUTL", "#Entity", "Id"}},
    {&kMllog, {"run_start", "run_stop", ":::ML", "\"key\""}},
    {&kSacct, {"JobID", "AllocTRES", "Elapsed", "State"}},
    {&kSacct, {"\"association\"", "\"jobs\"", "\"job_id\"", "\"tres\""}},
    {&kCodeCarbon, {"energy_consumed", "emissions", "duration", "project_name"}},
    {&kCarbonTracker, {"Average power usage", "Duration:", "carbontracker", "Actual consumption"}},
    {&kZeusMonitor, {"window_name", "elapsed_time", "gpu0_energy", "start_time"}},
    {&kPerunReport, {"PERUN REPORT", "RUN ID", "Runtime", "Energy"}},
    {&kPrometheusText, {"DCGM_FI_DEV_", "UUID=", "gpu=", "# TYPE"}},
    {&kPrometheusJson, {"\"resultType\"", "\"metric\"", "\"values\"", "\"status\""}},
    {&kMlflow, {"artifact_uri", "run_id", "experiment_id", "lifecycle_stage"}},
    {&kLightning, {"epoch", "step", "train_loss", "val_loss"}},
    {&kWandb, {"\"_step\"", "\"_runtime\"", "\"_timestamp\""}},
    {&kWandb, {"\"_runtime\"", "\"_step\"", "\"_timestamp\"", "\"_wandb\""}},
    {&kGoogleBenchmark, {"\"benchmarks\"", "\"real_time\"", "\"context\"", "\"iterations\""}},
    {&kHyperfine, {"\"times\"", "\"results\"", "\"command\"", "\"stddev\""}},
    {&kReframe, {"perf_var", "num_tasks", "reframe", "jobid="}},
    {&kExtraP, {"PARAMETER", "POINTS", "METRIC", "DATA"}},
    {&kCaliper, {"\"column_metadata\"", "\"columns\"", "\"nodes\"", "\"data\""}},
    {&kThicket, {"\"dataframe\"", "\"dataframe_indices\"", "\"graph\""}},
    {&kTransformers, {"\"log_history\"", "\"train_runtime\"", "\"eval_loss\"", "\"epoch\""}},
};

/// Programs whose output is not read, by what their lines have, and what is read in its place.
struct OtherProgram {
  std::array<std::string_view, 2> signs;
  std::string_view advice;
};

constexpr std::string_view kOnKeras =
    "Keras printed it, which is not read: the event files of its callback TensorBoard are";
constexpr std::string_view kOnLightning =
    "it is the progress bar of PyTorch Lightning, which is not read: the metrics.csv of its "
    "CSVLogger is";
constexpr OtherProgram kOtherPrograms[] = {
    {{"[batch=", "Train "},
     "Composer printed it, which is not read: its loggers of TensorBoard, MLflow and Weights & "
     "Biases write files that are"},
    {{"loss train: ", "iter time: "},
     "LitGPT printed it, which is not read: the metrics.csv that it writes (--logger_name csv) is"},
    {{"/step", " - loss: "}, kOnKeras},
    {{"v_num=", "s/it"}, kOnLightning},
    {{"v_num=", "it/s"}, kOnLightning},
    {{"Epoch 1/", "s - loss: "}, kOnKeras},
    {{"tok/sec: ", "%) | "},
     "nanochat printed it, which is not read: the files of its Weights & Biases run are"},
    {{"tok/sec: ", "| norm: "},
     "build-nanogpt printed it, which is not read, and it writes no other file of times"}};

/// What to do with the output of a program that is not read; empty for other texts.
std::string_view advice_on(std::string_view head) {
  for (const auto& [signs, advice] : kOtherPrograms) {
    if (holds(head, signs[0]) && holds(head, signs[1])) return advice;
  }
  return {};
}

/// Whether a text has a sign as a word of its own: "sm" is none of "small".
bool has_sign(std::string_view text, std::string_view sign) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  for (std::size_t at = text.find(sign); at != std::string_view::npos;
       at = text.find(sign, at + 1)) {
    const std::size_t end = at + sign.size();
    const bool begins = at == 0 || !is_word(sign.front()) || !is_word(text[at - 1]);
    const bool ends = end == text.size() || !is_word(sign.back()) || !is_word(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

/// Whether a text has a bar of tqdm, with its rate or the time of a step: "| 3/10 [..., 1.25s/it]".
bool holds_bar(std::string_view text) {
  return any_line(text, [](std::string_view line) {
    const bool has_bar = holds(line, "%|") || (holds(line, "| ") && holds(line, '<'));
    return has_bar && (holds(line, "it/s") || holds(line, "s/it"));
  });
}

/// Whether a text begins as an object or a list of objects, and not as a log: "[INFO] ".
bool begins_as_json(std::string_view head) {
  constexpr std::string_view kBlanks = " \t\r\n";
  head.remove_prefix(std::min(head.find_first_not_of(kBlanks), head.size()));
  if (!head.starts_with('[')) return head.starts_with('{');
  head.remove_prefix(std::min(head.find_first_not_of(kBlanks, 1), head.size()));
  return head.starts_with('{') || head.starts_with('[') || head.starts_with(']');
}

/// The format that a text shares most signs with, two or the most telling one, and what the text
/// lacks of them.
struct Nearest {
  const TraceFormat* format = nullptr;
  std::vector<std::string> present = {};
  std::vector<std::string> missing = {};
};

Nearest nearest_format(std::string_view head) {
  constexpr std::size_t kFewest = 2;
  const bool is_json = begins_as_json(head);
  Nearest nearest;
  for (const auto& [format, signs] : kSigns) {
    if (signs.front().starts_with('"') != is_json) continue;  // Keys of JSON stand in quotes.
    Nearest one{.format = format};
    for (const std::string_view sign : signs) {
      if (sign.empty()) continue;
      const std::string shown = sign.starts_with('"') ? std::string(sign) : quoted(sign);
      (has_sign(head, sign) ? one.present : one.missing).push_back(shown);
    }
    const bool has_rare = has_sign(head, signs.front()) && is_rare(signs.front());
    const bool is_near = (has_rare || one.present.size() >= kFewest) && !one.missing.empty();
    if (is_near && one.present.size() > nearest.present.size()) nearest = std::move(one);
  }
  return nearest;
}

/// Why the beginning of a file is of no known format: the one that it resembles most, what that
/// has and the file lacks, and what to do.
/// @param path  As messages name it.
std::string why_unknown(std::string_view path, std::string_view head) {
  if (head.empty()) return fmt::format("{}: the file is empty", path);
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF")) {
    return fmt::format("{}: UTF-16 text: convert it to UTF-8", path);
  }
  for (const TraceFormat& format : trace_formats()) {
    const std::string missing = format.missing == nullptr ? "" : format.missing(head);
    if (missing.empty()) continue;
    return fmt::format("{}: it resembles {} ({}), but {}", path, format.name, format.title,
                       missing);
  }
  const std::string begin =
      fmt::format("{}: this is no known telemetry format: it begins with {}", path,
                  quoted(head.substr(0, std::min<std::size_t>(head.find('\n'), 60))));
  if (const auto advice = advice_on(head); !advice.empty()) {
    return fmt::format("{}: {}", begin, advice);
  }
  const Nearest nearest = nearest_format(head);
  const bool is_bar = holds_bar(head);
  if (nearest.format == nullptr && is_bar) {
    return begin +
           ": it is a progress bar without values of steps. What the program logs beside it, such "
           "as trainer_state.json, event files or metrics.csv, is read";
  }
  if (nearest.format == nullptr) {
    return begin +
           ", and resembles none. 'scalelaw look' reads tables of runs; --format NAME reads a file "
           "as what you know it to be, and --columns an nvidia-smi log without a header";
  }
  return fmt::format("{}. The nearest is {} ({}): it has {}, and lacks {}", begin,
                     nearest.format->name, nearest.format->title, joined(nearest.present),
                     joined(nearest.missing));
}

/// A sentence on the first line of a trainer behind the part of a file that is looked at; empty if
/// there is none within kLookedFor bytes.
std::string late_log(const std::string& path) {
  constexpr std::size_t kLookedFor = std::size_t{64} << 20;
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const OpenedFile file(path);
  std::string text;
  for (std::size_t seen = 0; seen < kLookedFor; seen += kPiece) {
    // The line that the last piece cut stays.
    text.erase(0, text.rfind('\n') + 1);  // npos + 1 is 0.
    if (text.size() > kPiece) text.clear();
    const std::size_t before = text.size();
    read_to(before + kPiece, *file.stream, text);
    if (text.size() == before) break;
    for (const TraceFormat* const format : formats_of_logs()) {
      if (!format->recognises(text)) continue;
      return fmt::format(
          "{}: only the first 1 MiB tells the format, and the first line of a {} comes behind it: "
          "--format {} reads the file",
          input_name(path), format->title, format->name);
    }
  }
  return "";
}

const TraceFormat* format_of(OpenedTrace& trace, const IngestOptions& options) {
  const TraceFormat* format = recognised_format(trace.head());
  while (format == nullptr && trace.lengthen_head()) format = recognised_format(trace.head());
  // A tree has files that are known to be no traces. They are skipped, whatever their name.
  if (format != nullptr && format->name.empty()) return format;
  if (options.format != "auto") return find_trace_format(options.format);
  const std::vector<std::string>& columns = options.trace.columns;
  if (format != nullptr || columns.empty()) return format;
  return sacct_header(joined(columns, "|")) ? &kSacct : &kNvidiaSmi;
}

/// Why a file is of no known format.
std::string unknown_format(const std::string& path, const OpenedTrace& opened,
                           bool can_be_read_twice) {
  const std::string late = can_be_read_twice && opened.is_long() ? late_log(path) : std::string();
  return late.empty() ? why_unknown(input_name(path), opened.head()) : late;
}

/// Why a file of that format cannot be read in the requested way; empty if it can.
std::string why_not(const std::string& path, const OpenedTrace& opened, const TraceFormat* format,
                    bool can_be_read_twice, const IngestOptions& options) {
  if (format == nullptr) return unknown_format(path, opened, can_be_read_twice);
  if (format->read_records != nullptr && !can_be_read_twice) {
    return fmt::format(
        "{}: {}: save it and name the file, because its name or the files beside it may tell of "
        "the run",
        input_name(path), format->title);
  }
  if (format->read_samples == nullptr) return "";
  if (options.idle_below_pct && !can_be_read_twice) {
    return fmt::format("{}: --idle-below must read twice, and a pipe cannot be: save it as a file",
                       input_name(path));
  }
  if (!options.trace.job_column.empty() && !format->has_columns) {
    return fmt::format("{}: {} has no column of jobs, which --job-column asks for",
                       input_name(path), format->title);
  }
  return "";
}

}  // namespace

std::string names_of_formats() {
  std::vector<std::string> names;
  for (const TraceFormat& format : trace_formats()) {
    if (!format.name.empty()) names.emplace_back(format.name);
  }
  return joined(names);
}

LookedAt known_file(const std::string& path, UnitMemory& memory) {
  LookedAt found;
  found.format = memory.known_format(path);
  if (found.format != nullptr) found.bytes = state_of_file(path).value_or(FileState{}).bytes;
  return found;
}

LookedAt look_at(const std::string& path, const IngestOptions& options) {
  LookedAt found;
  try {
    const bool can_be_read_twice = is_regular_file(path);
    if (is_mlflow_database(path)) {  // A database is known by its tables, not by its first bytes.
      found.format = find_trace_format("mlflow");
      found.bytes = state_of_file(path).value_or(FileState{}).bytes;
      return found;
    }
    if (options.memory != nullptr && !can_be_read_twice) {
      throw DataError(
          fmt::format("{}: a study store keeps files, and this is none: save it as a file, or "
                      "leave out --store",
                      input_name(path)));
    }
    auto opened = std::make_shared<OpenedTrace>(path);
    found.bytes = opened->size();
    found.format = format_of(*opened, options);
    found.unknown = found.format == nullptr;
    found.error = why_not(path, *opened, found.format, can_be_read_twice, options);
    if (!found.error.empty()) found.format = nullptr;
    if (!can_be_read_twice) found.opened = std::move(opened);
  } catch (const Error& error) {
    found.error = error.what();
  }
  return found;
}

std::string title_of_trace(const std::string& path) {
  const TraceFormat* const format = is_regular_file(path) ? look_at(path, {}).format : nullptr;
  return format == nullptr || format->name.empty() ? "" : std::string(format->title);
}

}  // namespace scalelaw
