#pragma once

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/fit/figure_levels.hpp"

namespace scalelaw {

/// Writes the results of groups one after the other, without keeping them. JSON and CSV are written
/// at once. Tables for people wait for the last row, which settles the widths of columns.
///
/// Numbers read back exactly. Undefined values are null in JSON and empty in CSV. Tables for people
/// round.
template <class T>
class GroupWriter {
 public:
  virtual ~GroupWriter() = default;
  /// The figures of a Fit that the writer reads; the chosen columns may need only a few.
  virtual Figures figures() const { return Figures::kAll; }
  /// Writes the next group. Call in group order.
  virtual void write(const Grouped<T>& group) = 0;
  /// Writes the end of the report. Call this once, after the last group.
  virtual void finish() = 0;
};

/// Writes all groups and closes the report.
template <class T, class Groups>
void write_groups(GroupWriter<T>& writer, const Groups& groups) {
  for (const auto& group : groups) writer.write(group);
  writer.finish();
}

}  // namespace scalelaw
