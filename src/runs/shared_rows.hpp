#pragma once

#include <string>

#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/table_profile.hpp"

namespace scalelaw {

/// Whether few of the rows that could be used with another column of that role could be used with
/// this one, or none: runs of one log may lack what those of another one tell.
bool has_few_rows(const Header& header, const TableProfile* profile, const std::string& cell,
                  const std::string& x, ColumnRole role);

}  // namespace scalelaw
