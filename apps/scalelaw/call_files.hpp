#pragma once

#include <vector>

#include "options.hpp"
#include "scalelaw/study/call_files.hpp"

namespace scalelaw::cli {

/// The files that the options of a call name.
std::vector<CallFile> files_of(const Options& command);

/// @throws DataError if the command is to read standard input, which belongs to the program that
///         makes the call.
void refuse_standard_input(const Options& command);

}  // namespace scalelaw::cli
