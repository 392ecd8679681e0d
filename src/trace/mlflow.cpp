#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "input/folder_reader.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"
#include "trace/metrics.hpp"
#include "trace/mlflow_run.hpp"
#include "trace/run_places.hpp"
#include "trace/yaml_scalars.hpp"

// Runs of MLflow. A tracking folder has one folder per run (mlflow/store/tracking/file_store.py):
//   mlruns/<experiment>/<run>/meta.yaml, params/NAME, tags/NAME, metrics/NAME
// where a metric has a line per value: "<ms> <value> [<step> ...]".

namespace scalelaw {
namespace {

namespace fs = std::filesystem;

/// RunStatus of mlflow/entities/run_status.py, from 1.
constexpr std::array<std::string_view, 5> kStatuses{"RUNNING", "SCHEDULED", "FINISHED", "FAILED",
                                                    "KILLED"};

bool has_key(std::string_view head, std::string_view key) {
  return any_line(head, [key](std::string_view line) {
    return line.starts_with(key) && line.substr(key.size()).starts_with(':');
  });
}

bool recognises_mlflow(std::string_view head) {
  const bool is_run =
      has_key(head, "artifact_uri") && (has_key(head, "run_id") || has_key(head, "run_uuid"));
  return is_run || (has_key(head, "artifact_location") && has_key(head, "experiment_id"));
}

std::optional<std::int64_t> whole_mlflow_number(std::string_view text) {
  const auto number = parse_number(trimmed(text));
  constexpr double kLatest = 9e18;
  if (!number || !(*number > -kLatest && *number < kLatest)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

/// Adds all files below a folder. What cannot be read is left out.
void add_files_below(const fs::path& folder, std::vector<fs::path>& files) {
  FolderReader reader(folder);
  while (const auto entry = reader.next()) {
    if (entry->is_folder() && !entry->is_link()) add_files_below(entry->path(), files);
    if (entry->is_regular_file()) files.push_back(entry->path());
  }
}

/// Calls take(name, text) for each file below a folder, in order of their names. A name with
/// slashes lies in folders.
template <class Take>
void for_each_text(const fs::path& folder, Take take) {
  std::vector<fs::path> files;
  add_files_below(folder, files);
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    take(file.lexically_relative(folder).generic_string(), file.string());
  }
}

std::string without_line_end(std::string text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

/// The values in a metric's file.
std::vector<MlflowValue> values_in(const std::string& path, TraceNotes& notes) {
  NotedFile lines(path, notes);
  std::vector<MlflowValue> values;
  std::vector<std::string_view> words;
  while (const auto line = lines.next()) {
    if (trimmed(*line).empty()) continue;
    split_words(trimmed(*line), words);
    const auto time = words.empty() ? std::nullopt : whole_mlflow_number(words[0]);
    const auto value = words.size() < 2 ? std::nullopt : logged_number(words[1]);
    const auto step = words.size() < 3 ? 0 : whole_mlflow_number(words[2]);
    if (!time || !value || !step) {
      notes.note(lines.is_cut() ? TraceOddity::kCutLine : TraceOddity::kForeignLine, 0,
                 fmt::format("{}:{}", lines.name(), lines.line_number()));
    } else {
      values.push_back({*step, *time, *value});
    }
  }
  return values;
}

std::string status_of(std::string_view text) {
  const auto number = whole_mlflow_number(text);
  const bool is_known = number && *number >= 1 && *number <= std::int64_t{kStatuses.size()};
  return std::string(is_known ? kStatuses[static_cast<std::size_t>(*number - 1)] : text);
}

/// The experiment's name, which stands in the folder of its runs.
std::string experiment_of(const fs::path& run, std::string_view id) {
  const auto text = text_beside(run.string(), "meta.yaml");
  const std::string name(text ? fact_in(yaml_scalars(*text, run.string()), "name") : "");
  return name.empty() ? std::string(id) : name;
}

MlflowRun run_in(const std::string& path, TraceNotes& notes) {
  const auto meta = yaml_scalars(text_of_file(path), path);
  const fs::path folder = folder_of(path);
  MlflowRun run;
  run.id = fact_in(meta, "run_id");
  if (run.id.empty()) run.id = fact_in(meta, "run_uuid");
  if (run.id.empty()) return run;
  run.name = fact_in(meta, "run_name");
  run.experiment = experiment_of(folder, fact_in(meta, "experiment_id"));
  run.status = status_of(fact_in(meta, "status"));
  run.is_deleted = fact_in(meta, "lifecycle_stage") == "deleted";
  run.start_ms = whole_mlflow_number(fact_in(meta, "start_time"));
  run.end_ms = whole_mlflow_number(fact_in(meta, "end_time"));
  if (is_left_out(run)) return run;
  for_each_text(folder / "params", [&](const std::string& name, const std::string& file) {
    run.params.emplace_back(name, without_line_end(text_of_file(file)));
  });
  for_each_text(folder / "tags", [&](const std::string& name, const std::string& file) {
    run.tags.emplace_back(name, without_line_end(text_of_file(file)));
  });
  for_each_text(folder / "metrics", [&](const std::string& name, const std::string& file) {
    run.metrics[name] = values_in(file, notes);
  });
  return run;
}

std::string missing_in_mlflow(std::string_view head) {
  return has_key(head, "artifact_uri") ? "no run_id stands in it" : "";
}

std::vector<JobRecord> read_mlflow(const std::string& path, const TraceOptions& options,
                                   TraceNotes& notes) {
  if (is_mlflow_database(path)) return read_mlflow_database(path, options, notes);
  MlflowRun run = run_in(path, notes);
  if (run.id.empty()) return {};  // An experiment, which its runs name.
  if (leave_out(run, notes)) return {};
  return {mlflow_record(std::move(run), options, notes)};
}

/// The metrics of a run by their steps. MLflow has step 0 where the program says none.
StepTable steps_of(const MlflowRun& run, const RunFacts& facts, TraceNotes& notes) {
  std::int64_t begin_ms = run.start_ms.value_or(std::numeric_limits<std::int64_t>::max());
  for (const auto& [name, values] : run.metrics) {
    for (const MlflowValue& value : values) begin_ms = std::min(begin_ms, value.time_ms);
  }
  StepLog log;
  for (const auto& [name, values] : run.metrics) {
    for (const MlflowValue& value : values) {
      const double elapsed_ms = static_cast<double>(value.time_ms) - static_cast<double>(begin_ms);
      log.add(static_cast<double>(value.step), name, value.value, elapsed_ms / 1000);
    }
  }
  return log.table(facts, notes);
}

}  // namespace

bool is_left_out(const MlflowRun& run) {
  return run.is_deleted || run.status == "FAILED" || run.status == "KILLED";
}

bool leave_out(const MlflowRun& run, TraceNotes& notes) {
  if (!is_left_out(run)) return false;
  notes.leave_out({.why = TraceOddity::kFailedRun,
                   .identity = {.system = "mlflow", .id = run.id},
                   .state = run.is_deleted ? "deleted" : run.status});
  return true;
}

JobRecord mlflow_record(MlflowRun run, const TraceOptions& options, TraceNotes& notes) {
  RunFacts facts;
  RowFacts own_tags;
  for (auto& [name, text] : run.tags) {
    if (name == "mlflow.runName" && run.name.empty()) run.name = text;
    if (!name.starts_with("mlflow.")) own_tags.emplace_back(name, text);
  }
  std::optional<double> seconds;
  if (run.start_ms && run.end_ms && *run.end_ms >= *run.start_ms) {
    seconds = (static_cast<double>(*run.end_ms) - static_cast<double>(*run.start_ms)) / 1000;
  }
  facts.add("experiment", run.experiment);
  facts.add("run_name", run.name);
  facts.add("status", lower_case(run.status));
  if (options.steps) {
    facts.reserve("duration_s");
  } else {
    facts.add("duration_s", exact_text(seconds));
  }
  for (const auto& [name, text] : run.params) facts.add(name, text, "param");
  for (const auto& [name, text] : own_tags) facts.add(name, text, "tag");
  for (auto& [name, values] : run.metrics) {
    std::ranges::stable_sort(
        values, {}, [](const MlflowValue& value) { return std::pair(value.step, value.time_ms); });
  }
  JobRecord record{.job = run.id, .facts = {}, .identity = {.system = "mlflow", .id = run.id}};
  for (const auto& [name, values] : run.metrics) record.values += values.size();
  LostLosses losses(notes);
  if (options.steps) {
    record.steps = steps_of(run, facts, losses);
  } else {
    RunMetrics metrics;
    for (const auto& [name, values] : run.metrics) {
      MetricSeries& series = metrics.of(name);
      for (const MlflowValue& value : values) series.add(value.value);
    }
    metrics.add_to(facts, MetricChoices(options.metrics), losses);
  }
  record.lost_losses = losses.count();
  record.facts = facts.take();
  return record;
}

const TraceFormat kMlflow{.name = "mlflow",
                          .title = "MLflow run",
                          .recognises = recognises_mlflow,
                          .read_records = read_mlflow,
                          .missing = missing_in_mlflow};

}  // namespace scalelaw
