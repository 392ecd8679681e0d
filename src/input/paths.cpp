#include "input/paths.hpp"

#include <unistd.h>

#include <filesystem>

namespace scalelaw {
namespace {

/// The absolute path without links, even for something that no longer exists.
std::string resolved(const std::string& path) {
  char real[PATH_MAX];
  if (::realpath(path.c_str(), real) != nullptr) return real;
  std::error_code error;
  const auto canonical = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  return error ? path : canonical.string();
}

}  // namespace

std::string RealPaths::of_folder(const std::string& folder) const {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = folders_.try_emplace(folder);
  if (is_new) known->second = resolved(folder);
  return known->second;
}

std::string RealPaths::of(const std::string& path) const {
  const std::size_t slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  char target;
  const bool is_link = ::readlink(path.c_str(), &target, 1) >= 0;
  if (is_link || name.empty() || name == "." || name == "..") return resolved(path);
  const std::string folder =
      of_folder(slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1)));
  return folder.ends_with('/') ? folder + name : folder + '/' + name;
}

}  // namespace scalelaw
