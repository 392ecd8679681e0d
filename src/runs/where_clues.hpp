#pragma once

#include <span>
#include <string>

namespace scalelaw {

/// Why the conditions leave no row of the tables: for each that no row fulfils by itself, the
/// nearest values that its column has. Reads the beginning of the files again; empty where they
/// cannot be read twice.
std::string where_clues(std::span<const std::string> where, std::span<const std::string> paths);

}  // namespace scalelaw
