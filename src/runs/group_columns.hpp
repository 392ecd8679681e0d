#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/table_profile.hpp"

namespace scalelaw {

inline std::string label_of(const std::string& cell) {
  return std::string(column_label(cell).name);
}

/// Whether all rows of the table have one value.
bool is_constant(const TableProfile* profile, const std::string& cell);

/// Whether a value says weak scaling: "weak", "Weak scaling".
bool is_weak_scaling(const std::string& value);

/// Whether the values of a column are weak and strong scaling, whose runs do other work at one x.
bool tells_kinds_of_scaling(const ColumnProfile* column);

/// The group columns that are taken without being named: those with a name that is taken first,
/// then those whose words say a kind of run. A system is one only where no column tells its
/// hardware, as the name of a system mostly includes its size.
std::vector<std::string> usual_groups(const Header& header, const ChosenColumns& columns,
                                      const TableProfile* profile);

/// The usual group columns that are neither used nor filtered, so that groups pool their values.
std::vector<std::string> pooled_columns(const Header& header, const ChosenColumns& columns,
                                        const std::vector<std::string>& where,
                                        std::string_view source);

/// The share of the sampled rows whose group has runs at so many x or more; 0 without x or rows.
double share_at_scales(const TableProfile& profile, const std::vector<std::string>& by,
                       const std::string& x, std::size_t fewest);

/// Whether a column numbers the runs of each system or job anew, so that one value of it is no run:
/// rows of that value, in one group at one x, are of several systems or jobs; or they are of
/// several ones anywhere, and no system or job has two rows of it in one group at one x.
bool restarts_in_each_system(const TableProfile* profile, const ChosenColumns& columns,
                             const std::string& run);

}  // namespace scalelaw
