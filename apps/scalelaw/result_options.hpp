#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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
  bool strict = false;       ///< What the result lacks makes the exit status 1.
};

/// Adds --format and -o. `options` must outlive the parsing.
void add_result_options(Options& command, ResultOptions& options);

/// Adds --columns, for commands whose results are sheets.
void add_columns_option(Options& command, ResultOptions& options);
/// Adds --strict, whose help says what a result may lack.
void add_strict_option(Options& command, ResultOptions& options, const std::string& help);

/// How the result is written to `output`.
TableStyle style_of(const ResultOptions& options, const GlobalOptions& global,
                    const Output& output);

/// The format that the ending of a file name asks for; empty if it is none of these.
std::optional<Format> format_of_file(std::string_view path, std::span<const Format> formats);

/// The format asked for, else that of the output file's ending, else a table.
Format format_of(const ResultOptions& options);

/// A result on its way out.
struct Delivery {
  TableStyle style;
  TextSink sink;
  Console console;
};

/// What a result lacks, in sentences such as "2 of 16 groups have no fit".
using Lacks = std::vector<std::string>;

/// Takes a command from its options to its exit status, in the order that holds for all: the output
/// is held against the inputs and opened before anything is read, because a missing folder must not
/// cost minutes; `make` reads, computes and writes; then the file appears whole, and only then what
/// the result lacks is said.
/// @param inputs  Files, globs and folders that the output must not replace.
/// @throws what `make` throws; DataError if the output cannot be written or would replace an input.
int deliver(const ResultOptions& options, const std::vector<std::string>& inputs,
            const GlobalOptions& global, const std::function<Lacks(const Delivery&)>& make);

/// "2 of 16 groups have no fit": how many of `groups` lack a result, if any do.
template <class Groups>
Lacks groups_without(std::string_view noun, const Groups& groups);
Lacks groups_without(std::string_view noun, std::size_t lacking, std::size_t groups);

template <class Groups>
Lacks groups_without(std::string_view noun, const Groups& groups) {
  std::size_t failed = 0;
  for (const auto& group : groups) failed += std::holds_alternative<NoFit>(group.result) ? 1 : 0;
  return groups_without(noun, failed, groups.size());
}

/// Warns that some groups have no `what`, such as "forecast". Returns whether there are any.
template <class Groups>
bool warn_of_failures(const Groups& groups, std::string_view what, const Console& console) {
  const Lacks lacks = groups_without(what, groups);
  for (const std::string& sentence : lacks) console.warn(sentence);
  return !lacks.empty();
}

}  // namespace scalelaw::cli
