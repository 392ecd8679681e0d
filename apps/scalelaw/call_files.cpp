#include "call_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>

#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/file_bytes.hpp"
#include "scalelaw/base/file_identity.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/store/side_files.hpp"

namespace scalelaw::cli {
namespace {

namespace fs = std::filesystem;

/// How a command uses the files that an option names.
enum class Use {
  kReads,         ///< A table or document: also "study.db@LABEL", globs and folders.
  kReadsTraces,   ///< The same with traces; a folder of them may take the run table, too.
  kReadsOrKeeps,  ///< A study store.
  kWrites,
  kFills,  ///< A folder for outputs whose names the command chooses.
};

struct FileOption {
  std::string_view name;
  Use use;
};

/// Every option of every command that names a file, by its long name.
constexpr std::array kFileOptions{
    FileOption{"INPUT", Use::kReads},        FileOption{"TRACE", Use::kReadsTraces},
    FileOption{"--base", Use::kReads},       FileOption{"--new", Use::kReads},
    FileOption{"--jobs", Use::kReads},       FileOption{"--laws", Use::kReads},
    FileOption{"--train", Use::kReads},      FileOption{"--power", Use::kReads},
    FileOption{"STORE", Use::kReadsOrKeeps}, FileOption{"--store", Use::kReadsOrKeeps},
    FileOption{"--output", Use::kWrites},    FileOption{"--also", Use::kWrites},
    FileOption{"--export", Use::kWrites},    FileOption{"--submissions", Use::kWrites},
    FileOption{"--traces", Use::kFills}};

struct CallFiles {
  std::string settings;
  std::vector<std::string> inputs;
  std::vector<std::string> trees;  ///< Folders and globs of traces.
  bool reads_traces = false;
  std::vector<std::string> stores;
  std::vector<OutputFile> outputs;
  std::vector<OutputFile> folders;  ///< That the call fills.
};

/// Where a file is or would be made, without links.
fs::path place_of(const std::string& path) {
  std::error_code error;
  const fs::path place = fs::absolute(place_of_output(path), error);
  return fs::weakly_canonical(place, error);
}

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  const bool are_one = fs::equivalent(a, b, error);
  return error ? place_of(a) == place_of(b) : are_one;  // An error: they are not both there.
}

/// Whether a path is that of a folder or lies below it, there or not.
bool is_within(const std::string& path, const std::string& folder) {
  const fs::path inner = place_of(path);
  const fs::path outer = place_of(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

bool is_database(const std::string& path) {
  constexpr std::string_view kMagic = "SQLite format 3";
  return beginning_of(path, kMagic.size()) == kMagic;
}

/// A file that SQLite keeps, or would keep, beside a database.
struct SideFile {
  std::string name;
  std::string database;
};

/// What a file is beside that database, by any of its names; empty for other files.
std::optional<SideFile> side_file(const std::string& path, const std::string& database) {
  for (const std::string& one : {database, place_of(database).string()}) {
    for (const std::string_view ending : kSideEndings) {
      const std::string name = one + std::string(ending);
      if (is_same_file(path, name)) return SideFile{name, database};
    }
  }
  return std::nullopt;
}

/// What a file is beside an existing database, by its name or that to which its links lead.
std::optional<SideFile> side_file_of_existing(const std::string& path) {
  for (const std::string& name : {path, place_of(path).string()}) {
    for (const std::string_view ending : kSideEndings) {
      if (!name.ends_with(ending)) continue;
      const std::string database = name.substr(0, name.size() - ending.size());
      if (is_database(database)) return SideFile{name, database};
    }
  }
  return std::nullopt;
}

std::string without_label(const std::string& input) {
  const auto label = input_label(input);
  return label ? input.substr(0, input.size() - label->size() - 1) : input;
}

[[noreturn]] void refuse(const std::string& output, std::string_view what) {
  throw DataError(fmt::format("{}: the output would replace {}; name another file", output, what));
}

/// "this input", or "the input runs.csv" if the output names the file in another way.
std::string told(std::string_view noun, const std::string& file, const std::string& output) {
  const bool by_name = fs::path(file).lexically_normal() == fs::path(output).lexically_normal();
  return by_name ? fmt::format("this {}", noun) : fmt::format("the {} {}", noun, file);
}

void refuse_beside(const std::string& output, const std::optional<SideFile>& side) {
  if (!side) return;
  const bool by_name = fs::path(output).filename() == fs::path(side->name).filename();
  refuse(output, fmt::format("{}, which SQLite keeps beside {}",
                             by_name ? "this file" : "the file " + side->name, side->database));
}

void hold_against_databases(const std::string& output, const CallFiles& files) {
  for (const std::string& store : files.stores) {
    if (is_same_file(output, store)) refuse(output, told("study store", store, output));
    refuse_beside(output, side_file(output, store));
  }
  if (is_database(output)) refuse(output, "this database");
  refuse_beside(output, side_file_of_existing(output));
}

/// A store under the name of a side file would be taken for a part of its database.
void hold_store_against_databases(const std::string& store) {
  const auto side = side_file_of_existing(store);
  if (!side) return;
  throw DataError(fmt::format("{}: SQLite keeps a file of this name beside {}; name another store",
                              store, side->database));
}

void hold_against_inputs(const std::string& output, const CallFiles& files) {
  if (is_same_file(output, files.settings)) {
    refuse(output, told("settings file", files.settings, output));
  }
  for (const std::string& input : files.inputs) {
    const std::string file = without_label(input);
    if (input == "-") continue;
    if (is_same_file(output, file)) refuse(output, told("input", file, output));
    if (is_database(file)) refuse_beside(output, side_file(output, file));
  }
}

void hold_against_standard_input(const std::string& output) {
  const auto read = file_of_standard_input();
  if (read && read == regular_file_at(output)) {
    refuse(output, "the file that standard input reads");
  }
}

/// The columns of a file that begins as tables of jobs and run tables do, with job_id; empty for
/// other files.
std::vector<std::string> columns_of_jobs(const std::string& path) {
  constexpr std::size_t kMostHeader = std::size_t{64} << 10;
  std::string header = beginning_of(path, kMostHeader);
  header.resize(std::min(header.find_first_of("\r\n"), header.size()));
  const char separator = header.find('\t') != std::string::npos ? '\t' : ',';
  std::vector<std::string> names = split(header, separator);
  const bool is_of_jobs = !names.empty() && names.front() == "job_id";
  return is_of_jobs ? names : std::vector<std::string>();
}

/// Whether a file is a run table that ingest wrote: it has two columns that ingest gives to all
/// jobs with samples, or the columns of the new table.
bool is_run_table(const std::string& path, std::string_view header) {
  const std::vector<std::string> names = columns_of_jobs(path);
  const auto has = [&names](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return (has("gpus_seen") && has("samples")) || beginning_of(path, header.size()) == header;
}

bool is_empty_file(const std::string& path) {
  std::error_code error;
  return fs::file_size(path, error) == 0;
}

/// The files behind globs and folders. What cannot be read is told by the command that reads it.
std::vector<std::string> expanded(const std::vector<std::string>& inputs, FolderFiles kind) {
  if (inputs.empty()) return {};
  try {
    FolderFindings findings;
    std::vector<std::string> files = expand_inputs(inputs, kind, &findings);
    if (kind == FolderFiles::kTraces) {
      // Files of other kinds may be read with the traces, as settings of a run.
      files.insert(files.end(), findings.passed_over.begin(), findings.passed_over.end());
    }
    return files;
  } catch (const Error&) {
    return inputs;
  }
}

/// @param why  Follows "the output would replace this input of traces".
void hold_against_trees(const std::string& output, const std::vector<std::string>& trees,
                        std::string_view why) {
  for (const std::string& tree : trees) {
    for (const std::string& file : expanded({tree}, FolderFiles::kTraces)) {
      if (!is_same_file(output, file)) continue;
      throw DataError(fmt::format("{}: the output would replace {} of {}, {}", output,
                                  told("input", file, output), tree, why));
    }
  }
}

/// From now on the call cannot read the file, whatever makes it do so.
void expect_replaced(const std::string& output) {
  const auto file = regular_file_at(output);
  if (CallContext* const call = current_call(); call != nullptr && file) {
    call->expect_replaced(*file);
  }
}

/// Whether ingest may replace an output is known when it has read.
bool may_be_run_table(const std::string& output, const CallFiles& files) {
  return files.reads_traces && (is_empty_file(output) || !columns_of_jobs(output).empty());
}

/// A new store may be an empty file that was made for it, but no input, settings file, or what
/// standard input reads.
void hold_empty_store(const std::string& store, const CallFiles& files) {
  if (!is_regular_file(store) || !is_empty_file(store)) return;
  hold_against_inputs(store, files);
  hold_against_standard_input(store);
  expect_replaced(store);
}

void hold_against_one_another(const std::vector<OutputFile>& outputs) {
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_same_file(outputs[i].path, outputs[j].path)) continue;
      throw DataError(fmt::format("{}: both {} and {} would write this file; name two files",
                                  outputs[i].path, outputs[j].option, outputs[i].option));
    }
  }
}

void hold_standard_output(const std::vector<OutputFile>& outputs) {
  const OutputFile* first = nullptr;
  for (const OutputFile& output : outputs) {
    if (output.path != "-") continue;
    if (first != nullptr) {
      throw DataError(
          fmt::format("both {} and {} would write to standard output; name a file for one of them",
                      first->option, output.option));
    }
    first = &output;
  }
}

void hold_against_folders(const OutputFile& output, const std::vector<OutputFile>& folders) {
  for (const OutputFile& folder : folders) {
    if (!is_within(output.path, folder.path)) continue;
    throw DataError(
        fmt::format("{}: {} would write this file into {}, which {} fills; name a file elsewhere",
                    output.path, output.option, folder.path, folder.option));
  }
}

/// Outputs that are files on the disk, or will be.
bool is_file(const std::string& output) {
  if (output.empty() || output == "-") return false;
  std::error_code error;
  return is_regular_file(output) || !fs::exists(output, error);
}

/// Of the names of traces, those of folders and globs stand for what is found there.
void take_traces(CallFiles& files, const std::string& path) {
  std::error_code error;
  const bool is_one_file = path == "-" || (input_exists(path) && !fs::is_directory(path, error));
  (is_one_file ? files.inputs : files.trees).push_back(path);
}

void take(CallFiles& files, Use use, const OutputFile& file) {
  switch (use) {
    case Use::kReads:
      files.inputs.push_back(file.path);
      return;
    case Use::kReadsTraces:
      files.reads_traces = true;
      take_traces(files, file.path);
      return;
    case Use::kReadsOrKeeps:
      files.stores.push_back(file.path);
      return;
    case Use::kWrites:
      files.outputs.push_back(file);
      return;
    case Use::kFills:
      files.folders.push_back(file);
  }
}

/// What the options of a command name.
/// @param expands  Lists the files behind folders and globs of tables, which takes long where there
///                 are many.
CallFiles named_files(const Options& command, bool expands) {
  CallFiles files;
  const auto given = command.given_values();
  for (const FileOption& option : kFileOptions) {
    const std::string name(option.name);
    const auto words = given.find(name);
    if (words == given.end()) continue;
    const auto paths = expands && option.use == Use::kReads
                           ? expanded(words->second, FolderFiles::kTables)
                           : words->second;
    for (const std::string& path : paths) take(files, option.use, {path, name});
  }
  return files;
}

CallFiles files_of(const Program& program, const Options& command) {
  CallFiles files = named_files(command, true);
  files.settings = program.settings_file();
  return files;
}

void hold(const CallFiles& files) {
  hold_standard_output(files.outputs);
  std::vector<OutputFile> outputs = files.outputs;
  std::erase_if(outputs, [](const OutputFile& output) { return !is_file(output.path); });
  hold_against_one_another(outputs);
  for (const OutputFile& output : outputs) {
    hold_against_databases(output.path, files);
    hold_against_folders(output, files.folders);
    if (!is_regular_file(output.path)) continue;  // Nothing is there that could be lost.
    hold_against_inputs(output.path, files);
    hold_against_standard_input(output.path);
    if (is_log_of_database(output.path)) {
      refuse(output.path, "this file, which SQLite keeps beside a database");
    }
    if (may_be_run_table(output.path, files)) continue;
    expect_replaced(output.path);
    hold_against_trees(output.path, files.trees,
                       "which is no run table that ingest wrote; name another file");
  }
  for (const std::string& store : files.stores) {
    hold_store_against_databases(store);
    hold_empty_store(store, files);
  }
  for (const OutputFile& folder : files.folders) hold_against_databases(folder.path, files);
}

/// A result that goes to standard output must not go into a file that the call reads, or writes
/// anew under its name.
void hold_result(const CallFiles& files) {
  const auto written = regular_file_behind(STDOUT_FILENO);
  const bool has_file = std::any_of(
      files.outputs.begin(), files.outputs.end(),
      [](const OutputFile& output) { return output.option == "--output" && output.path != "-"; });
  const bool fills_store = files.reads_traces && !files.stores.empty();
  if (!written || has_file || fills_store) return;
  for (const OutputFile& output : files.outputs) {
    if (output.path == "-" || written != regular_file_at(output.path)) continue;
    throw DataError(
        fmt::format("{}: both standard output and {} would write this file; name two files",
                    output.path, output.option));
  }
  for (const std::string& input : files.inputs) {
    if (input == "-" || written != regular_file_at(without_label(input))) continue;
    throw DataError(
        fmt::format("{}: standard output would write into this input; name another file", input));
  }
}

/// Takes outputs that no option names.
void take_outputs(CallFiles& files, const std::vector<std::string>& outputs) {
  files.outputs.clear();
  for (const std::string& output : outputs) files.outputs.push_back({output, output});
}

}  // namespace

void refuse_to_lose_files(const std::vector<OutputFile>& outputs,
                          const std::vector<std::string>& inputs) {
  CallFiles files;
  files.inputs = inputs;
  files.outputs = outputs;
  hold(files);
}

void expect_replaced_files(const Options& command) {
  const CallFiles files = named_files(command, false);
  for (const OutputFile& output : files.outputs) {
    if (is_file(output.path) && !may_be_run_table(output.path, files)) expect_replaced(output.path);
  }
}

void refuse_to_replace_table(const std::string& output, std::span<const std::string> inputs,
                             std::string_view header) {
  const bool is_there = is_file(output) && is_regular_file(output);
  if (!is_there || is_empty_file(output) || is_run_table(output, header)) return;
  CallFiles files;
  for (const std::string& input : inputs) take_traces(files, input);
  hold_against_trees(output, files.trees,
                     "which has other columns than the new run table; delete it if it is an older "
                     "one, else name another file");
}

void refuse_to_lose_files(const Program& program, const Options& command,
                          const std::vector<std::string>& outputs) {
  CallFiles files = files_of(program, command);
  take_outputs(files, outputs);
  hold(files);
}

void refuse_standard_input(const Options& command) {
  const auto given = command.given_values();
  for (const FileOption& option : kFileOptions) {
    const auto paths = given.find(std::string(option.name));
    const bool reads =
        paths != given.end() && option.use != Use::kWrites && option.use != Use::kFills;
    if (!reads || std::count(paths->second.begin(), paths->second.end(), "-") == 0) continue;
    throw DataError(fmt::format(
        "{} -: standard input belongs to the program that makes the call; give a path or a table",
        option.name));
  }
}

void refuse_to_lose_files(const Program& program, const Options& command, bool is_hosted) {
  const CallFiles files = files_of(program, command);
  hold(files);
  if (!is_hosted) hold_result(files);
}

}  // namespace scalelaw::cli
