#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "support/exact_text.hpp"

namespace scalelaw::fuzz {

/// A file in memory that read_runs opens by its path.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("table", MFD_CLOEXEC)) {
    if (descriptor_ < 0) std::abort();
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void assign(std::string_view bytes) {
    if (ftruncate(descriptor_, 0) != 0) std::abort();
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t put =
          pwrite(descriptor_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
      if (put <= 0) std::abort();
      at += static_cast<std::size_t>(put);
    }
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// The whole outcome of a reading, or the message if it fails. Only Error may escape.
inline std::string outcome_of(const MemoryFile& file, RunOptions options, int threads) {
  options.threads = threads;
  const std::vector<std::string> inputs = {file.path()};
  std::string out;
  try {
    const GroupedCells runs = read_runs(inputs, options);
    out = test::exact_text(runs);
    for (const auto& message : runs.bad_rows()) out += '\n' + message;
  } catch (const Error& error) {
    out = std::string("error: ") + error.what();
  }
  return out;
}

inline void expect_same(const std::string& a, const std::string& b, const char* what) {
  if (a == b) return;
  std::fprintf(stderr, "%s\n--- first\n%s\n--- second\n%s\n", what, a.c_str(), b.c_str());
  std::abort();
}

}  // namespace scalelaw::fuzz
