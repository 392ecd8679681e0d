#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace scalelaw::test {

/// What a finished program left behind.
struct Outcome {
  int status;  ///< Exit status; 128 + signal where a signal ended it.
  std::string out;
  std::string err;
};

/// Runs a program (no shell in between) with `folder` as its working folder and `input` on standard
/// input.
///
/// @param environment  "NAME=value" entries that replace or extend the inherited ones.
/// @throws std::system_error if it cannot be started.
Outcome run_command(std::span<const std::string> words, const std::filesystem::path& folder,
                    const std::string& input = {}, std::span<const std::string> environment = {});

/// The whole of a file, byte for byte. @throws std::runtime_error if it cannot be read.
std::string read_bytes(const std::filesystem::path& path);

/// Writes a file, byte for byte. @throws std::runtime_error if it cannot be written.
void write_bytes(const std::filesystem::path& path, const std::string& bytes);

/// A folder of its own below the system's temporary folder, removed with everything in it at the
/// end.
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
