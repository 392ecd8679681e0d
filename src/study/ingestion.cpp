#include "scalelaw/study/ingestion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/store/study_store.hpp"
#include "scalelaw/study/call_files.hpp"

namespace scalelaw {
namespace {

/// Tables of jobs in the order of the call, because the first one that tells something counts.
std::vector<std::string> expanded_one_by_one(const std::vector<std::string>& names) {
  std::vector<std::string> tables;
  for (const std::string& name : names) {
    const std::vector<std::string> some = expand_inputs(std::vector{name});
    tables.insert(tables.end(), some.begin(), some.end());
  }
  return tables;
}

IngestOptions options_of(const IngestRequest& request) {
  IngestOptions options = request;
  options.jobs = expanded_one_by_one(request.jobs);
  // A run table that an earlier call wrote into the tree.
  if (!request.output.empty()) options.leave_out.push_back(request.output);
  return options;
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

}  // namespace

void check_ingest(const IngestRequest& request) {
  const IngestOptions options = options_of(request);
  if (request.inputs.empty()) {
    throw DataError("no input: name a trace, a folder, a quoted glob, or - for standard input");
  }
  if (request.store.empty()) return;
  StudyStore::check(options);
  if (is_regular_file(request.store)) return;
  for (const std::string& input : request.inputs) {
    if (!input_exists(input)) expand_inputs(std::vector{input});
  }
}

IngestResult ingest_runs(const IngestRequest& request) {
  const IngestOptions options = options_of(request);
  if (request.store.empty() || !request.leads) return ingest(request.inputs, options);
  return StudyStore(request.store, StudyStore::Access::kCreate).ingest(request.inputs, options);
}

void write_run_table(const IngestRequest& request, const RunTable& table, const TextSink& sink) {
  constexpr std::size_t kMostWaiting = std::size_t{64} << 10;  // Bytes of rows.
  const char separator = request.output.ends_with(".tsv") ? '\t' : ',';
  std::string header;
  append_delimited_row(header, table.names, separator);
  if (request.leads) refuse_to_replace_table(request.output, request.inputs, header);
  sink(header);
  std::string lines;  // Of some hundred rows: a sink has more to do than to add a line.
  table.for_each_row([&](const std::vector<std::string>& row) {
    append_delimited_row(lines, row, separator);
    if (lines.size() < kMostWaiting) return;
    sink(lines);
    lines.clear();
  });
  sink(lines);
}

std::string ingest_summary(const IngestCounts& counts, const std::string& store, double seconds) {
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

}  // namespace scalelaw
