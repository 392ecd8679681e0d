#pragma once

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// Writes what came of each group, one group after the other, without holding them: JSON and CSV go
/// out as they come. Tables for people keep their text, since the width of a column is known at its
/// last row.
///
/// Numbers read back exactly. What is undefined is null in JSON and empty in CSV. Tables for people
/// round.
template <class T>
class GroupWriter {
 public:
  virtual ~GroupWriter() = default;
  /// What the writer reads of a Fit: chosen columns may need few of its figures.
  virtual Figures figures() const { return Figures::kAll; }
  /// Writes the next group. Call in group order.
  virtual void write(const Grouped<T>& group) = 0;
  /// Writes what closes the report. Call once, after the last group.
  virtual void finish() = 0;
};

/// Writes all groups and closes the report.
template <class T, class Groups>
void write_groups(GroupWriter<T>& writer, const Groups& groups) {
  for (const auto& group : groups) writer.write(group);
  writer.finish();
}

}  // namespace scalelaw
