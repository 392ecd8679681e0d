#include "call_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "scalelaw/base/error.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw::cli {
namespace {

namespace fs = std::filesystem;

/// How a command uses the files that an option names.
enum class Use {
  kReads,         ///< A table or document: also "study.db@LABEL", globs and folders.
  kReadsAsNamed,  ///< The same, but a folder of inputs may also take the output.
  kReadsOrKeeps,  ///< A study store.
  kWrites,
};

struct FileOption {
  std::string_view name;
  Use use;
};

/// Every option of every command that names a file, by its long name.
constexpr std::array kFileOptions{
    FileOption{"INPUT", Use::kReads},          FileOption{"TRACE", Use::kReadsAsNamed},
    FileOption{"--jobs", Use::kReadsAsNamed},  FileOption{"--laws", Use::kReadsAsNamed},
    FileOption{"--train", Use::kReadsAsNamed}, FileOption{"--power", Use::kReadsAsNamed},
    FileOption{"STORE", Use::kReadsOrKeeps},   FileOption{"--store", Use::kReadsOrKeeps},
    FileOption{"--output", Use::kWrites},      FileOption{"--also", Use::kWrites},
    FileOption{"--export", Use::kWrites},      FileOption{"--submissions", Use::kWrites}};

/// A file of the call, and the word that names it to the user.
struct OutputFile {
  std::string path;
  std::string option;
};

struct CallFiles {
  std::vector<std::string> inputs;
  std::vector<std::string> stores;
  std::vector<OutputFile> outputs;
};

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  const auto path = fs::weakly_canonical(fs::absolute(a), error);
  return path == fs::weakly_canonical(fs::absolute(b), error);
}

bool is_database(const std::string& path) {
  constexpr std::string_view kMagic = "SQLite format 3";
  if (!is_regular_file(path)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(kMagic.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file && begin == kMagic;
}

/// The database beside which SQLite keeps, or would keep, a file of this name; empty for others.
std::string database_of(const std::string& path) {
  for (const std::string_view ending : {"-wal", "-shm", "-journal"}) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return "";
}

std::string without_label(const std::string& input) {
  const auto label = input_label(input);
  return label ? input.substr(0, input.size() - label->size() - 1) : input;
}

[[noreturn]] void refuse(const std::string& output, std::string_view what) {
  throw DataError(fmt::format("{}: the output would replace {}; name another file", output, what));
}

void hold_against_stores(const std::string& output, const std::vector<std::string>& stores) {
  const std::string beside = database_of(output);
  for (const std::string& store : stores) {
    if (is_same_file(output, store) || is_same_file(beside, store)) {
      refuse(output, "this study store");
    }
  }
  if (is_database(output)) refuse(output, "this database");
  if (!beside.empty() && is_database(beside)) {
    refuse(output, fmt::format("this file, which SQLite keeps beside {}", beside));
  }
}

void hold_against_inputs(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (input == "-" || !is_same_file(output, without_label(input))) continue;
    refuse(output, "this input");
  }
}

void hold_against_standard_input(const std::string& output) {
  struct stat read {};
  struct stat written {};
  if (::fstat(STDIN_FILENO, &read) != 0 || !S_ISREG(read.st_mode)) return;
  if (::stat(output.c_str(), &written) != 0) return;
  if (read.st_dev == written.st_dev && read.st_ino == written.st_ino) {
    refuse(output, "the file that standard input reads");
  }
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

/// Outputs that are files on the disk, or will be.
bool is_file(const std::string& output) {
  return !output.empty() && output != "-" && (is_regular_file(output) || !fs::exists(output));
}

/// The files behind globs and folders. What cannot be read is told by the command that reads it.
std::vector<std::string> expanded(const std::vector<std::string>& inputs) {
  try {
    return expand_inputs(inputs);
  } catch (const Error&) {
    return inputs;
  }
}

void take(CallFiles& files, Use use, const OutputFile& file) {
  switch (use) {
    case Use::kReads:
    case Use::kReadsAsNamed:
      files.inputs.push_back(file.path);
      return;
    case Use::kReadsOrKeeps:
      files.stores.push_back(file.path);
      return;
    case Use::kWrites:
      files.outputs.push_back(file);
  }
}

void hold(const CallFiles& files) {
  std::vector<OutputFile> outputs = files.outputs;
  std::erase_if(outputs, [](const OutputFile& output) { return !is_file(output.path); });
  hold_against_one_another(outputs);
  for (const OutputFile& output : outputs) {
    hold_against_stores(output.path, files.stores);
    if (!is_regular_file(output.path)) continue;  // Nothing is there that could be lost.
    hold_against_inputs(output.path, files.inputs);
    hold_against_standard_input(output.path);
  }
}

}  // namespace

void refuse_to_lose_files(const std::vector<std::string>& outputs,
                          const std::vector<std::string>& inputs) {
  CallFiles files{.inputs = inputs, .stores = {}, .outputs = {}};
  for (const std::string& output : outputs) files.outputs.push_back({output, output});
  hold(files);
}

void refuse_standard_input(const Options& command) {
  const auto given = command.given_values();
  for (const FileOption& option : kFileOptions) {
    const auto paths = given.find(std::string(option.name));
    const bool reads = paths != given.end() && option.use != Use::kWrites;
    if (!reads || std::count(paths->second.begin(), paths->second.end(), "-") == 0) continue;
    throw DataError(fmt::format(
        "{} -: standard input belongs to the program that makes the call; give a path or a table",
        option.name));
  }
}

void refuse_to_lose_files(const Program& program, const Options& command) {
  CallFiles files{.inputs = {program.settings_file()}, .stores = {}, .outputs = {}};
  const auto given = command.given_values();
  for (const FileOption& option : kFileOptions) {
    const std::string name(option.name);
    const auto words = given.find(name);
    if (words == given.end()) continue;
    const auto paths = option.use == Use::kReads ? expanded(words->second) : words->second;
    for (const std::string& path : paths) take(files, option.use, {path, name});
  }
  hold(files);
}

}  // namespace scalelaw::cli
