#pragma once

#include <string>

#include "command.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw::cli {

/// Adds --format with every format of results.
void add_format_option(CLI::App& command, std::string& format);

/// Adds -o, --output.
void add_output_option(CLI::App& command, std::string& output);

/// Without --format the ending of the output file tells; a table where it tells nothing.
void settle_format(const CLI::App& command, const std::string& output, std::string& format);

/// The format of a name that was checked at parsing.
Format format_named(const std::string& name);

}  // namespace scalelaw::cli
