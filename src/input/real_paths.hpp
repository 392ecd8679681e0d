#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

namespace scalelaw {

/// Absolute paths without links, which are equal if the files are the same. Folders are resolved
/// once. Any thread may call it.
class RealPaths {
 public:
  std::string of(const std::string& path) const;

 private:
  std::string of_folder(const std::string& folder) const;

  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::string> folders_;
};

}  // namespace scalelaw
