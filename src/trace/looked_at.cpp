#include "trace/looked_at.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"
#include "trace/mlflow_run.hpp"
#include "trace/sacct_columns.hpp"
#include "trace/unknown_text.hpp"

namespace scalelaw {
namespace {

const TraceFormat* format_of(OpenedTrace& trace, const IngestOptions& options) {
  const TraceFormat* format = recognised_format(trace.head());
  while (format == nullptr && trace.lengthen_head()) format = recognised_format(trace.head());
  // A tree has files that are known to be no traces. They are skipped, whatever their name.
  if (format != nullptr && format->name.empty()) return format;
  if (options.format != "auto") return find_trace_format(options.format);
  const std::vector<std::string>& columns = options.trace.columns;
  if (format != nullptr || columns.empty()) return format;
  return sacct_header(joined(columns, "|")) ? &kSacct : &kNvidiaSmi;
}

/// Why a file is of no known format.
std::string unknown_format(const std::string& path, const OpenedTrace& opened,
                           bool can_be_read_twice) {
  const std::string late = can_be_read_twice && opened.is_long() ? late_log(path) : std::string();
  return late.empty() ? why_unknown(input_name(path), opened.head()) : late;
}

/// Why a file of that format cannot be read in the requested way; empty if it can.
std::string why_not(const std::string& path, const OpenedTrace& opened, const TraceFormat* format,
                    bool can_be_read_twice, const IngestOptions& options) {
  if (format == nullptr) return unknown_format(path, opened, can_be_read_twice);
  if (format->read_records != nullptr && !can_be_read_twice) {
    return fmt::format(
        "{}: {}: save it and name the file, because its name or the files beside it may tell of "
        "the run",
        input_name(path), format->title);
  }
  if (format->read_samples == nullptr) return "";
  if (options.idle_below_pct && !can_be_read_twice) {
    return fmt::format("{}: --idle-below must read twice, and a pipe cannot be: save it as a file",
                       input_name(path));
  }
  if (!options.trace.job_column.empty() && !format->has_columns) {
    return fmt::format("{}: {} has no column of jobs, which --job-column asks for",
                       input_name(path), format->title);
  }
  return "";
}

}  // namespace

std::string names_of_formats() {
  std::vector<std::string> names;
  for (const TraceFormat& format : trace_formats()) {
    if (!format.name.empty()) names.emplace_back(format.name);
  }
  return joined(names);
}

LookedAt known_file(const std::string& path, UnitMemory& memory) {
  LookedAt found;
  found.format = memory.known_format(path);
  if (found.format != nullptr) found.bytes = state_of_file(path).value_or(FileState{}).bytes;
  return found;
}

LookedAt look_at(const std::string& path, const IngestOptions& options) {
  LookedAt found;
  try {
    const bool can_be_read_twice = is_regular_file(path);
    if (is_mlflow_database(path)) {  // A database is known by its tables, not by its first bytes.
      found.format = find_trace_format("mlflow");
      found.bytes = state_of_file(path).value_or(FileState{}).bytes;
      return found;
    }
    if (options.memory != nullptr && !can_be_read_twice) {
      throw DataError(
          fmt::format("{}: a study store keeps files, and this is none: save it as a file, or "
                      "leave out --store",
                      input_name(path)));
    }
    auto opened = std::make_shared<OpenedTrace>(path);
    found.bytes = opened->size();
    found.format = format_of(*opened, options);
    found.unknown = found.format == nullptr;
    found.error = why_not(path, *opened, found.format, can_be_read_twice, options);
    if (!found.error.empty()) found.format = nullptr;
    if (!can_be_read_twice) found.opened = std::move(opened);
  } catch (const Error& error) {
    found.error = error.what();
  }
  return found;
}

std::string title_of_trace(const std::string& path) {
  const TraceFormat* const format = is_regular_file(path) ? look_at(path, {}).format : nullptr;
  return format == nullptr || format->name.empty() ? "" : std::string(format->title);
}

}  // namespace scalelaw
