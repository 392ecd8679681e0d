#pragma once

#include <string>

#include "options.hpp"

namespace scalelaw::cli {

/// Lets `program` read settings: the file of --config, else the nearest scalelaw.toml upwards from
/// the working directory. Flags win over environment over file over defaults.
void add_config(CLI::App& program, const char* group);

/// The settings of the program and the command in force, as TOML that --config reads back.
std::string config_text(const Options& program, const Options& command);

}  // namespace scalelaw::cli
