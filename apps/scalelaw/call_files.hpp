#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace scalelaw::cli {

/// An output of the call, and the word that names it to the user.
struct OutputFile {
  std::string path;
  std::string option;
};

/// Makes sure, before a command does anything, that no output of the call destroys what the user
/// has: an input, another output of the same call, the settings file, what standard input reads,
/// or any SQLite database or file that SQLite keeps beside one. Files are the same if they are one
/// on the disk, under whatever names, or if a link leads to where the other would be made. Two
/// outputs that are both "-" are refused, too. Whether ingest may replace a table of jobs among its
/// traces is left to refuse_to_replace_table().
///
/// @param is_hosted  A program makes the call and takes the result. Else a result that goes to
///                   standard output must not go into a file that the call reads or writes.
/// @throws DataError naming the output and what it would replace.
void refuse_to_lose_files(const Program& program, const Options& command, bool is_hosted);

/// The same for outputs that a command makes out of its options, as the figures of a report.
void refuse_to_lose_files(const Program& program, const Options& command,
                          const std::vector<std::string>& outputs);

/// The same for outputs and inputs that a command makes out of its options.
void refuse_to_lose_files(const std::vector<OutputFile>& outputs,
                          const std::vector<std::string>& inputs);

/// Keeps this process from reading what the outputs will replace, whatever makes it do so; part of
/// refuse_to_lose_files(), for ranks that do not lead.
void expect_replaced_files(const Options& command);

/// Makes sure, once ingest knows its run table, that the output replaces no other table of a folder
/// or glob of traces: only a run table that ingest wrote, which has its columns gpus_seen and
/// samples or begins as the new one does.
///
/// @param header  The first line of the new table, as it is written.
/// @throws DataError naming the output and what it would replace.
void refuse_to_replace_table(const std::string& output, std::span<const std::string> inputs,
                             std::string_view header);

/// @throws DataError if the command is to read standard input, which belongs to the program that
///         makes the call.
void refuse_standard_input(const Options& command);

}  // namespace scalelaw::cli
