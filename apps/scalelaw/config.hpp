#pragma once

#include <string>

#include "command.hpp"

namespace scalelaw::cli {

/// Lets `program` read settings: the file of --config, else the nearest scalelaw.toml upwards from
/// the working directory. Flags win over environment over file over defaults.
void add_config(CLI::App& program);

/// The settings of the program and the command in force, as TOML that --config reads back.
std::string config_text(const CLI::App& program, const CLI::App& command);

}  // namespace scalelaw::cli
