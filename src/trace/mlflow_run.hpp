#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/trace/format.hpp"
#include "trace/run_facts.hpp"

namespace scalelaw {

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

/// Whether a run failed, was killed or deleted.
bool is_left_out(const MlflowRun& run);
/// Notes such a run. False for others.
bool leave_out(const MlflowRun& run, TraceNotes& notes);

JobRecord mlflow_record(MlflowRun run, const TraceOptions& options, TraceNotes& notes);

/// Whether a file is an SQLite database with MLflow's tables.
bool is_mlflow_database(const std::string& path);
/// The runs of a database. @throws DataError if it cannot be read.
std::vector<JobRecord> read_mlflow_database(const std::string& path, const TraceOptions& options,
                                            TraceNotes& notes);

}  // namespace scalelaw
