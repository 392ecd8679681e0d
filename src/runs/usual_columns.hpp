#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/table_profile.hpp"

namespace scalelaw {

/// Names that are taken before all others, in this order, so that scripts keep their meaning
/// whatever else is recognised.
std::vector<std::string> first_names_of(UsualColumn what);

/// Whether the words of a name say what is asked for.
bool is_meant(const ColumnMeaning& meaning, UsualColumn what);

/// The column with a usual name, as the header spells it.
std::optional<std::string> column_called(const Header& header, std::string_view name);

/// Whether few of the rows that could be used with another column of that role could be used with
/// this one, or none: runs of one log may lack what those of another one tell.
bool has_few_rows(const Header& header, const TableProfile* profile, const std::string& cell,
                  const std::string& x, ColumnRole role);

}  // namespace scalelaw
