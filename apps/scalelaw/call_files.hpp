#pragma once

#include <string_view>
#include <vector>

#include "options.hpp"
#include "scalelaw/study/call_files.hpp"

namespace scalelaw::cli {

/// The files that the options of a call name.
std::vector<CallFile> files_of(const Options& command);

/// Whether the option of that long name, such as "--output", names a file to write or a store.
bool writes_file(std::string_view option);

/// @throws DataError if the command is to read standard input, which belongs to the program that
///         makes the call.
void refuse_standard_input(const Options& command);

}  // namespace scalelaw::cli
