#pragma once

#include <span>

namespace scalelaw::cli {

/// Runs a call of the command: its words, of which the first names the program. Results go to
/// standard output and to files, all else to standard error. It never ends the process.
///
/// @return the exit status.
int run_call(std::span<char*> words);

}  // namespace scalelaw::cli
