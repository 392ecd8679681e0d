#pragma once

#include <string>
#include <string_view>

#include "trace/unit_reader.hpp"

namespace scalelaw {

/// The figures of a unit as bytes, for a file or another process. Reading them restores every bit,
/// and they are the same on every machine.
std::string bytes_of(const UnitFigures& figures);

/// The figures from bytes that bytes_of wrote.
/// @throws DataError if the bytes are damaged, or another version of scalelaw wrote them.
UnitFigures unit_figures_of(std::string_view bytes);

}  // namespace scalelaw
