#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "input/container.hpp"
#include "input/folder_reader.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"
#include "trace/metrics.hpp"
#include "trace/run_places.hpp"
#include "trace/yaml_scalars.hpp"

// Runs of MLflow. A tracking folder has one folder per run (mlflow/store/tracking/file_store.py):
//   mlruns/<experiment>/<run>/meta.yaml, params/NAME, tags/NAME, metrics/NAME
// where a metric has a line per value: "<ms> <value> [<step> ...]".
namespace scalelaw {
namespace {

/// A value that MLflow logged.
struct MlflowValue {
  std::int64_t step = 0;
  std::int64_t time_ms = 0;
  double value = 0;
};

/// A run of MLflow, from a folder or a database.
struct MlflowRun {
  std::string id;
  std::string name;
  std::string experiment;  ///< Its name, or its id if that is all that is known.
  std::string status;      ///< "FINISHED", "RUNNING", ...
  bool is_deleted = false;
  std::optional<std::int64_t> start_ms = {};
  std::optional<std::int64_t> end_ms = {};
  RowFacts params = {};
  RowFacts tags = {};
  std::map<std::string, std::vector<MlflowValue>> metrics = {};
};

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
void add_files_below(const fs::path& folder, const fs::path& run, std::vector<fs::path>& files) {
  FolderReader reader(folder, run);
  while (const auto entry = reader.next()) {
    if (entry->is_folder() && !entry->is_link()) add_files_below(entry->path(), run, files);
    if (entry->is_regular_file()) files.push_back(entry->path());
  }
}

/// Calls take(name, text) for each file below a folder, in order of their names. A name with
/// slashes lies in folders.
template <class Take>
void for_each_text(const fs::path& folder, Take take) {
  std::vector<fs::path> files;
  add_files_below(folder, folder.parent_path(), files);
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

// A database of MLflow (mlflow/store/tracking/dbmodels/models.py): tables runs, params, metrics,
// tags and experiments.

constexpr int kPatienceMs = 10'000;  // A server may be writing.
constexpr int kLongestValue = 16 << 20;
/// What MLflow stores for an infinity, which its other databases cannot.
constexpr double kStoredInfinity = 1.7976931348623157e308;

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, Close>;
using Query = std::unique_ptr<sqlite3_stmt, Close>;

Database open_at(const std::string& path, const char* parameters) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const bool is_special = c == '?' || c == '#' || c == '%';
    uri += is_special ? fmt::format("%{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2((uri + parameters).c_str(), &handle,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  Database database(handle);
  if (status != SQLITE_OK) return nullptr;
  sqlite3_busy_timeout(handle, kPatienceMs);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  const bool is_readable =
      sqlite3_exec(handle, "PRAGMA schema_version", nullptr, nullptr, nullptr) == SQLITE_OK;
  return is_readable ? std::move(database) : nullptr;
}

/// The database; nullptr if it cannot be opened. A file in a folder that is write-protected is
/// read as it is.
Database open_database(const std::string& path) {
  Database database = open_at(path, "");
  return database ? std::move(database) : open_at(path, "?immutable=1");
}

/// The rows of a query about one file.
class Rows {
 public:
  Rows(const std::string& path, sqlite3* database, const char* sql)
      : path_(path), database_(database) {
    sqlite3_stmt* handle = nullptr;
    if (sqlite3_prepare_v2(database, sql, -1, &handle, nullptr) != SQLITE_OK) fail();
    query_.reset(handle);
  }
  Rows& about(const std::string& run) {
    sqlite3_reset(query_.get());
    sqlite3_bind_text(query_.get(), 1, run.data(), static_cast<int>(run.size()), SQLITE_TRANSIENT);
    return *this;
  }
  bool next() {
    const int status = sqlite3_step(query_.get());
    if (status != SQLITE_ROW && status != SQLITE_DONE) fail();
    return status == SQLITE_ROW;
  }
  std::string text(int column) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(query_.get(), column));
    const int length = sqlite3_column_bytes(query_.get(), column);
    return text == nullptr ? std::string() : std::string(text, static_cast<std::size_t>(length));
  }
  std::optional<std::int64_t> whole(int column) {
    if (sqlite3_column_type(query_.get(), column) == SQLITE_NULL) return std::nullopt;
    return sqlite3_column_int64(query_.get(), column);
  }
  double number(int column) { return sqlite3_column_double(query_.get(), column); }

 private:
  [[noreturn]] void fail() {
    throw DataError(fmt::format("{}: an MLflow database that cannot be read: {}", path_,
                                sqlite3_errmsg(database_)));
  }

  const std::string& path_;
  sqlite3* database_;
  Query query_;
};

bool has_tables(const std::string& path, sqlite3* database) {
  // Tables only: a view could make reading do anything.
  Rows rows(path, database,
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN "
            "('runs', 'params', 'metrics', 'tags', 'experiments')");
  return rows.next() && rows.whole(0) == 5;
}

double stored_number(double value, bool is_nan) {
  if (is_nan) return Sample::kNone;
  if (value >= kStoredInfinity) return kInfinity;
  return value <= -kStoredInfinity ? -kInfinity : value;
}

std::vector<MlflowRun> runs_of(const std::string& path, sqlite3* database) {
  std::vector<MlflowRun> runs;
  Rows rows(path, database,
            "SELECT run_uuid, runs.name, coalesce(experiments.name, runs.experiment_id), status, "
            "runs.lifecycle_stage = 'deleted', start_time, end_time FROM runs "
            "LEFT JOIN experiments ON experiments.experiment_id = runs.experiment_id "
            "ORDER BY start_time, run_uuid");
  while (rows.next()) {
    runs.push_back({.id = rows.text(0),
                    .name = rows.text(1),
                    .experiment = rows.text(2),
                    .status = rows.text(3),
                    .is_deleted = rows.whole(4).value_or(0) != 0,
                    .start_ms = rows.whole(5),
                    .end_ms = rows.whole(6)});
  }
  return runs;
}

}  // namespace

bool is_mlflow_database(const std::string& path) {
  if (container_at(path) == nullptr) return false;
  const Database database = open_database(path);
  try {
    return database != nullptr && has_tables(path, database.get());
  } catch (const DataError&) {
    return false;  // A damaged file is told by those who open it.
  }
}

namespace {

/// The runs of a database. @throws DataError if it cannot be read.
std::vector<JobRecord> read_mlflow_database(const std::string& path, const TraceOptions& options,
                                            TraceNotes& notes) {
  const Database database = open_database(path);
  if (!database) throw DataError(fmt::format("{}: the database cannot be opened", path));
  const auto query = [&](const char* sql) { return Rows(path, database.get(), sql); };
  Rows params = query("SELECT key, value FROM params WHERE run_uuid = ? ORDER BY key");
  Rows tags = query("SELECT key, value FROM tags WHERE run_uuid = ? ORDER BY key");
  Rows metrics =
      query("SELECT key, value, is_nan, step, timestamp FROM metrics WHERE run_uuid = ?");
  std::vector<JobRecord> records;
  for (MlflowRun& run : runs_of(path, database.get())) {
    if (leave_out(run, notes)) continue;
    for (params.about(run.id); params.next();) {
      run.params.emplace_back(params.text(0), params.text(1));
    }
    for (tags.about(run.id); tags.next();) run.tags.emplace_back(tags.text(0), tags.text(1));
    for (metrics.about(run.id); metrics.next();) {
      run.metrics[metrics.text(0)].push_back(
          {.step = metrics.whole(3).value_or(0),
           .time_ms = metrics.whole(4).value_or(0),
           .value = stored_number(metrics.number(1), metrics.whole(2).value_or(0) != 0)});
    }
    records.push_back(mlflow_record(std::move(run), options, notes));
  }
  return records;
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

}  // namespace

const TraceFormat kMlflow{.name = "mlflow",
                          .title = "MLflow run",
                          .recognises = recognises_mlflow,
                          .read_records = read_mlflow,
                          .missing = missing_in_mlflow};

}  // namespace scalelaw
