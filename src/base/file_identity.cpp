#include "scalelaw/base/file_identity.hpp"

#include <sys/stat.h>

namespace scalelaw {

FileIdentity identity_of(const struct stat& facts) {
  return {.device = facts.st_dev, .inode = facts.st_ino};
}

std::optional<FileIdentity> regular_file_at(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return identity_of(facts);
}

std::optional<FileIdentity> regular_file_behind(int descriptor) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return identity_of(facts);
}

}  // namespace scalelaw
