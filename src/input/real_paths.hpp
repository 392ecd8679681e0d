#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

namespace scalelaw {

/// Paths that are the same where files are: absolute, without links. Folders are resolved once. Any
/// thread may ask.
class RealPaths {
 public:
  std::string of(const std::string& path) const;

 private:
  std::string of_folder(const std::string& folder) const;

  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::string> folders_;
};

}  // namespace scalelaw
