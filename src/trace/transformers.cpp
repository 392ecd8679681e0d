#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "input/folder_reader.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"
#include "trace/members.hpp"
#include "trace/trainer_run.hpp"

// What the Trainer of Hugging Face leaves in its output folder: trainer_state.json, with a list of
// what it logged, and all_results.json or train_results.json, with the summary of the end. The
// files of one folder are one run. So is checkpoint-500/trainer_state.json, where the training
// ended before its folder got files of its own.

namespace scalelaw {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStateFile = "trainer_state";
constexpr std::array<std::string_view, 4> kTransformersNames{kStateFile, "all_results",
                                                             "train_results", "eval_results"};
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

bool recognises_transformers(std::string_view head) {
  constexpr std::string_view kKeys[] = {"\"log_history\"", "\"train_runtime\"",
                                        "\"train_samples_per_second\"", "\"eval_runtime\""};
  // A summary of Weights & Biases has such keys, too. Several objects, a line each, are a log.
  return has_json_keys(head, {}) && !holds(head, "\"_runtime\"") && !holds(head, "}\n{") &&
         holds_any(head, kKeys);
}

std::string lacks(std::string_view head) {
  const bool is_near = without_mark(head).starts_with('{') && holds(head, "\"train_loss\"");
  return is_near ? "it has neither \"log_history\" nor \"train_runtime\"" : "";
}

/// A file name around one of kNames: "trainer_state_bert.json" is { "", "_bert.json" }.
struct NameParts {
  std::string_view name;
  std::string before;
  std::string after;
};

std::optional<NameParts> transformers_parts(const std::string& file) {
  for (const std::string_view name : kTransformersNames) {
    const std::size_t at = file.find(name);
    if (at != std::string::npos)
      return NameParts{name, file.substr(0, at), file.substr(at + name.size())};
  }
  return std::nullopt;
}

/// The files of the run that a file is of, the one that stands for it first.
std::vector<fs::path> files_of_run(const fs::path& path) {
  const auto parts = transformers_parts(path.filename().string());
  if (!parts) return {path};
  std::vector<fs::path> files;
  for (const std::string_view name : kTransformersNames) {
    const fs::path file = path.parent_path() / (parts->before + std::string(name) + parts->after);
    if (is_regular_file(file.string())) files.push_back(file);
  }
  return files.empty() ? std::vector{path} : files;
}

/// The steps in "checkpoint-500"; empty for another folder.
std::optional<double> checkpoint_of(const fs::path& folder) {
  constexpr std::string_view kBegin = "checkpoint-";
  const std::string name = folder.filename().string();
  const bool is_one = name.starts_with(kBegin) && is_digits(name.substr(kBegin.size()));
  return is_one ? parse_number(name.substr(kBegin.size())) : std::nullopt;
}

/// Whether another file says more of the run: one in the folder above its checkpoints, or in a
/// later checkpoint.
bool is_outdated_checkpoint(const fs::path& path) {
  const fs::path folder = path.parent_path();
  const auto steps = checkpoint_of(folder);
  if (!steps) return false;
  const fs::path above = folder.parent_path().empty() ? fs::path(".") : folder.parent_path();
  for (const std::string_view name : kTransformersNames) {
    if (is_regular_file((above / (std::string(name) + ".json")).string())) return true;
  }
  FolderReader reader(above);
  while (const auto entry = reader.next()) {
    const auto others = checkpoint_of(entry->path());
    const fs::path state = entry->path() / path.filename();
    if (others && *others > *steps && is_regular_file(state.string())) return true;
  }
  return false;
}

/// The name of the run: that of its folder, or of the file if it has one of its own.
std::string name_of(const fs::path& path) {
  const auto parts = transformers_parts(path.filename().string());
  const std::string own = parts ? parts->before + fs::path(parts->after).stem().string() : "";
  const std::size_t begin = own.find_first_not_of("-_.");
  const std::size_t end = own.find_last_not_of("-_.");
  if (begin != std::string::npos && own != ".json") return own.substr(begin, end - begin + 1);
  const fs::path folder = path.parent_path();
  const fs::path run = checkpoint_of(folder) ? folder.parent_path() : folder;
  return run_name_of((run / path.filename()).string());
}

constexpr TransformersKey kOfState[] = {{"global_step", Stated::kSteps},
                                        {"train_batch_size", Stated::kMicroBatch},
                                        {"max_steps", Stated::kLastStep},
                                        {"num_train_epochs", Stated::kPlannedEpochs}};

/// What one entry of a file logged.
struct Entry {
  std::size_t begin = 0;
  LoggedLoss logged = {};
};

/// Takes a loss, or what an entry tells of its place. Results repeat the last evaluation of the
/// state. Returns whether the member is such a one.
bool take_logged(const Member& member, std::optional<double> number, bool is_logged, Entry& entry,
                 std::vector<LoggedLoss>& losses) {
  if (entry.begin != member.object) {
    add_loss(entry.logged, losses);
    entry = {.begin = member.object};
  }
  const bool is_any_loss = member.key == "eval_loss" || member.key == "loss";
  const double value =
      (is_any_loss ? leading_loss(member.value) : number).value_or(LoggedLoss::kNone);
  const bool is_loss = member.key == "eval_loss" || (is_logged && member.key == "loss");
  const auto last = std::find_if(losses.rbegin(), losses.rend(), [](const LoggedLoss& logged) {
    return !std::isnan(logged.validation_loss);
  });
  const bool is_repeated = !is_logged && last != losses.rend() && last->validation_loss == value;
  if (member.key == "eval_loss" && !is_repeated) entry.logged.validation_loss = value;
  if (member.key == "loss" && is_logged) entry.logged.loss = value;
  if (member.key == "step") entry.logged.step = value;
  if (member.key == "epoch") entry.logged.epoch = value;
  if (member.key == "num_input_tokens_seen" && value > 0) entry.logged.tokens = value;
  return is_loss;
}

/// What a member of a file says. Counts that are 0 were not made: Trainer writes 0 for tokens that
/// it does not count.
void take(const Member& member, Entry& entry, TrainerRun& run, TraceNotes& notes) {
  const bool is_logged = member.depth == 3 && member.list == "log_history";
  if (member.depth != 1 && !is_logged) return;
  const auto number = parse_number(member.value);
  const double count = number.value_or(0);
  bool is_read = false;
  const auto set = [&](const TransformersKey& key) {
    if (key.name != member.key) return;
    is_read = true;
    if (count > 0) run.said.set(key.what, count);
    if (key.what == Stated::kTrainLoss) run.said.set(key.what, leading_loss(member.value));
  };
  for (const TransformersKey& key : kTransformersFigures) set(key);
  for (const TransformersKey& key : kOfState) {
    if (!is_logged) set(key);
  }
  is_read |= take_logged(member, number, is_logged, entry, run.losses);
  if (is_read && !number && !is_missing(member.value) && !is_infinite(member.value)) {
    notes.note(TraceOddity::kBadCell, 0, member.value.substr(0, 80));
  }
}

void read_transformers_file(const fs::path& path, TrainerRun& run, TraceNotes& notes) {
  const OpenedFile in(path.string());
  const std::string text = rest_of(*in.stream, kMostBytes);
  Entry entry;
  const std::size_t begin = text.find('{');
  const std::size_t end =
      begin == std::string::npos
          ? begin
          : for_each_member(std::string_view(text).substr(begin),
                            [&](const Member& member) { take(member, entry, run, notes); });
  add_loss(entry.logged, run.losses);
  if (end == std::string::npos) {
    throw DataError(fmt::format("{}: JSON without its end: the file is cut", in.file.name()));
  }
}

std::vector<JobRecord> read_transformers(const std::string& path, const TraceOptions& options,
                                         TraceNotes& notes) {
  const std::vector<fs::path> files = files_of_run(path);
  if (files.front() != fs::path(path) || is_outdated_checkpoint(path)) return {};
  TrainerRun run;
  run.by_transformers = true;
  for (const fs::path& file : files) read_transformers_file(file, run, notes);
  const bool has_losses = std::ranges::any_of(
      run.losses, [](const LoggedLoss& logged) { return !std::isnan(logged.loss); });
  const bool says_something =
      run.said.get(Stated::kSteps) || run.said.get(Stated::kDuration) || has_losses;
  if (!says_something) return {};  // Results of an evaluation alone.
  run.ended = run.said.get(Stated::kDuration).has_value();
  JobRecord record = options.steps
                         ? steps_record_of(run, name_of(path), notes)
                         : record_of(run, name_of(path), MetricChoices(options.metrics), notes);
  record.file = path;
  return {std::move(record)};
}

}  // namespace

const TraceFormat kTransformers{.name = "hf-trainer",
                                .title = "state of a Hugging Face Trainer",
                                .recognises = recognises_transformers,
                                .read_records = read_transformers,
                                .missing = lacks};

}  // namespace scalelaw
