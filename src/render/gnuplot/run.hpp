#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace scalelaw {

using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

/// A file that nobody else sees and that goes when it is closed.
/// @throws DataError if there can be none.
File temporary_file();

std::string contents(std::FILE* file);

/// What gnuplot draws by a script. @throws DataError if it is not installed or refuses.
std::string drawn(std::FILE* script);

}  // namespace scalelaw
