#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runs/look_parts.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/table_profile.hpp"

namespace scalelaw {

/// How else a table may be read in which no x or y was found, as the end of an error message, with
/// whole calls: a loss over one scale, a wide table, another table of the file. Empty if in no way.
/// @param profile  What sampled rows hold; nullptr: the names alone tell.
std::string other_readings(const Header& header, const TableProfile* profile,
                           std::string_view source);

/// The wide reading of a table whose names leave no doubt: each column of the scale says what it
/// counts, "1 GPU,2 GPUs", and no row is one of speedups or rates. Empty without one.
/// @param profile  What sampled rows hold; nullptr: no table is sure.
std::optional<WideReading> sure_wide_reading(const Header& header, const TableProfile* profile);

}  // namespace scalelaw
