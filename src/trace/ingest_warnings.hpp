#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trace/unit_reader.hpp"

// What ingest() says of odd inputs.
namespace scalelaw {

/// "; 3 runs failed or cancelled, the first at ..."; empty if there are none.
std::string count_of(const OddityCounts& oddities, TraceOddity oddity, std::string_view noun,
                     std::string_view words);

/// A sentence per kind of oddity.
std::vector<std::string> oddity_warnings(const OddityCounts& oddities);

/// Warns of repeated samples if they are many: a log without GPU numbers looks like a GPU that
/// repeats itself. Empty otherwise.
std::string repeat_warning(std::uint64_t samples, std::uint64_t dropped);

/// Warns of jobs that were never used, and of those whose use was not measured.
std::vector<std::string> idle_warnings(const std::vector<DeviceRow>& devices,
                                       const BusyWindows& windows, double idle_below_pct);

/// The folders whose files made rows: what a trainer printed may stand beside the files of a
/// tracker, and both tell of one run.
class RunFolders {
 public:
  /// Adds a file that made a row.
  void add(const TraceFile& file);
  /// A sentence on folders in which several kinds of files tell of runs; empty without one.
  std::string warning() const;

 private:
  std::map<std::string, std::set<std::string_view>> kinds_;  ///< Formats, by folder.
};

}  // namespace scalelaw
