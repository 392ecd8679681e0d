#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "command.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw::cli {

/// The formats of tables, which most commands have.
std::span<const Format> table_formats();

/// Where a result goes, and in which format.
struct ResultOptions {
  std::optional<Format> format = {};                  ///< As the user gave it.
  /// Those that the command has; none if its only one has nothing to do with endings.
  std::span<const Format> formats = table_formats();
  std::string output = {};
  std::string columns = {};  ///< Comma separated; empty: those that suit the format.
  bool strict = false;       ///< What the result lacks makes the exit status 1.
};

/// Adds --format and -o. `options` must outlive the parsing.
void add_format_options(Options& command, ResultOptions& options);
/// Adds --columns besides, for commands whose results are sheets.
void add_result_options(Options& command, ResultOptions& options,
                        const std::string& help = "Columns of the table or CSV in their order");
/// Adds --strict, whose help says what a result may lack.
void add_strict_option(Options& command, ResultOptions& options, const std::string& help);

/// The format that the ending of a file name asks for; empty if it is none of these.
std::optional<Format> format_of_file(std::string_view path, std::span<const Format> formats);

/// The format asked for, else that of the output file's ending. A table without one, or for ".txt".
/// @throws DataError listing the endings if it is another one.
Format format_of(const ResultOptions& options);

}  // namespace scalelaw::cli
