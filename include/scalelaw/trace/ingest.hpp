#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/trace/format.hpp"

namespace scalelaw {

class Ranks;
class UnitMemory;

/// What one row of the run table describes.
enum class IngestRows { kJob, kNode, kGpu, kStep };

struct IngestOptions {
  std::string format = "auto";  ///< A name of trace_formats(), or "auto": by content.
  std::vector<std::string> jobs =
      {};  ///< Tables of facts about jobs, with a column job_id or id_job.
  std::vector<std::string> leave_out =
      {};  ///< Files to skip, such as the output of an earlier run.
  TraceOptions trace = {};
  std::optional<double> max_gap_s = {};       ///< Default: ten times a GPU's median interval.
  std::optional<double> idle_below_pct = {};  ///< Trims the head and tail of a job below this use.
  IngestRows rows = IngestRows::kJob;
  int threads = 0;               ///< 0: all processors. The result does not depend on it.
  bool progress = false;         ///< Draws progress on stderr if that is a terminal.
  UnitMemory* memory = nullptr;  ///< Keeps the results of earlier calls (store/study_store.hpp).
  Ranks* ranks = nullptr;        ///< Share the reading; only the leader returns.
};

/// The rows of one run in a table of curves: what they share, and what was logged at each step.
struct RunCurve {
  std::vector<std::string> shared;  ///< A row of the table without the cells of a step.
  std::vector<std::size_t> places;  ///< Those of the steps' columns in the table.
  StepTable steps;
};

/// A table of text. An empty cell is undefined or was not measured.
struct RunTable {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
  std::vector<RunCurve> curves = {};  ///< With IngestRows::kStep in place of rows: they are many.

  /// Calls take(cells) for each row, also for those of the curves.
  void for_each_row(const std::function<void(const std::vector<std::string>&)>& take) const;
  std::size_t row_count() const;
};

/// What this call read.
struct IngestCounts {
  std::uint64_t files = 0;        ///< Traces.
  std::uint64_t other_files = 0;  ///< Known files that are no traces: CPU series, tables of jobs.
  std::uint64_t bytes = 0;        ///< Size of the traces on disk.
  std::uint64_t samples = 0;      ///< Samples that count.
  std::uint64_t dropped = 0;      ///< Repeated samples: same GPU, same time stamp.
  std::uint64_t trimmed = 0;      ///< Idle samples before or after the work of a job.
  std::uint64_t jobs = 0;         ///< Jobs in the table.
  std::uint64_t runs = 0;        ///< Those of them that logs and accounts describe without samples.
  std::uint64_t unchanged = 0;   ///< Files that an earlier call read, so that this one did not.
  std::uint64_t read_again = 0;  ///< Files that an earlier call read, and that others may add to.
};

struct IngestResult {
  RunTable table;
  IngestCounts counts;
  std::vector<std::string> bad_files;  ///< A sentence per file that was left out, in order of path.
  std::vector<std::string> warnings;   ///< What to check before trusting the table.
  std::vector<std::string> notes;  ///< What the table has from elsewhere than its inputs' words.
};

/// Reads GPU telemetry into one row per job (docs/reference/traces.md).
///
/// Means and coefficients of variation (population standard deviation over mean) cover all samples
/// of all GPUs of a job. Energy is the sum over GPUs. Each GPU contributes its own counter, or else
/// the trapezoid integral of its power over its own time stamps, without intervals that are too
/// long. Files are streamed, so memory does not grow with the length of a series. Only out-of-order
/// files, and several files for one node of a job, are held in memory and sorted.
///
/// @param inputs  Files, globs, folders (all files below), "-". With a memory it may be empty: the
/// table then shows what the memory holds.
/// @throws DataError, ParseError if no input can be read, or a table of jobs cannot.
IngestResult ingest(std::span<const std::string> inputs, const IngestOptions& options);

/// What people call a file that ingest() reads by its content, "Megatron-LM log"; empty for other
/// files, and for what is no regular file.
std::string title_of_trace(const std::string& path);

}  // namespace scalelaw
