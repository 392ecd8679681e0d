#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/input/source.hpp"
#include "scalelaw/trace/sample.hpp"

namespace scalelaw {

/// What a user says about traces because the files do not say it.
struct TraceOptions {
  std::vector<std::string> columns = {};  ///< For files without a header; empty if they have one.
  std::string job_column = {};            ///< A column that names the job of a row; may be empty.
  double period_s = 1;                    ///< Between ticks, where a format has no time stamps.
  std::string name_pattern = {};  ///< "{model}-{gpus}gpu": facts in the names of files and folders.
  /// What counts of the metrics that a run logged over time: "loss=min", "acc=last".
  std::vector<std::string> metrics = {};
  int threads = 1;     ///< On which one file may be read.
  bool steps = false;  ///< Records hold the steps that were logged and the settings of the run.
};

/// What a run logged over time: a row per step.
struct StepTable {
  std::vector<std::string> names = {};
  std::vector<double> cells = {};  ///< Row after row; NaN where nothing was logged.

  std::size_t rows() const { return names.empty() ? 0 : cells.size() / names.size(); }
};

/// A job from a format without samples: named facts in the order of their columns.
struct JobRecord {
  std::string job;
  std::vector<std::pair<std::string, std::string>> facts;
  std::string file = {};  ///< Its file, if `job` is only the name of that.
  StepTable steps = {};   ///< If TraceOptions::steps asks for them.
  RunIdentity identity = {};
  std::uint64_t values = 0;  ///< Logged values of a run with an identity: more tell a later state.
  /// Losses of such a run that are NaN or infinite: they count where its row does.
  std::uint64_t lost_losses = 0;
  std::string source = {};  ///< The file that was read; ingest() sets it.
};

/// The job and the node in a file's name.
struct TraceOrigin {
  std::string job;
  std::string node = {};  ///< If empty, the file stands for one node.
};

/// The file's name without folders and endings (.csv, .txt, .log, .out, .json, .gz, ...). It is the
/// job if the format names none.
TraceOrigin origin_by_stem(const std::string& path);

/// A telemetry format: how it is recognised and how it is read. It has `read_samples` or
/// `read_records`; a format with neither is known not to be a trace.
struct TraceFormat {
  std::string_view name;   ///< The name for --format: "supercloud", ...
  std::string_view title;  ///< The name in messages: "nvidia-smi --query-gpu".
  /// Whether a file is of this format.
  /// @param head  Its first bytes, decompressed, up to 64 KiB. Lines are whole, except that the
  /// last line of the file or a very long one may be cut.
  bool (*recognises)(std::string_view head);
  TraceOrigin (*origin)(const std::string& path) = origin_by_stem;
  /// Reads a stream to its end and hands every sample to the sink.
  /// @param source  How messages name the file.
  /// @throws ParseError, DataError if the file as a whole cannot be understood.
  void (*read_samples)(ByteStream& in, std::string_view source, const TraceOptions& options,
                       SampleSink& sink) = nullptr;
  /// Reads a file, and the files that belong to it, into one record per job. Empty if the file
  /// itself belongs to another one.
  std::vector<JobRecord> (*read_records)(const std::string& path, const TraceOptions& options,
                                         TraceNotes& notes) = nullptr;
  /// For formats whose runs have several files: the run that a file belongs to, by a text that only
  /// its other files have; empty for a file on its own.
  std::string (*run_of_part)(const std::string& path) = nullptr;
  /// Reads those files of one run that are given, in the order of their names.
  std::vector<JobRecord> (*read_parts)(std::span<const std::string> paths,
                                       const TraceOptions& options, TraceNotes& notes) = nullptr;
  /// Whether a column may name the job of a row (TraceOptions::job_column).
  bool has_columns = false;
  /// Whether the files of a folder are read together, because each may hold one quantity of a GPU
  /// or a part of the time.
  bool joins_folder = false;
  /// What a file lacks that looks like this format but is not recognised, as the end of a sentence;
  /// empty if it does not look so.
  std::string (*missing)(std::string_view head) = nullptr;
};

/// Every format, in the order in which they are tried.
std::span<const TraceFormat> trace_formats();

/// The format of that name, or nullptr.
const TraceFormat* find_trace_format(std::string_view name);

/// The first format that recognises the beginning of a file, or nullptr.
const TraceFormat* recognised_format(std::string_view head);

}  // namespace scalelaw
