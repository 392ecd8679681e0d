#include "trace/formats.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "trace/line_samples.hpp"

namespace scalelaw {

std::span<const TraceFormat> trace_formats() {
  // Strict formats come first: only the columns identify a CSV of nvidia-smi.
  static const std::array kFormats{kSupercloud, kMllog,          kPerun, kPerunReport,
                                   kZeusSweep,  kDcgm,           kDmon,  kNvidiaSmiQuery,
                                   kNvidiaSmi,  kSupercloudOther};
  return kFormats;
}

const TraceFormat* find_trace_format(std::string_view name) {
  for (const TraceFormat& format : trace_formats()) {
    if (!name.empty() && format.name == name) return &format;
  }
  return nullptr;
}

const TraceFormat* recognised_format(std::string_view head) {
  head = without_mark(head);
  for (const TraceFormat& format : trace_formats()) {
    if (format.recognises(head)) return &format;
  }
  return nullptr;
}

TraceOrigin origin_by_stem(const std::string& path) {
  if (path == "-") return {.job = "stdin", .node = {}};
  std::filesystem::path name = std::filesystem::path(path).filename();
  for (const char* ending : {".gz", ".zst", ".csv", ".tsv", ".txt", ".log"}) {
    if (name.extension() == ending && !name.stem().empty()) name = name.stem();
  }
  return {.job = name.string(), .node = {}};
}

}  // namespace scalelaw
