#pragma once

#include <string>
#include <vector>

#include "options.hpp"

namespace scalelaw::cli {

/// Makes sure, before a command does anything, that no output of the call destroys what the user
/// has: an input, another output of the same call, the settings file, what standard input reads,
/// or any SQLite database or file that SQLite keeps beside one. Files are the same if they are one
/// on the disk, under whatever names, or if a link leads to where the other would be made. A table
/// that ingest wrote into a folder of traces may be replaced by ingest.
///
/// @throws DataError naming the output and what it would replace.
void refuse_to_lose_files(const Program& program, const Options& command);

/// The same for outputs that a command makes out of its options, as the figures of a report.
void refuse_to_lose_files(const Program& program, const Options& command,
                          const std::vector<std::string>& outputs);

/// The same for outputs and inputs that a command makes out of its options.
void refuse_to_lose_files(const std::vector<std::string>& outputs,
                          const std::vector<std::string>& inputs);

/// @throws DataError if the command is to read standard input, which belongs to the program that
///         makes the call.
void refuse_standard_input(const Options& command);

}  // namespace scalelaw::cli
