#include "scalelaw/study/ingestion.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "delivery.hpp"
#include "scalelaw/base/text.hpp"

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

struct IngestCommand : IngestRequest {
  bool skip_bad_files = false;
};

/// Sends the run table to a store, a file, both, or standard output.
IngestResult ingest_as_asked(IngestRequest request, const GlobalOptions& global) {
  request.threads = global.threads;
  request.progress = global.conditions().shows_progress;
  request.ranks = global.ranks;
  request.leads = global.leads;
  check_ingest(request);
  if (!request.store.empty() && request.output.empty()) return ingest_runs(request);
  IngestResult result;
  deliver({.formats = {}, .output = request.output}, global, [&](const Delivery& delivery) {
    result = ingest_runs(request);
    write_run_table(request, result.table, delivery.sink);
    return Lacks{};
  });
  return result;
}

int run_ingest(const IngestCommand& command, const GlobalOptions& global) {
  const auto start = std::chrono::steady_clock::now();
  const Messages console = global.console();
  const IngestResult result = ingest_as_asked(command, global);
  for (const std::string& warning : result.warnings) console.warn(warning);
  for (const std::string& note : result.notes) console.note(note);
  for (const std::string& bad : result.bad_files) console.warn("left out: " + bad);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  console.note(ingest_summary(result.counts, command.store, spent.count()));
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
