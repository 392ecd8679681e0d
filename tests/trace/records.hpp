#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/trace/format.hpp"

namespace scalelaw {

/// Counts what a reader notes.
struct CountedNotes : TraceNotes {
  void note(TraceOddity oddity, std::uint64_t, std::string_view) override { ++counts[oddity]; }

  std::map<TraceOddity, int> counts;
};

inline std::vector<JobRecord> records_of(const TraceFormat& format, const std::string& path,
                                         const TraceOptions& options = {}) {
  CountedNotes notes;
  return format.read_records(path, options, notes);
}

/// The text of a record's fact; "(none)" if it has none of that name.
inline std::string fact_of(const JobRecord& record, std::string_view name) {
  for (const auto& [known, text] : record.facts) {
    if (known == name) return text;
  }
  return "(none)";
}

}  // namespace scalelaw
