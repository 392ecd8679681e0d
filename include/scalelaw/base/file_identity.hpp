#pragma once

#include <cstdint>
#include <optional>
#include <string>

struct stat;

namespace scalelaw {

/// Which file of the machine something is, under whatever name.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

FileIdentity identity_of(const struct stat& facts);

/// The regular file at a path or behind an open descriptor, links followed; empty for all else.
std::optional<FileIdentity> regular_file_at(const std::string& path);
std::optional<FileIdentity> regular_file_behind(int descriptor);

}  // namespace scalelaw
