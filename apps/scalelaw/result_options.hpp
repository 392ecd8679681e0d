#pragma once

#include <string>

#include "command.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw::cli {

/// Where a result goes, and in which format.
struct ResultOptions {
  std::string format = "table";
  const CLI::Option* format_option = nullptr;  ///< Tells whether the user gave a format.
  std::string output;
  std::string columns;  ///< Comma separated; empty: those that suit the format.
};

/// Adds --format and -o. `options` must outlive the parsing.
void add_result_options(CLI::App& command, ResultOptions& options);

/// Adds --columns, for commands whose results are sheets.
void add_columns_option(CLI::App& command, ResultOptions& options);

/// How the result is written to `output`.
TableStyle style_of(const ResultOptions& options, const GlobalOptions& global,
                    const Output& output);

/// The format asked for, else that of the output file's ending, else a table.
Format format_of(const ResultOptions& options);

}  // namespace scalelaw::cli
