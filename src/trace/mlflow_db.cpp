#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "input/container.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "trace/mlflow_run.hpp"

// A database of MLflow (mlflow/store/tracking/dbmodels/models.py): tables runs, params, metrics,
// tags and experiments.

namespace scalelaw {
namespace {

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

}  // namespace scalelaw
