#pragma once

#include <string>
#include <vector>

#include "scalelaw/render/table.hpp"
#include "scalelaw/trace/ingest.hpp"

namespace scalelaw {

/// What is read into a run table, and where that goes.
struct IngestRequest : IngestOptions {
  std::vector<std::string> inputs;
  std::string output;  ///< The file of the table; empty: none, or standard output.
  std::string store;   ///< The study store that keeps what was read; empty: none.
  bool leads = true;   ///< Other ranks read for the leading one, which has the store.
};

/// @throws DataError if an input is missing, or the store cannot keep what is asked for: a mistyped
///         name must not leave an empty store behind.
void check_ingest(const IngestRequest& request);

/// Reads the inputs, through the store if there is one. Tables of jobs may be globs and folders.
IngestResult ingest_runs(const IngestRequest& request);

/// Writes the run table, separated by tabs where the output is a .tsv file.
/// @throws DataError if it would replace another table among the inputs.
void write_run_table(const IngestRequest& request, const RunTable& table, const TextSink& sink);

/// What was read: "3 files, 1.2 MB, 400 samples of 2 jobs; 0.10 s".
/// @param store  Its name; empty without one.
std::string ingest_summary(const IngestCounts& counts, const std::string& store, double seconds);

}  // namespace scalelaw
