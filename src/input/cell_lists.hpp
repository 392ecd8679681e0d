#pragma once

#include <optional>
#include <string_view>

#include "input/text_records.hpp"

namespace scalelaw {

/// Whether the first row below a header has a list of numbers in a cell, "[0.98, 0.97]", perhaps
/// behind words. Only the first lines of the text are looked at.
bool begins_with_cell_lists(std::string_view text);

/// Such a table with one row for each number, as they are repeats of their row; empty for any other
/// text. A row with more or fewer cells than the header, or lists of different lengths, stays as it
/// is.
std::optional<TextRecords> records_of_cell_lists(std::string_view text);

}  // namespace scalelaw
