#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/trace/format.hpp"

namespace scalelaw {

class Ranks;
class UnitMemory;

/// What one row of the run table stands for.
enum class IngestRows { kJob, kNode, kGpu };

struct IngestOptions {
  std::string format = "auto";  ///< A name of trace_formats(), or "auto": by content.
  std::vector<std::string> jobs =
      {};  ///< Tables of facts about jobs, with a column job_id or id_job.
  std::vector<std::string> leave_out =
      {};  ///< Files to pass over, such as the output of a run before.
  TraceOptions trace = {};
  std::optional<double> max_gap_s = {};       ///< Default: ten times a GPU's median interval.
  std::optional<double> idle_below_pct = {};  ///< Trims the head and tail of a job below this use.
  IngestRows rows = IngestRows::kJob;
  int threads = 0;               ///< 0: all processors. The result does not depend on it.
  bool progress = false;         ///< Draw it on stderr, if that is a terminal.
  UnitMemory* memory = nullptr;  ///< What is kept of earlier calls (store/study_store.hpp).
  Ranks* ranks = nullptr;        ///< Share the reading. Only the leader returns.
};

/// A table of text; an empty cell is a figure that is undefined or was not measured.
struct RunTable {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};

/// What was read by this call.
struct IngestCounts {
  std::uint64_t files = 0;        ///< Traces.
  std::uint64_t other_files = 0;  ///< Known, but no traces: CPU series, tables of jobs.
  std::uint64_t bytes = 0;        ///< Of the traces, as they are on disk.
  std::uint64_t samples = 0;      ///< Taken.
  std::uint64_t dropped = 0;      ///< Repeated: of one GPU with one time stamp.
  std::uint64_t trimmed = 0;      ///< Idle, before or behind the work of a job.
  std::uint64_t jobs = 0;         ///< Of the table.
  std::uint64_t unchanged = 0;    ///< Files that were read by an earlier call and not by this one.
};

struct IngestResult {
  RunTable table;
  IngestCounts counts;
  std::vector<std::string> bad_files;  ///< A sentence a file that was left out, in order of path.
  std::vector<std::string> warnings;   ///< What to look at before trusting the table.
};

/// Reads GPU telemetry into one row a job (docs/formats.md, "Traces").
///
/// Means and coefficients of variation (population standard deviation over mean) are over all
/// samples of all GPUs of a job. Energy is the sum over GPUs of each GPU's own counter, or of the
/// trapezoid integral of its power over its own time stamps, without intervals that are too long.
/// Files are streamed: memory does not grow with the length of a series, but a file whose samples
/// are out of order, and several files of one node of a job, are held to be sorted.
///
/// @param inputs  Files, globs, folders (all files below), "-"; with a memory also none, for the
///                table of what it holds.
/// @throws DataError, ParseError if nothing can be read at all, or a table of jobs cannot.
IngestResult ingest(std::span<const std::string> inputs, const IngestOptions& options);

}  // namespace scalelaw
