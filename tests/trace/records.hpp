#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/trace/format.hpp"
#include "scalelaw/trace/ingest.hpp"

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

/// The cells of a column of a run table; empty ones if it has no such column.
inline std::vector<std::string> column_of(const IngestResult& result, std::string_view name) {
  const auto& names = result.table.names;
  const auto place =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  std::vector<std::string> cells;
  for (const auto& row : result.table.rows) cells.push_back(place < row.size() ? row[place] : "");
  return cells;
}

}  // namespace scalelaw
