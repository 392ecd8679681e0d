#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
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
#include "trace/job_facts.hpp"
#include "trace/name_pattern.hpp"

namespace scalelaw {

/// A trace that was opened to see its beginning. To read it, it is opened again if possible;
/// standard input continues after its beginning.
class OpenedTrace {
 public:
  explicit OpenedTrace(const std::string& path);
  /// The first 8 KiB, decompressed.
  const std::string& head() const { return head_; }
  /// Makes the head 64 KiB, then 1 MiB: job scripts may write pages before a trainer's first line.
  /// Returns whether there was more.
  bool lengthen_head();
  /// Whether more than the longest head may follow.
  bool is_long() const;
  /// Bytes on disk; 0 for pipes.
  std::uint64_t size() const { return file_.size(); }
  /// The stream from its beginning.
  /// @throws DataError if it was read before and cannot be read again.
  ByteStream& stream();

 private:
  InputFile file_;
  std::string head_;
  bool used_ = false;
  std::unique_ptr<ByteStream> rest_;
  std::unique_ptr<ByteStream> stream_;
};

/// A trace file of samples.
struct TraceFile {
  std::string path;
  const TraceFormat* format;
  TraceOrigin origin;
  std::shared_ptr<OpenedTrace> opened;  ///< Set if the file cannot be read again.
};

/// The count of an oddity, and the first one.
struct OddityCount {
  std::uint64_t count = 0;
  std::string first = {};  ///< "file:line: what".

  void add(std::string what) {
    if (count++ == 0) first = std::move(what);
  }
};

using OddityCounts = std::map<TraceOddity, OddityCount>;

/// A run that makes no row, and where a file tells of it.
struct LeftOut {
  LeftOutRun run;
  std::string place;      ///< "file:line: what".
  std::string file = {};  ///< The first file of its unit; ingest() sets it.
};

/// Adds the counts of one file or unit to earlier counts, whose first ones stay.
void add_oddities(OddityCounts& to, const OddityCounts& from);

/// When a job worked: from the first to the last sample of a GPU whose use is high enough. If it
/// never did, first_ns is above last_ns.
struct BusyWindow {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();

  bool is_empty() const { return first_ns > last_ns; }
  void widen(const BusyWindow& other) {
    first_ns = std::min(first_ns, other.first_ns);
    last_ns = std::max(last_ns, other.last_ns);
  }
};
/// For jobs whose use was measured.
using BusyWindows = std::map<std::string, BusyWindow, std::less<>>;

/// One GPU of a job.
struct DeviceRow {
  std::string job;
  std::string node;
  std::string gpu;
  DeviceFigures figures;
  std::string file = {};  ///< Its file, if neither that nor a row names a node.
  bool deviant = false;   ///< It differs from the other GPUs of its job.
};

/// Files that one thread reads together: all sample files of one node of a job, or one of records,
/// or those of one run (TraceFormat::read_parts).
struct Unit {
  std::string job;
  std::string node;  ///< If the file names none, a mark and its path: a node of its own.
  std::vector<TraceFile> files = {};
  std::uint64_t bytes = 0;

  bool has_records() const { return files.front().format->read_records != nullptr; }
};

/// The state of a unit's file when it was read.
struct ReadFile {
  std::string path;
  FileState state;
  std::string hash;  ///< Hash of its text (base/content_hash.hpp).
};

/// The results of a unit. They depend only on its files, the options, and the windows of its jobs
/// if idle time is trimmed. They can be made elsewhere and kept (unit_bytes.hpp).
struct UnitFigures {
  std::vector<DeviceRow> devices;
  std::vector<JobRecord> records;
  OddityCounts oddities;
  std::vector<std::string> errors;  ///< One sentence per file that could not be used.
  std::vector<ReadFile> files;      ///< Files that were used, if UnitOptions asks for them.
  std::vector<LeftOut> left_out = {};
};

struct UnitOptions {
  TraceOptions trace;
  std::optional<double> max_gap_s;
  const NamePattern* names = nullptr;    ///< TraceOptions::name_pattern; nullptr if there is none.
  const BusyWindows* windows = nullptr;  ///< nullptr: nothing is trimmed.
  Progress* progress = nullptr;          ///< Learns of every byte read.
  bool note_files = false;               ///< Fill UnitFigures::files.
};

/// The hash of a file's text, decompressed. @throws DataError if it cannot be read.
std::string content_hash_of(const std::string& path);

/// Reads a unit. One file in order of time is streamed. A file out of order, or several files, are
/// held in memory and sorted. A file that cannot be read or has no sample does not affect the
/// others.
UnitFigures read_unit(const Unit& unit, const UnitOptions& options);

/// Widens the windows of a unit's jobs to its samples of at least that use. Repeated samples do not
/// count, and files that cannot be read are skipped.
void find_busy_windows(const std::vector<TraceFile>& files, const UnitOptions& options,
                       double idle_below_pct, BusyWindows& windows);

/// Results of earlier calls of ingest, which need not be read again. Any thread may call it.
class UnitMemory {
 public:
  virtual ~UnitMemory() = default;
  /// The format of a file that is kept and unchanged; nullptr for any other file.
  virtual const TraceFormat* known_format(const std::string& path) = 0;
  /// The figures of a unit whose files are kept and unchanged. Otherwise the unit gains the kept
  /// files of the same node and job, since they must be read with it, and loses files that repeat
  /// another file's text.
  /// @throws DataError if a file that must be read with it is gone.
  virtual std::optional<UnitFigures> recall(Unit& unit) = 0;
  /// Whether all files of a unit are kept and unchanged, also where they are read again because
  /// other files may add to them.
  virtual bool knows(const Unit& unit) = 0;
  /// Takes the figures of a unit that was read.
  virtual void keep(const Unit& unit, const UnitFigures& figures) = 0;
  /// After the last unit was read, hands out everything that is kept: each text once, in an order
  /// that does not depend on the history.
  virtual void for_each(const std::function<void(UnitFigures&&)>& take) = 0;
  /// Facts from earlier tables of jobs.
  /// @param tables_follow  keep_facts() is called with what tables say; those of a job that were
  ///                       changed from outside count as missing until then.
  /// @throws DataError if facts were changed from outside.
  virtual JobFacts facts(bool tables_follow) = 0;
  /// @throws DataError if facts that were changed from outside are not among these.
  virtual void keep_facts(const JobFacts& facts) = 0;
};

}  // namespace scalelaw
