#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace scalelaw {

class TableProfile;

/// A column in which runs of one group at one x differ although it is in no role.
struct UngroupedColumn {
  std::string name;
  std::size_t values = 0;
  /// Whether it is worth to group by: it has few values, or most groups keep three scales.
  bool makes_groups = true;
};

/// What is told of such columns: not those with many values that plainly name things, such as
/// hosts.
/// @param names  The columns, as ungrouped_columns().
/// @param by     The group columns.
/// @param x      The scale; empty without one.
std::vector<UngroupedColumn> told_ungrouped(const TableProfile& profile,
                                            std::span<const std::string> names,
                                            const std::vector<std::string>& by,
                                            const std::string& x);

}  // namespace scalelaw
