#include "scalelaw/trace/ingest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "call_files.hpp"
#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/store/study_store.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kIngestExamples =
    R"(  scalelaw generate --traces /tmp/scalelaw-tree
  scalelaw ingest /tmp/scalelaw-tree --jobs /tmp/scalelaw-tree/jobs.csv -o /tmp/runs.csv
  scalelaw fit /tmp/runs.csv
      From GPU samples to scaling laws: makes sample data, reads it into a run table, fits that.
  scalelaw ingest /tmp/scalelaw-tree --idle-below 5 --rows gpu
      One row per GPU, without the idle time before and after the work.
  scalelaw ingest /tmp/scalelaw-tree --store /tmp/scalelaw-study.db
      Reads into a study store: a later call, also after an interruption, reads only new files.
)";

const std::vector<Named<IngestRows>> kRows{{"job", IngestRows::kJob},
                                           {"node", IngestRows::kNode},
                                           {"gpu", IngestRows::kGpu},
                                           {"step", IngestRows::kStep}};

constexpr std::size_t kMostWaiting = std::size_t{64} << 10;  ///< Bytes of rows.

struct IngestCommand : IngestOptions {
  std::vector<std::string> inputs;
  bool skip_bad_files = false;
  std::string output;
  std::string store;
};

IngestOptions ingest_options(const IngestCommand& command, const GlobalOptions& global) {
  IngestOptions options = command;
  // A run table that an earlier call wrote into the tree.
  if (!command.output.empty()) options.leave_out.push_back(command.output);
  options.threads = global.threads;
  options.progress = global.conditions().shows_progress;
  options.ranks = global.ranks;
  return options;
}

/// A mistyped name must not leave an empty store behind.
void check_before_new_store(const IngestCommand& command) {
  if (command.store.empty() || is_regular_file(command.store)) return;
  for (const std::string& input : command.inputs) {
    if (!input_exists(input)) expand_inputs(std::vector{input});
  }
}

void check_inputs(const IngestCommand& command, const GlobalOptions& global) {
  if (command.inputs.empty()) {
    throw DataError("no input: name a trace, a folder, a quoted glob, or - for standard input");
  }
  if (!command.store.empty()) StudyStore::check(ingest_options(command, global));
  check_before_new_store(command);
}

/// What the table is about: jobs with samples of GPUs, and runs that logs and accounts describe.
std::string contents(const IngestCounts& counts, bool stores) {
  const std::uint64_t traced = counts.jobs - std::min(counts.runs, counts.jobs);
  std::string text;
  if (counts.samples > 0 || traced > 0)
    text += fmt::format(", {}", counted(counts.samples, "sample"));
  if (stores) return text;
  if (traced > 0) text += fmt::format(" of {}", counted(traced, "job"));
  if (counts.runs > 0) text += fmt::format(", {}", counted(counts.runs, "run"));
  return text;
}

std::string summary(const IngestCounts& counts, const std::string& store, double seconds) {
  const bool stores = !store.empty();
  std::string text =
      fmt::format("{}, {:.3g} MB{}", counted(counts.files, stores ? "new file" : "file"),
                  static_cast<double>(counts.bytes) / 1e6, contents(counts, stores));
  if (counts.dropped > 0) text += fmt::format(", {} repeated", counts.dropped);
  if (counts.trimmed > 0) text += fmt::format(", {} idle and trimmed", counts.trimmed);
  if (counts.unchanged > 0) text += fmt::format("; {} unchanged and not read", counts.unchanged);
  if (counts.read_again > 0) text += fmt::format("; {} unchanged", counts.read_again);
  if (counts.other_files > 0) {
    text += fmt::format("; {} known to hold no trace", counted(counts.other_files, "file"));
  }
  if (stores) text += fmt::format("; {}: {}", store, counted(counts.jobs, "job"));
  return text + fmt::format("; {:.2f} s", seconds);
}

/// Sends the run table to a store, a file, both, or standard output.
IngestResult ingest_as_asked(const IngestCommand& command, const GlobalOptions& global) {
  const IngestOptions options = ingest_options(command, global);
  const auto ingested = [&] {
    // Other ranks read for the leading one, which has the store.
    if (command.store.empty() || !global.leads) return ingest(command.inputs, options);
    return StudyStore(command.store, StudyStore::Access::kCreate).ingest(command.inputs, options);
  };
  if (!command.store.empty() && command.output.empty()) return ingested();
  IngestResult result;
  deliver({.formats = {}, .output = command.output}, global, [&](const Delivery& delivery) {
    result = ingested();
    const char separator = command.output.ends_with(".tsv") ? '\t' : ',';
    std::string header;
    append_delimited_row(header, result.table.names, separator);
    if (global.leads) refuse_to_replace_table(command.output, command.inputs, header);
    delivery.sink(header);
    std::string lines;  // Of some hundred rows: a sink has more to do than to add a line.
    result.table.for_each_row([&](const std::vector<std::string>& row) {
      append_delimited_row(lines, row, separator);
      if (lines.size() < kMostWaiting) return;
      delivery.sink(lines);
      lines.clear();
    });
    delivery.sink(lines);
    return Lacks{};
  });
  return result;
}

/// Tables of jobs in the order of the call, because the first one that tells something counts.
std::vector<std::string> expanded_one_by_one(const std::vector<std::string>& names) {
  std::vector<std::string> tables;
  for (const std::string& name : names) {
    const std::vector<std::string> some = expand_inputs(std::vector{name});
    tables.insert(tables.end(), some.begin(), some.end());
  }
  return tables;
}

int run_ingest(IngestCommand command, const GlobalOptions& global) {
  const auto start = std::chrono::steady_clock::now();
  command.jobs = expanded_one_by_one(command.jobs);
  const Messages console = global.console();
  check_inputs(command, global);
  const IngestResult result = ingest_as_asked(command, global);
  for (const std::string& warning : result.warnings) console.warn(warning);
  for (const std::string& note : result.notes) console.note(note);
  for (const std::string& bad : result.bad_files) console.warn("left out: " + bad);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  console.note(summary(result.counts, command.store, spent.count()));
  if (result.bad_files.empty()) return kDone;
  console.warn(fmt::format("{} could not be used", counted(result.bad_files.size(), "file")));
  return command.skip_bad_files ? kDone : kUnusable;
}

void add_trace_options(Options& ingest, IngestCommand& options) {
  ingest.group("Data");
  ingest.words("TRACE", options.inputs, "",
               "Files of telemetry or logs of runs, a folder (all traces and logs below), a quoted "
               "glob, or - for standard input. gzip and zstd are recognised");
  ingest.list("--jobs", options.jobs, "FILE",
              "Table with facts about jobs, such as labels, what sacct --parsable2 writes or your "
              "settings, "
              "joined by job_id, id_job or JobID. A quoted glob or a folder works, too. May be "
              "given several "
              "times");
  std::vector<Named<std::string>> formats{{"auto", "auto"}};
  for (const TraceFormat& format : trace_formats()) {
    if (!format.name.empty()) formats.push_back({format.name, std::string(format.name)});
  }
  ingest.choice("--format", options.format, formats,
                "Format of the telemetry. auto recognises each file by its content");
  ingest.names(
      "--columns", options.trace.columns, "LIST",
      "Names of the columns in files without a header, as nvidia-smi --query-gpu writes them");
  ingest.text("--job-column", options.trace.job_column, "COL",
              "Column that names the job of a row, if one file holds several jobs");
  ingest.number("--period", options.trace.period_s, number_between(0, 1e6), "S",
                "Seconds between samples, for formats without time stamps");
  ingest.text("--name-pattern", options.trace.name_pattern, "PATTERN",
              "What the names of files or folders say about runs, as columns, such as "
              "'{model}-{gpus}gpu'");
  ingest.list("--metric", options.trace.metrics, "NAME=HOW",
              "Which value of a metric counts that a run logged over time: last, min, max or mean. "
              "Default: the last value of each");
  ingest.flag("--skip-bad-files", options.skip_bad_files,
              "Exit with status 0 even if files could not be used; they are named in warnings");
}

void add_summary_options(Options& ingest, IngestCommand& options) {
  ingest.group("Summary");
  ingest.number(
      "--max-gap", options.max_gap_s, positive(), "S",
      "Longest time in seconds between two samples of a GPU over which its power is integrated; "
      "longer gaps are counted in gap_s. Default: ten times the GPU's median interval");
  ingest.number("--idle-below", options.idle_below_pct, positive(), "PCT",
                "Trim the idle start and end of a job: what lies before its first and after its "
                "last sample in which a GPU is used by at least this percentage");
  ingest.choice(
      "--rows", options.rows, kRows,
      "What one row of the table is about; step gives the curve of each run: its loss and other "
      "metrics over steps, tokens and time");
  ingest.text(
      "-o,--output", options.output, "FILE",
      "Write the run table to this file instead of standard output; .tsv separates by tabs");
  ingest.text(
      "--store", options.store, "DB",
      "Study store that keeps what was read, so that a second call reads only new files; it is "
      "created if there is none. It holds the run table, and -o writes that to a file as well");
}

}  // namespace

Command add_ingest_command(Program& program) {
  auto options = std::make_shared<IngestCommand>();
  Options ingest = program.add_command(
      "ingest", "Turn GPU telemetry and logs of trainers into a run table with one row per job",
      kIngestExamples);
  add_trace_options(ingest, *options);
  add_summary_options(ingest, *options);
  return command_of(ingest, options, run_ingest, true);
}

}  // namespace scalelaw::cli
