#pragma once

#include <string>
#include <string_view>

#include "trace/unit_reader.hpp"

namespace scalelaw {

/// The figures of a unit as bytes, from which they come back to the last bit: to be kept in a file
/// or sent to another process. The bytes are the same on every machine.
std::string bytes_of(const UnitFigures& figures);

/// What bytes_of wrote.
/// @throws DataError if the bytes are damaged, or of another version of scalelaw.
UnitFigures unit_figures_of(std::string_view bytes);

}  // namespace scalelaw
