#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "command.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw::cli {

/// The formats of tables, which most commands have.
std::span<const Format> table_formats();

/// Where a result goes, and in which format.
struct ResultOptions {
  std::optional<Format> format = {};                  ///< As the user gave it.
  std::span<const Format> formats = table_formats();  ///< Those that the command has.
  std::string output = {};
  std::string columns = {};  ///< Comma separated; empty: those that suit the format.
};

/// Adds --format and -o. `options` must outlive the parsing.
void add_result_options(Options& command, ResultOptions& options);

/// Adds --columns, for commands whose results are sheets.
void add_columns_option(Options& command, ResultOptions& options);

/// How the result is written to `output`.
TableStyle style_of(const ResultOptions& options, const GlobalOptions& global,
                    const Output& output);

/// The format that the ending of a file name asks for; empty if it is none of these.
std::optional<Format> format_of_file(std::string_view path, std::span<const Format> formats);

/// The format asked for, else that of the output file's ending, else a table.
Format format_of(const ResultOptions& options);

/// Warns that some groups have no `what`, such as "forecast". Returns whether there are any.
template <class Groups>
bool warn_of_failures(const Groups& groups, std::string_view what, const Console& console) {
  const auto failed = std::count_if(groups.begin(), groups.end(), [](const auto& group) {
    return std::holds_alternative<NoFit>(group.result);
  });
  if (failed == 0) return false;
  console.warn(fmt::format("{} of {} groups have no {}", failed, groups.size(), what));
  return true;
}

}  // namespace scalelaw::cli
