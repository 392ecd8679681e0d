#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "scalelaw/base/ranks.hpp"
#include "scalelaw/input/source.hpp"

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

/// Calls find() on the leader and returns its files on every rank. Only one process can read pipes.
/// It then reads everything: `ranks` becomes nullptr there, and the others wait for its end.
template <class Find>
std::vector<std::string> shared_paths(Ranks*& ranks, const Find& find) {
  if (ranks == nullptr) return find();
  std::vector<std::string> paths;
  if (ranks->leads()) {
    paths = find();
    if (!std::ranges::all_of(paths, is_regular_file)) {
      ranks = nullptr;
      return paths;
    }
  }
  return read_from<std::vector<std::string>>(ranks->broadcast(written(paths)));
}

}  // namespace scalelaw
