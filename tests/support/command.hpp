#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace scalelaw::test {

/// The results of a finished program.
struct CallResult {
  int status;  ///< Exit status, or 128 + signal if a signal ended it.
  std::string out;
  std::string err;
};

/// Runs a program without a shell, with `folder` as its working folder and `input` on standard
/// input.
///
/// @param environment  "NAME=value" entries that replace or extend the inherited ones.
/// @throws std::system_error if it cannot be started.
CallResult run_command(std::span<const std::string> words, const std::filesystem::path& folder,
                       const std::string& input = {},
                       std::span<const std::string> environment = {});

/// The whole of a file, byte for byte. @throws std::runtime_error if it cannot be read.
std::string read_bytes(const std::filesystem::path& path);

/// Writes a file, byte for byte. @throws std::runtime_error if it cannot be written.
void write_bytes(const std::filesystem::path& path, const std::string& bytes);

/// A new folder below the system's temporary folder, removed with its content at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace scalelaw::test
