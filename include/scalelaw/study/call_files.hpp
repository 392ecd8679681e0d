#pragma once

#include <span>
#include <string>
#include <string_view>

namespace scalelaw {

/// How a call uses a file.
enum class FileUse {
  kReads,         ///< A table or document: also "study.db@LABEL", globs and folders.
  kReadsTraces,   ///< The same with traces; a folder of them may take the run table, too.
  kReadsOrKeeps,  ///< A study store.
  kWrites,
  kWritesResult,  ///< What goes to standard output without it.
  kFills,         ///< A folder for outputs whose names the call chooses.
};

/// A file that a call names, and the word that names it to the user.
struct CallFile {
  std::string path;
  std::string option;
  FileUse use = FileUse::kWrites;
};

/// Whether a path is that of a folder or lies below it, there or not, without links.
bool lies_within(const std::string& path, const std::string& folder);

/// Makes sure, before a call does anything, that no output of it destroys what the user has: an
/// input, another output of the same call, the settings file, what standard input reads, or any
/// SQLite database or file that SQLite keeps beside one. Files are the same if they are one on the
/// disk, under whatever names, or if a link leads to where the other would be made. Two outputs
/// that are both "-" are refused, too. Whether ingest may replace a table of jobs among its traces
/// is left to refuse_to_replace_table().
///
/// @param settings  The settings file; empty without one.
/// @param prints_result  A result that no file takes goes to standard output, and must not go into
///                       a file that the call reads or writes.
/// @throws DataError naming the output and what it would replace.
void refuse_to_lose_files(std::span<const CallFile> files, const std::string& settings = "",
                          bool prints_result = false);

/// Keeps this process from reading what the outputs will replace, whatever makes it do so; part of
/// refuse_to_lose_files(), for ranks that do not lead.
void expect_replaced_files(std::span<const CallFile> files);

/// Makes sure, once ingest knows its run table, that the output replaces no other table of a folder
/// or glob of traces: only a run table that ingest wrote, which has its columns gpus_seen and
/// samples or begins as the new one does.
///
/// @param header  The first line of the new table, as it is written.
/// @throws DataError naming the output and what it would replace.
void refuse_to_replace_table(const std::string& output, std::span<const std::string> inputs,
                             std::string_view header);

}  // namespace scalelaw
