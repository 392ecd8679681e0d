#pragma once

#include <string>

#include "command.hpp"

namespace scalelaw::cli {

/// The commands, in a screenful, with an example.
std::string overview_text(const CLI::App& program);

/// What a command does: examples first, then every option.
std::string command_help(const CLI::App& program, const CLI::App& command);

/// The manual page, in roff.
std::string manual_page(const CLI::App& program);

/// Completion for bash, zsh or fish.
std::string completion_script(const CLI::App& program, const std::string& shell);

/// The commands of the program, in the order they were added.
std::vector<const CLI::App*> commands_of(const CLI::App& program);

/// The command of that name.
/// @throws DataError naming the nearest one if there is none.
const CLI::App& command_named(const CLI::App& program, const std::string& name);

}  // namespace scalelaw::cli
