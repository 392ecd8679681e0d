#pragma once

#include <dirent.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
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

/// Whether a path is a link to something that lies outside of a folder.
bool leads_out(const std::filesystem::path& path, const std::filesystem::path& folder);

/// A name in a folder.
class FolderEntry {
 public:
  /// @param kind  As the folder tells it, without following a link; kNone if it does not.
  FolderEntry(std::filesystem::path path, std::filesystem::file_type kind)
      : path_(std::move(path)), kind_(kind) {}

  const std::filesystem::path& path() const { return path_; }
  bool is_link() const;
  // Of what a link leads to. No kind holds if it cannot be looked at.
  bool is_folder() const { return kind() == std::filesystem::file_type::directory; }
  bool is_regular_file() const { return kind() == std::filesystem::file_type::regular; }
  /// Whether it is there and neither file nor folder: a pipe, a socket, a device.
  bool is_other() const;

 private:
  std::filesystem::file_type kind() const;

  std::filesystem::path path_;
  std::filesystem::file_type kind_;
};

/// Reads the entries of a folder, in no order. Links that lead out of a folder are passed over, and
/// the call is told of them, so that nobody's tree has the texts of other places. The iterators of
/// the standard library are not used because they end the process where memory runs out.
class FolderReader {
 public:
  /// @param within  The folder that the user named; empty: this one.
  /// @throws std::bad_alloc
  explicit FolderReader(const std::filesystem::path& folder,
                        const std::filesystem::path& within = {});

  /// The next entry, without "." and ".."; empty after the last one, and where reading fails.
  /// @throws std::bad_alloc
  std::optional<FolderEntry> next();
  /// Why the folder could not be read, or not to its end.
  std::error_code error() const { return error_; }

 private:
  void note_failure(int error_number);
  bool is_link_out(const std::filesystem::path& path) const;

  struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
  };
  std::filesystem::path folder_;
  std::filesystem::path within_;
  std::error_code error_;
  std::unique_ptr<DIR, Close> handle_;
};

}  // namespace scalelaw
