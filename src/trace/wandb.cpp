
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "input/folder_reader.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"
#include "trace/metrics.hpp"
#include "trace/run_places.hpp"
#include "trace/wandb_file.hpp"
#include "trace/yaml_scalars.hpp"

// Runs of Weights & Biases, in three forms:
// - the folder of a run, wandb/run-<time>-<id>, with run-<id>.wandb, files/wandb-summary.json,
//   files/config.yaml and files/wandb-metadata.json, as far as the run has written them;
// - the CSV export of a chart: "Step","<run> - <metric>","<run> - <metric>__MIN","...__MAX",...
// - the CSV export of the table of runs: "Name","State",...,"Runtime",...

namespace scalelaw {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// --- The summary of a run ---

bool is_summary(std::string_view head) {
  return has_json_keys(head, {"_wandb"}) || has_json_keys(head, {"_runtime", "_step"}) ||
         has_json_keys(head, {"_runtime", "_timestamp"});
}

/// The folder of a run that a file of it lies in.
fs::path run_folder_of(const std::string& path) {
  const fs::path folder = whole_folder(folder_of(path));
  return folder.filename() == "files" ? folder.parent_path() : folder;
}

/// The id in "run-20241012_160630-jqe8zy9r"; the name of the folder if it is another one.
std::string run_id_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  const bool is_run = name.starts_with("run-") || name.starts_with("offline-run-");
  const std::string id = is_run ? name.substr(name.rfind('-') + 1) : "";
  return id.empty() ? run_of_folder(folder.string()) : id;
}

/// What identifies the run of a folder "run-20241012_160630-jqe8zy9r". A run that was resumed has a
/// folder with a time of its own for each start. Nothing identifies that of a folder of another
/// name.
RunIdentity identity_of(const fs::path& folder) {
  const std::string whole = folder.filename().string();
  std::string_view name = whole;
  if (name.starts_with("offline-")) name.remove_prefix(8);
  constexpr std::size_t kStamp = 15;
  const bool is_run = name.starts_with("run-") && name.size() > 4 + kStamp + 1 &&
                      name[4 + kStamp] == '-' && is_digits(name.substr(4, 8));
  if (!is_run) return {};
  return {.system = "wandb", .id = std::string(name.substr(4 + kStamp + 1))};
}

/// The run's binary file; empty if there is none.
std::string binary_file_in(const fs::path& folder) {
  std::vector<std::string> files;
  FolderReader reader(folder);
  while (const auto entry = reader.next()) {
    const std::string name = entry->path().filename().string();
    if (entry->is_regular_file() && name.starts_with("run-") && name.ends_with(".wandb")) {
      files.push_back(entry->path().string());
    }
  }
  return files.size() == 1 ? files.front() : "";
}

/// Adds the settings in config.yaml: "batch_size: {value: 12}", without what W&B notes for itself.
void add_config(const std::string& text, const std::string& source, RunFacts& facts) {
  constexpr std::string_view kValue = ".value";
  for (const auto& [path, value] : yaml_scalars(text, source)) {
    const std::size_t at = path.find(kValue);
    const bool is_whole = at != std::string::npos &&
                          (at + kValue.size() == path.size() || path[at + kValue.size()] == '.');
    if (!is_whole || path.starts_with("_wandb")) continue;
    facts.add(path.substr(0, at) + path.substr(at + kValue.size()), value, "config");
  }
}

/// Adds the GPUs of the host, of which the run may have used only some.
void add_metadata(const std::string& text, const std::string& source, RunFacts& facts) {
  const json metadata = parse_json(text, source);
  const json& gpus = json_member(metadata, "gpu_nvidia");
  const bool has_list = gpus.is_array() && !gpus.empty();
  facts.add("accelerator",
            json_cell(has_list ? json_member(gpus.front(), "name") : json_member(metadata, "gpu")));
  facts.add("host_gpus", json_cell(json_member(metadata, "gpu_count")));
}

/// Adds the metrics of a summary, without media and what W&B notes for itself.
void add_summary(const json& value, const std::string& name, RunMetrics& metrics) {
  if (value.is_object()) {
    if (value.contains("_type")) return;
    for (const auto& [key, member] : value.items()) {
      if (name.empty() && key.starts_with('_')) continue;
      add_summary(member, name.empty() ? key : name + "." + key, metrics);
    }
  } else if (value.is_number()) {
    metrics.of(name).add(value.get<double>());
  } else if (value.is_string()) {
    const auto number = logged_number(value.get_ref<const std::string&>());  // "NaN".
    if (number) metrics.of(name).add(*number);
  }
}

/// The files of one run.
struct RunFiles {
  fs::path folder;
  std::string binary = {};   ///< run-<id>.wandb; may be missing.
  std::string summary = {};  ///< wandb-summary.json; may be missing.
};

/// Adds the settings in config.yaml, else those in the binary file.
void add_wandb_settings(const RunFiles& files, const WandbRun& run, RunFacts& facts) {
  const std::string beside =
      files.summary.empty() ? (files.folder / "files" / "x").string() : files.summary;
  if (const auto text = text_beside(beside, "wandb-metadata.json")) {
    add_metadata(*text, files.folder.string() + ": wandb-metadata.json", facts);
  }
  if (const auto text = text_beside(beside, "config.yaml")) {
    return add_config(*text, files.folder.string() + ": config.yaml", facts);
  }
  for (const auto& [name, value] : run.config) {
    if (name.starts_with("_wandb")) continue;
    add_json_facts(parse_json(value, files.binary), name, facts, "config");
  }
}

/// Seconds that a run took: the most that its summary, its exit or what it logged last says.
/// Summary and exit tell whole seconds, and cut the rest off; the last log comes before the end.
std::optional<double> wandb_seconds(const json& summary, const WandbRun& run) {
  std::optional<double> most;
  const auto take = [&](std::optional<double> seconds) {
    if (seconds && !std::isnan(*seconds)) most = std::max(most.value_or(*seconds), *seconds);
  };
  take(json_number(json_member(json_member(summary, "_wandb"), "runtime")));
  take(json_number(json_member(summary, "_runtime")));
  take(run.runtime_s);
  if (!run.history.empty()) take(run.history.back().runtime_s);
  return most;
}

/// The last value of each metric is that of the summary. What else is asked for, and metrics that
/// it lacks, come from the history.
void add_metrics(const json& summary, const WandbRun& run, const MetricChoices& choices,
                 TraceNotes& notes, RunFacts& facts) {
  RunMetrics last;
  add_summary(summary, "", last);
  for (const auto& [name, text] : run.summary) {
    if (name.starts_with('_')) continue;
    for_each_wandb_number(name, text, [&](const std::string& own, double value) {
      if (last.of(own).empty()) last.of(own).add(value);
    });
  }
  RunMetrics logged;
  for (const WandbStep& step : run.history) {
    for (const auto& [name, value] : step.values) logged.of(name).add(value);
  }
  for (const std::string& name : last.chosen_otherwise(choices)) {
    if (!logged.has(name)) notes.note(TraceOddity::kLoneValue, 0, name);
  }
  last.replace_chosen(logged, choices);
  last.add_to(facts, choices, notes);
}

std::vector<JobRecord> read_run(const RunFiles& files, const TraceOptions& options,
                                TraceNotes& notes) {
  const MetricChoices choices(options.metrics);
  WandbRun run;
  if (!files.binary.empty()) run = read_wandb_file(files.binary, notes);
  const std::string job = run.id.empty() ? run_id_of(files.folder) : run.id;
  if (run.exit_code.value_or(0) != 0) {
    RunIdentity failed = identity_of(files.folder);
    if (!failed.is_known()) failed.id = job;
    notes.leave_out({.why = TraceOddity::kFailedRun, .identity = std::move(failed)});
    return {};
  }
  const json summary = files.summary.empty()
                           ? json::object()
                           : parse_json(text_of_file(files.summary), files.summary);
  RunFacts facts;
  if (!run.name.empty()) facts.add("run_name", run.name);
  if (!run.project.empty()) facts.add("project", run.project);
  if (run.exit_code) facts.add("status", "finished");
  if (!options.steps) facts.add("duration_s", exact_text(wandb_seconds(summary, run)));
  add_wandb_settings(files, run, facts);
  JobRecord record{.job = job,
                   .facts = {},
                   .file = files.summary.empty() ? files.binary : files.summary,
                   .identity = identity_of(files.folder),
                   .values = run.history.size()};
  LostLosses losses(notes);
  TraceNotes& told = record.identity.is_known() ? losses : notes;
  if (options.steps) {
    StepLog log;
    for (const WandbStep& step : run.history) {
      for (const auto& [name, value] : step.values) log.add(step.step, name, value, step.runtime_s);
    }
    record.steps = log.table(facts, told);
  } else {
    add_metrics(summary, run, choices, told, facts);
  }
  record.lost_losses = losses.count();
  record.facts = facts.take();
  return {std::move(record)};
}

/// Whether a folder is what W&B's link to the newest run became when the runs were copied.
bool is_copy_of_newest(const fs::path& folder) {
  if (folder.filename() != "latest-run") return false;
  FolderReader reader(folder.parent_path());
  while (const auto entry = reader.next()) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("run-") || name.starts_with("offline-run-")) return true;
  }
  return false;
}

/// A run is read with its summary, else with its binary file.
std::vector<JobRecord> read_run_of(const std::string& path, bool is_binary,
                                   const TraceOptions& options, TraceNotes& notes) {
  RunFiles files{run_folder_of(path)};
  if (is_copy_of_newest(files.folder)) {
    notes.note(TraceOddity::kRepeatedLine, 0, "latest-run, which is a copy");
    return {};
  }
  if (!is_binary) {
    files.summary = path;
    const fs::path usual = files.folder / "files" / "wandb-summary.json";
    if (fs::absolute(path).lexically_normal() == usual) files.binary = binary_file_in(files.folder);
    return read_run(files, options, notes);
  }
  const bool has_summary =
      is_regular_file((files.folder / "files" / "wandb-summary.json").string());
  if (has_summary && binary_file_in(files.folder) == fs::absolute(path).lexically_normal()) {
    return {};
  }
  files.binary = path;
  return read_run(files, options, notes);
}

// --- The export of a chart ---

constexpr std::string_view kBetween = " - ";

/// A column of values, and those of the least and greatest value that it stands for.
struct ChartColumn {
  std::string run;
  std::string metric;
  std::size_t value;
  std::size_t least;
  std::size_t greatest;
};

std::vector<ChartColumn> chart_columns(const std::vector<std::string>& names) {
  std::vector<ChartColumn> columns;
  const NamePlaces places(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t least = places.of(names[i] + "__MIN");
    const std::size_t greatest = places.of(names[i] + "__MAX");
    const std::size_t between = names[i].rfind(kBetween);
    if (least == kNowhere || greatest == kNowhere) continue;
    if (between == std::string::npos || between == 0) continue;
    const std::string metric = names[i].substr(between + kBetween.size());
    if (metric.starts_with('_')) continue;  // W&B's own: "_step".
    columns.push_back({names[i].substr(0, between), metric, i, least, greatest});
  }
  return columns;
}

/// Notes the columns that are no values of runs: a chart has the least and the greatest of each.
void note_other_columns(const std::vector<std::string>& names,
                        const std::vector<ChartColumn>& columns, TraceNotes& notes) {
  std::set<std::size_t> read;
  for (const ChartColumn& column : columns) {
    read.insert({column.value, column.least, column.greatest});
  }
  for (std::size_t i = 1; i < names.size(); ++i) {  // The first one is that of x.
    const std::size_t between = names[i].rfind(kBetween);
    const bool is_own = between != std::string::npos && names[i][between + kBetween.size()] == '_';
    if (!read.contains(i) && !is_own) notes.note(TraceOddity::kOtherSeries, 1, names[i]);
  }
}

bool is_chart(std::string_view header) {
  return holds(header, "__MIN") && !chart_columns(fields_without_quotes(header)).empty();
}

struct ChartPoint {
  std::string x;
  double value;
  double least;
  double greatest;
  std::uint64_t line;
};

using ChartCurve = std::vector<ChartPoint>;

/// The curves of one run.
struct ChartRun {
  std::string name;
  std::string x;  ///< What the charts draw the curves over: mostly the step.
  std::vector<std::pair<std::string, ChartCurve>> curves = {};
  std::map<std::string, std::size_t, std::less<>> places = {};  ///< Of the curves.

  ChartCurve* find(std::string_view metric) {
    const auto known = places.find(metric);
    return known == places.end() ? nullptr : &curves[known->second].second;
  }
  ChartCurve& of(const std::string& metric) {
    const auto [known, is_new] = places.try_emplace(metric, curves.size());
    if (is_new) curves.emplace_back(metric, ChartCurve());
    return curves[known->second].second;
  }
};

std::vector<ChartRun> runs_of_chart(const std::string& path, TraceNotes& notes) {
  std::vector<ChartColumn> columns;
  std::vector<ChartRun> runs;
  std::map<std::string, std::size_t> places;
  const auto take_header = [&](const std::vector<std::string>& names) {
    columns = chart_columns(names);
    note_other_columns(names, columns, notes);
    for (const ChartColumn& column : columns) {
      if (places.try_emplace(column.run, runs.size()).second) {
        runs.push_back({column.run, names.front()});
      }
    }
  };
  const auto take_row = [&](const std::vector<std::string>& fields, std::uint64_t line) {
    for (const ChartColumn& column : columns) {
      const std::string& cell = fields[column.value];
      const auto value = logged_number(cell);
      if (!value && !cell.empty()) notes.note(TraceOddity::kBadCell, line, cell);
      if (!value) continue;
      if (!std::isfinite(*value) && names_loss(column.metric)) {
        notes.note(TraceOddity::kLostLoss, line, column.metric);
      }
      runs[places[column.run]]
          .of(column.metric)
          .push_back({fields.front(), *value, logged_number(fields[column.least]).value_or(*value),
                      logged_number(fields[column.greatest]).value_or(*value), line});
    }
  };
  for_each_logged_row(path, notes, take_header, take_row);
  return runs;
}

/// Whether two exports of a curve have points in common, and the same values there.
bool agree(const ChartCurve& a, const ChartCurve& b) {
  std::map<std::string_view, double> values;
  for (const ChartPoint& point : a) values[point.x] = point.value;
  bool has_common = false;
  for (const ChartPoint& point : b) {
    const auto known = values.find(point.x);
    if (known == values.end()) continue;
    const bool is_lost = std::isnan(known->second) && std::isnan(point.value);
    if (known->second != point.value && !is_lost) return false;
    has_common = true;
  }
  return has_common;
}

/// Whether what two charts tell of runs of one name is of one run: they have no metric in common,
/// or agree in those that they have.
bool may_be_wandb(ChartRun& a, const ChartRun& b) {
  return a.name == b.name && std::ranges::all_of(b.curves, [&](const auto& curve) {
           const ChartCurve* const known = a.find(curve.first);
           return known == nullptr || (a.x == b.x && agree(*known, curve.second));
         });
}

/// Adds the curves of another chart. Of two exports of a curve the longer one counts.
void join_charts(ChartRun added, TraceNotes& notes, ChartRun& run) {
  for (auto& [metric, curve] : added.curves) {
    ChartCurve& known = run.of(metric);
    for (std::size_t i = 0; i < std::min(known.size(), curve.size()); ++i) {
      notes.note(TraceOddity::kRepeatedLine, curve[i].line, run.name + ", in a second file");
    }
    if (curve.size() > known.size()) known = std::move(curve);
  }
}

JobRecord wandb_record(const ChartRun& run, const std::string& job, const TraceOptions& options,
                       TraceNotes& notes) {
  RunFacts facts;
  LostLosses noted(notes);  // With their lines.
  if (options.steps) {
    StepLog log;
    for (const auto& [metric, curve] : run.curves) {
      for (const ChartPoint& point : curve) {
        log.add(logged_number(point.x).value_or(Sample::kNone), metric, point.value);
      }
    }
    StepTable steps = log.table(facts, noted);
    return {job, facts.take(), "", std::move(steps)};
  }
  RunMetrics metrics;
  for (const auto& [metric, curve] : run.curves) {
    for (const ChartPoint& point : curve) {
      metrics.of(metric).add(point.value, point.least, point.greatest);
    }
  }
  metrics.add_to(facts, MetricChoices(options.metrics), noted);
  return {job, facts.take(), ""};
}

/// The charts of a folder tell of the same runs, by their names: the page exports one chart after
/// another.
std::vector<JobRecord> read_charts(std::span<const std::string> paths, const TraceOptions& options,
                                   TraceNotes& notes) {
  std::vector<ChartRun> runs;
  for (const std::string& path : paths) {
    notes.read_from(path);
    for (ChartRun& added : runs_of_chart(path, notes)) {
      const auto run = std::ranges::find_if(runs, [&](ChartRun& one) {
        return may_be_wandb(one, added) && (!options.steps || one.x == added.x);
      });
      if (run == runs.end()) {
        runs.push_back(std::move(added));
      } else {
        join_charts(std::move(added), notes, *run);
      }
    }
  }
  std::map<std::string, std::size_t> counts;
  std::vector<JobRecord> records;
  for (const ChartRun& run : runs) {
    records.push_back(wandb_record(run, numbered(run.name, ++counts[run.name]), options, notes));
  }
  return records;
}

// --- The export of the table of runs ---

bool is_run_table(std::string_view header) {
  const std::vector<std::string> names = fields_without_quotes(header);
  return place_of(names, "Name") != kNowhere && place_of(names, "State") != kNowhere &&
         place_of(names, "Created") != kNowhere && place_of(names, "Runtime") != kNowhere;
}

/// The place of a column that every table of runs has.
/// @throws ParseError if there is none: rows of another kind make another header of the first line.
std::size_t required_place(const TableRows& rows, std::string_view name) {
  const std::size_t place = place_of(rows.header().names, name);
  if (place != kNowhere) return place;
  throw ParseError(rows.source(), rows.header().lines + 1,
                   "expected rows of a table of runs of Weights & Biases, as the line above says, "
                   "found other ones");
}

bool is_failure(const std::string& state) {
  return state == "failed" || state == "crashed" || state == "killed";
}

/// Identifies the rows of a table of runs: by the ID, or else by Name and Created, where no other
/// row of the table has both. Runs of one name may be started together: then only a row that is the
/// same in all cells tells of the same run.
class RowIdentities {
 public:
  explicit RowIdentities(const std::string& path) {
    TableRows rows(path);
    id_ = place_of(rows.header().names, "ID");
    name_ = required_place(rows, "Name");
    created_ = required_place(rows, "Created");
    while (rows.next()) ++rows_of_name_[name_and_time(rows.fields())];
  }

  /// What identifies a row. Without a system nothing does.
  RunIdentity identity_of(const std::vector<std::string>& fields) const {
    if (id_ != kNowhere && !fields[id_].empty()) {
      return {.system = "wandb", .id = fields[id_], .submitted = fields[created_]};
    }
    RunIdentity identity{.id = fields[name_], .submitted = fields[created_]};
    if (fields[created_].empty()) return identity;
    const auto rows = rows_of_name_.find(name_and_time(fields));
    if (rows == rows_of_name_.end() || rows->second == 1) {  // The file may have grown since.
      identity.system = "wandb name";
      return identity;
    }
    return {.system = "wandb row", .id = joined(fields, "\x1f"), .submitted = fields[created_]};
  }

 private:
  std::pair<std::string, std::string> name_and_time(const std::vector<std::string>& fields) const {
    return {fields[name_], fields[created_]};
  }

  std::size_t id_ = kNowhere;
  std::size_t name_ = kNowhere;
  std::size_t created_ = kNowhere;
  std::map<std::pair<std::string, std::string>, std::size_t> rows_of_name_;
};

std::vector<JobRecord> read_run_table(const std::string& path, TraceNotes& notes) {
  const RowIdentities identities(path);
  TableRows rows(path);
  const std::vector<std::string>& names = rows.header().names;
  const std::size_t id = place_of(names, "ID");
  const std::size_t name = required_place(rows, "Name");
  const std::size_t state = required_place(rows, "State");
  std::map<std::string, std::size_t> counts;
  std::vector<JobRecord> records;
  while (rows.next()) {
    const std::vector<std::string>& fields = rows.fields();
    RunIdentity identity = identities.identity_of(fields);
    std::string job = id == kNowhere || fields[id].empty() ? fields[name] : fields[id];
    if (is_failure(fields[state])) {
      notes.leave_out({.why = TraceOddity::kFailedRun,
                       .identity = std::move(identity),
                       .name = std::move(job),
                       .state = fields[state],
                       .line = rows.line()});
      continue;
    }
    RunFacts facts;
    LostLosses losses(notes);
    TraceNotes& told = identity.is_known() ? losses : notes;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool is_own = names[i] == "Runtime" || names[i] == "State" || names[i] == "Name";
      const std::string_view own = names[i] == "Runtime" ? "duration_s"
                                   : names[i] == "State" ? "status"
                                                         : "run_name";
      const auto number = logged_number(fields[i]);
      const bool is_lost = !is_own && number && !std::isfinite(*number);
      if (is_lost) note_lost_losses(names[i], 1, told);
      facts.add(is_own ? own : names[i], is_lost ? "" : fields[i], "column");
    }
    if (job.empty()) job = "run";
    const std::size_t count = ++counts[job];  // Runs may share a name.
    records.push_back({.job = numbered(job, count),
                       .facts = facts.take(),
                       .file = path,
                       .identity = std::move(identity),
                       .lost_losses = losses.count()});
  }
  return records;
}

// --- All forms ---

bool recognises_wandb(std::string_view head) {
  const std::string_view line = first_line(head);
  return begins_as_wandb_file(head) || is_summary(head) || is_chart(line) || is_run_table(line);
}

enum class Form { kBinary, kSummary, kChart, kRunTable };

Form form_of(const std::string& path) {
  const std::string head = rest_of(*OpenedFile(path).stream, 16);
  if (begins_as_wandb_file(head)) return Form::kBinary;
  if (trimmed(without_mark(head)).starts_with('{')) return Form::kSummary;
  NoNotes unused;
  const std::string header(NotedFile(path, unused).next().value_or(""));
  if (is_run_table(header)) return Form::kRunTable;
  return is_chart(header) ? Form::kChart : Form::kSummary;
}

std::vector<JobRecord> read_wandb(const std::string& path, const TraceOptions& options,
                                  TraceNotes& notes) {
  const Form form = form_of(path);
  if (form == Form::kRunTable) return read_run_table(path, notes);
  if (form == Form::kChart) return read_charts({&path, 1}, options, notes);
  return read_run_of(path, form == Form::kBinary, options, notes);
}

/// The charts of a folder are read together; no file has the mark in its name.
std::string wandb_run_of_part(const std::string& path) {
  if (!is_regular_file(path) || form_of(path) != Form::kChart) return "";
  return (whole_folder(folder_of(path)) / "charts\x1f").string();
}

/// The history of a run as its own table names neither the run nor its settings.
std::string wandb_lacks(std::string_view head) {
  const std::vector<std::string_view> names = trimmed_fields(first_line(head));
  const bool is_history =
      place_of(names, "_step") != kNowhere && place_of(names, "_runtime") != kNowhere;
  return is_history ? "it is a table of one run's history, without its settings: the folder of the "
                      "run, with run-<id>.wandb, is read"
                    : wandb_file_lacks(head);
}

}  // namespace

const TraceFormat kWandb{.name = "wandb",
                         .title = "Weights & Biases run",
                         .recognises = recognises_wandb,
                         .read_records = read_wandb,
                         .run_of_part = wandb_run_of_part,
                         .read_parts = read_charts,
                         .missing = wandb_lacks};

}  // namespace scalelaw
