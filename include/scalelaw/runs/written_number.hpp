#pragma once

#include <optional>
#include <string_view>

namespace scalelaw {

/// A number without a unit as people write it, read as a cell of a table is
/// (docs/reference/tables.md, "Values"): "1e3", "4k", "7B", "1,024.5", "2,50", "1.234,50", "8
/// GPUs". Empty if the text is something else, and if nothing tells what its comma is ("1,024").
std::optional<double> number_as_written(std::string_view text);

}  // namespace scalelaw
