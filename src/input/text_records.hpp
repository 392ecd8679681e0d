#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// A table that a text writes without columns.
struct TextRecords {
  std::vector<std::string> names;  ///< Of lists without names, the numbers of the first one.
  std::vector<std::vector<std::string>> rows;
  std::string told;  ///< How they are written: "each line of 'Name=value' is one row".
};

/// Whether the first lines of a text are records, so that it has no header: "threads=4 time=1.2",
/// "Threads: 4", "[4, 1.2]", "gpus = [1, 2, 4]", lines of Go's benchmarks.
bool begins_as_records(std::string_view text);

/// The records of a text: the lines of Go's benchmarks; else lists of numbers, each with a name and
/// of one length, which are columns, or each a row; else values behind names, where a name that
/// returns begins a further row. Empty if there are fewer than two rows.
std::optional<TextRecords> records_in(std::string_view text);

/// Whether the first row below a header has a list of numbers in a cell, "[0.98, 0.97]", perhaps
/// behind words. Only the first lines of the text are looked at.
bool begins_with_cell_lists(std::string_view text);

}  // namespace scalelaw
