#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/base/progress.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/trace/format.hpp"
#include "trace/device_summary.hpp"

namespace scalelaw {

/// A trace that was opened to look at its beginning. What can be read again is opened anew for
/// reading; standard input goes on behind its beginning.
class OpenedTrace {
 public:
  explicit OpenedTrace(const std::string& path);
  /// The first 8 KiB, decompressed; 64 KiB after lengthen_head().
  const std::string& head() const { return head_; }
  void lengthen_head();
  /// Bytes on disk; 0 for pipes.
  std::uint64_t size() const { return size_; }
  /// The stream from its beginning.
  /// @throws DataError if it was read before and cannot be read again.
  ByteStream& stream();

 private:
  std::string path_;
  std::string head_;
  std::uint64_t size_ = 0;
  bool used_ = false;
  std::unique_ptr<InputFile> file_;
  std::unique_ptr<ByteStream> rest_;
  std::unique_ptr<ByteStream> stream_;
};

/// A trace file of samples.
struct TraceFile {
  std::string path;
  const TraceFormat* format;
  TraceOrigin origin;
  std::shared_ptr<OpenedTrace> opened;  ///< Only of what cannot be read again.
};

/// How often an oddity was met, and the first one.
struct OddityCount {
  std::uint64_t count = 0;
  std::string first;  ///< "file:line: what".
};

using OddityCounts = std::map<TraceOddity, OddityCount>;

/// Adds the counts of one file or unit to those before it, whose first ones stay.
void add_oddities(OddityCounts& to, const OddityCounts& from);

/// When a job worked: from the first to the last sample of any GPU whose use is high enough. Of a
/// job that never did, first_ns is above last_ns.
struct BusyWindow {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();

  bool is_empty() const { return first_ns > last_ns; }
  void widen(const BusyWindow& other) {
    first_ns = std::min(first_ns, other.first_ns);
    last_ns = std::max(last_ns, other.last_ns);
  }
};
/// Of the jobs whose use was measured.
using BusyWindows = std::map<std::string, BusyWindow, std::less<>>;

/// One GPU of a job.
struct DeviceRow {
  std::string job;
  std::string node;
  std::string gpu;
  DeviceFigures figures;
  std::string file;      ///< The file that it stands in, where neither that nor a row names a node.
  bool deviant = false;  ///< Unlike the other GPUs of its job.
};

/// The files that are read together, by one thread from begin to end: sample files of one node of a
/// job, or one file of records.
struct Unit {
  std::string job;
  std::string node;  ///< Where the file names none, a mark and its path: it is a node of its own.
  std::vector<TraceFile> files;
  std::uint64_t bytes = 0;

  bool has_records() const { return files.front().format->read_records != nullptr; }
};

/// What a unit says. It depends on nothing but the unit's files, the options, and, where idle time
/// is trimmed, the windows of its jobs: it can be made elsewhere, and kept (unit_bytes.hpp).
struct UnitFigures {
  std::vector<DeviceRow> devices;
  std::vector<JobRecord> records;
  OddityCounts oddities;
  std::vector<std::string> errors;  ///< A sentence a file that could not be used.
};

struct UnitOptions {
  TraceOptions trace;
  std::optional<double> max_gap_s;
  const BusyWindows* windows = nullptr;  ///< nullptr: nothing is trimmed.
  Progress* progress = nullptr;          ///< Told of every byte read.
};

/// Reads a unit. One file in order of time is streamed; a file out of order, or several files, are
/// held in memory and sorted. A file that cannot be read or understood, or has no sample, leaves
/// the others as they are.
UnitFigures read_unit(const Unit& unit, const UnitOptions& options);

/// Widens the windows of the jobs of a unit by its samples of at least that use. Repeated samples
/// do not count. Files that cannot be read are passed over.
void find_busy_windows(const std::vector<TraceFile>& files, const UnitOptions& options,
                       double idle_below_pct, BusyWindows& windows);

}  // namespace scalelaw
