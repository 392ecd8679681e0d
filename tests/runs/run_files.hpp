#pragma once

#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "support/command.hpp"

namespace scalelaw::test {

/// Tables as files in one folder.
class Files {
 public:
  explicit Files(const std::vector<std::string>& tables) {
    for (const auto& table : tables) add(table, ".csv");
  }
  void add(const std::string& bytes, const std::string& ending) {
    paths_.push_back(folder_.path() / ("table" + std::to_string(100 + paths_.size()) + ending));
    write_bytes(paths_.back(), bytes);
  }
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  TemporaryFolder folder_;
  std::vector<std::string> paths_;
};

/// Options that name x and y, and no groups.
inline RunOptions options_of(const std::string& x, const std::string& y) {
  RunOptions options;
  options.x = x;
  options.y = y;
  options.by_chosen = true;
  return options;
}

/// The message of the error that ends the reading.
inline std::string error_of_reading(const std::vector<std::string>& paths,
                                    const RunOptions& options) {
  try {
    read_runs(paths, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace scalelaw::test
