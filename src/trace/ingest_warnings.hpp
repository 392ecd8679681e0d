#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
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

/// Warns of logs of trainers that end in an error, whose rows have the status failed. Empty
/// without one.
std::string failed_training_warning(const std::vector<JobRecord>& records);

/// The folders whose files made rows: what a trainer printed may stand beside the files of a
/// tracker and of a monitor of energy, and all tell of one run.
class RunFolders {
 public:
  /// Adds a file, and the rows that it made, before these are told apart by their folders.
  void add(const TraceFile& file, const std::vector<JobRecord>& records);
  /// A sentence on folders in which several kinds of files tell of runs, with the rows of the first
  /// one; empty without one.
  std::string warning(const std::vector<JobRecord>& records) const;

 private:
  struct Source {
    std::string folder;
    std::string_view kind;
  };
  std::map<std::string, Source> by_file_;
  std::map<std::string, Source> by_job_;  ///< Of runs that their files do not name.
};

/// A sentence on files of folders that are not looked at, by their endings; nothing without any.
/// Values of MLflow do not count, as their run reads them.
std::optional<std::string> note_on_passed_over(std::span<const std::string> files);

}  // namespace scalelaw
