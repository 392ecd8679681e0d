#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

namespace scalelaw::test {

/// While it lives, this process reads `bytes` from its standard input, through a pipe.
class PipedInput {
 public:
  explicit PipedInput(std::string bytes) : saved_(dup(STDIN_FILENO)) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    writer_ = std::thread([bytes = std::move(bytes), out = ends[1]] {
      for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t put = write(out, bytes.data() + at, bytes.size() - at);
        if (put <= 0) break;
        at += static_cast<std::size_t>(put);
      }
      close(out);
    });
  }
  /// All bytes must have been read by now.
  ~PipedInput() {
    writer_.join();
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }
  PipedInput(const PipedInput&) = delete;
  PipedInput& operator=(const PipedInput&) = delete;

 private:
  int saved_;
  std::thread writer_;
};

/// The same through a file.
class FileAsInput {
 public:
  explicit FileAsInput(const std::filesystem::path& path) : saved_(dup(STDIN_FILENO)) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) std::abort();
    dup2(file, STDIN_FILENO);
    close(file);
  }
  ~FileAsInput() {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }
  FileAsInput(const FileAsInput&) = delete;
  FileAsInput& operator=(const FileAsInput&) = delete;

 private:
  int saved_;
};

}  // namespace scalelaw::test
