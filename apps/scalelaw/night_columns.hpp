#pragma once

#include <string>

namespace scalelaw::cli {

/// The order of nights: that of groups, but digits within words by their value, n2 before n10.
bool night_less(const std::string& a, const std::string& b);

/// A column of a run table that seems to name nights, because of its name and as it has several
/// values; empty: none.
std::string night_column_of(const std::string& path);

/// Whether a run table has a column.
bool has_night_column(const std::string& path, const std::string& night);

}  // namespace scalelaw::cli
