#pragma once

#include <string>
#include <vector>

#include "scalelaw/trace/format.hpp"

namespace scalelaw {

/// Whether a file is an SQLite database with MLflow's tables.
bool is_mlflow_database(const std::string& path);
/// The runs of a database. @throws DataError if it cannot be read.
std::vector<JobRecord> read_mlflow_database(const std::string& path, const TraceOptions& options,
                                            TraceNotes& notes);

}  // namespace scalelaw
