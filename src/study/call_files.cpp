#include "scalelaw/study/call_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/file_bytes.hpp"
#include "scalelaw/base/file_identity.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/store/side_files.hpp"

namespace scalelaw {
namespace {

namespace fs = std::filesystem;

/// The files of a call by their use.
struct CallFiles {
  std::string settings;
  std::vector<std::string> inputs;
  std::vector<std::string> trees;  ///< Folders and globs of traces.
  bool reads_traces = false;
  std::vector<std::string> stores;
  std::vector<CallFile> outputs;
  std::vector<CallFile> folders;  ///< That the call fills.
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
  const auto has = [&names](std::string_view name) { return contains(names, name); };
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

void hold_against_one_another(const std::vector<CallFile>& outputs) {
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_same_file(outputs[i].path, outputs[j].path)) continue;
      throw DataError(fmt::format("{}: both {} and {} would write this file; name two files",
                                  outputs[i].path, outputs[j].option, outputs[i].option));
    }
  }
}

void hold_standard_output(const std::vector<CallFile>& outputs) {
  const CallFile* first = nullptr;
  for (const CallFile& output : outputs) {
    if (output.path != "-") continue;
    if (first != nullptr) {
      throw DataError(
          fmt::format("both {} and {} would write to standard output; name a file for one of them",
                      first->option, output.option));
    }
    first = &output;
  }
}

void hold_against_folders(const CallFile& output, const std::vector<CallFile>& folders) {
  for (const CallFile& folder : folders) {
    if (!lies_within(output.path, folder.path)) continue;
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

void take(CallFiles& files, const CallFile& file) {
  switch (file.use) {
    case FileUse::kReads:  // As expanded_inputs() says.
      return;
    case FileUse::kReadsTraces:
      files.reads_traces = true;
      take_traces(files, file.path);
      return;
    case FileUse::kReadsOrKeeps:
      files.stores.push_back(file.path);
      return;
    case FileUse::kWrites:
    case FileUse::kWritesResult:
      files.outputs.push_back(file);
      return;
    case FileUse::kFills:
      files.folders.push_back(file);
  }
}

/// The inputs with the files behind folders and globs of tables, option by option.
std::vector<std::string> expanded_inputs(std::span<const CallFile> all) {
  std::map<std::string_view, std::vector<std::string>> inputs;
  for (const CallFile& file : all) {
    if (file.use == FileUse::kReads) inputs[file.option].push_back(file.path);
  }
  std::vector<std::string> files;
  for (const auto& [option, names] : inputs) {
    const std::vector<std::string> some = expanded(names, FolderFiles::kTables);
    files.insert(files.end(), some.begin(), some.end());
  }
  return files;
}

/// @param expands  Lists the files behind folders and globs of tables, which takes long where there
///                 are many.
CallFiles by_use(std::span<const CallFile> all, bool expands) {
  CallFiles files;
  for (const CallFile& file : all) take(files, file);
  if (!expands) return files;
  for (std::string& input : expanded_inputs(all)) files.inputs.push_back(std::move(input));
  return files;
}

/// A result that goes to standard output must not go into a file that the call reads, or writes
/// anew under its name.
void hold_result(const CallFiles& files) {
  const auto written = regular_file_behind(STDOUT_FILENO);
  const bool has_file = std::ranges::any_of(files.outputs, [](const CallFile& output) {
    return output.use == FileUse::kWritesResult && output.path != "-";
  });
  const bool fills_store = files.reads_traces && !files.stores.empty();
  if (!written || has_file || fills_store) return;
  for (const CallFile& output : files.outputs) {
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

}  // namespace

bool lies_within(const std::string& path, const std::string& folder) {
  const fs::path inner = place_of(path);
  const fs::path outer = place_of(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

void refuse_to_lose_files(std::span<const CallFile> all, const std::string& settings,
                          bool prints_result) {
  CallFiles files = by_use(all, true);
  files.settings = settings;
  hold_standard_output(files.outputs);
  std::vector<CallFile> outputs = files.outputs;
  std::erase_if(outputs, [](const CallFile& output) { return !is_file(output.path); });
  hold_against_one_another(outputs);
  for (const CallFile& output : outputs) {
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
  for (const CallFile& folder : files.folders) hold_against_databases(folder.path, files);
  if (prints_result) hold_result(files);
}

void expect_replaced_files(std::span<const CallFile> all) {
  const CallFiles files = by_use(all, false);
  for (const CallFile& output : files.outputs) {
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

}  // namespace scalelaw
