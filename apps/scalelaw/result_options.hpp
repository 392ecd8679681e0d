#pragma once

#include <optional>
#include <string>

#include "command.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw::cli {

/// Where a result goes, and in which format.
struct ResultOptions {
  std::optional<Format> format;  ///< As the user gave it.
  std::string output;
};

/// Adds --format and -o. `options` must outlive the parsing.
void add_result_options(Options& command, ResultOptions& options);

/// The format asked for, else that of the output file's ending, else a table.
Format format_of(const ResultOptions& options);

}  // namespace scalelaw::cli
