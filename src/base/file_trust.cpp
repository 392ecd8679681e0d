#include "scalelaw/base/file_trust.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace scalelaw {
namespace {

namespace fs = std::filesystem;

bool others_may_write(const struct stat& facts) {
  const bool is_sticky_folder = S_ISDIR(facts.st_mode) && (facts.st_mode & S_ISVTX) != 0;
  if (is_sticky_folder) return false;
  const bool is_own_group = facts.st_gid == 0 || facts.st_gid == ::geteuid();
  const bool group_may = (facts.st_mode & S_IWGRP) != 0 && !is_own_group;
  return group_may || (facts.st_mode & S_IWOTH) != 0;
}

std::string foreign_hand_on_one(const fs::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return "";
  if (facts.st_uid != ::geteuid() && facts.st_uid != 0) {
    return path.string() + " belongs to another user";
  }
  return others_may_write(facts) ? "others may write to " + path.string() : "";
}

std::string foreign_hand_on_chain(fs::path path) {
  for (;;) {
    std::string found = foreign_hand_on_one(path);
    if (!found.empty() || !path.has_relative_path()) return found;
    path = path.parent_path();
  }
}

}  // namespace

std::string foreign_hand_on(const std::string& path) {
  std::error_code error;
  const fs::path named = fs::absolute(path, error).lexically_normal();
  if (error) return "";
  const fs::path real = fs::weakly_canonical(named, error);
  std::string found = foreign_hand_on_chain(named);
  if (found.empty() && !error && real != named) found = foreign_hand_on_chain(real);
  return found;
}

}  // namespace scalelaw
