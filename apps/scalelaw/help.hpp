#pragma once

#include <string>

#include "command.hpp"

namespace scalelaw::cli {

/// The commands, in a screenful, with an example.
std::string overview_text(const Program& program);

/// What a command does: examples first, then every option.
std::string command_help(const Program& program, const Options& command);

/// The manual page, in roff.
std::string manual_page(const Program& program);

/// The command of that name.
/// @throws DataError naming the nearest one if there is none.
Options command_named(const Program& program, const std::string& name);

}  // namespace scalelaw::cli
