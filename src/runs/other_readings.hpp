#pragma once

#include <string>
#include <string_view>

#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/table_profile.hpp"

namespace scalelaw {

/// How else a table may be read in which no x or y was found, as the end of an error message, with
/// whole calls: a loss over one scale, a wide table, another table of the file. Empty if in no way.
/// @param profile  What sampled rows hold; nullptr: the names alone tell.
std::string other_readings(const Header& header, const TableProfile* profile,
                           std::string_view source);

}  // namespace scalelaw
