#include "call_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "scalelaw/base/error.hpp"

namespace scalelaw::cli {
namespace {

struct FileOption {
  std::string_view name;
  FileUse use;
};

/// Every option of every command that names a file, by its long name.
constexpr std::array kFileOptions{
    FileOption{"INPUT", FileUse::kReads},           FileOption{"TRACE", FileUse::kReadsTraces},
    FileOption{"--base", FileUse::kReads},          FileOption{"--new", FileUse::kReads},
    FileOption{"--jobs", FileUse::kReads},          FileOption{"--laws", FileUse::kReads},
    FileOption{"--train", FileUse::kReads},         FileOption{"--power", FileUse::kReads},
    FileOption{"STORE", FileUse::kReadsOrKeeps},    FileOption{"--store", FileUse::kReadsOrKeeps},
    FileOption{"--output", FileUse::kWritesResult}, FileOption{"--also", FileUse::kWrites},
    FileOption{"--export", FileUse::kWrites},       FileOption{"--submissions", FileUse::kWrites},
    FileOption{"--traces", FileUse::kFills}};

}  // namespace

bool writes_file(std::string_view option) {
  const auto found = std::ranges::find(kFileOptions, option, &FileOption::name);
  return found != kFileOptions.end() && found->use != FileUse::kReads &&
         found->use != FileUse::kReadsTraces;
}

std::vector<CallFile> files_of(const Options& command) {
  std::vector<CallFile> files;
  const auto given = command.given_values();
  for (const auto& [name, use] : kFileOptions) {
    const auto paths = given.find(std::string(name));
    if (paths == given.end()) continue;
    for (const std::string& path : paths->second) files.push_back({path, paths->first, use});
  }
  return files;
}

void refuse_standard_input(const Options& command) {
  for (const CallFile& file : files_of(command)) {
    const bool reads = file.use == FileUse::kReads || file.use == FileUse::kReadsTraces ||
                       file.use == FileUse::kReadsOrKeeps;
    if (!reads || file.path != "-") continue;
    throw DataError(fmt::format(
        "{} -: standard input belongs to the program that makes the call; give a path or a table",
        file.option));
  }
}

}  // namespace scalelaw::cli
