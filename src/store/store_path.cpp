#include "store/store_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"

namespace scalelaw {
namespace {

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

[[noreturn]] void throw_not_opened(const std::string& path, int error_number) {
  throw DataError(
      fmt::format("{}: cannot be opened: {}", path, std::generic_category().message(error_number)));
}

std::string folder_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

/// Why the user may not write what `place` names, in the words of errno; 0 if he may.
int obstacle_to_writing(const std::string& place) {
  return ::faccessat(AT_FDCWD, place.c_str(), W_OK, AT_EACCESS) == 0 ? 0 : errno;
}

void refuse_obstacle(const std::string& path, int error_number) {
  if (error_number == 0) return;
  if (error_number == EROFS) {
    throw DataError(fmt::format("{}: the store cannot be written: its disk is read-only", path));
  }
  if (error_number == EACCES || error_number == EPERM) {
    throw DataError(fmt::format(
        "{}: the store cannot be written: check its permissions and those of its folder", path));
  }
  throw DataError(fmt::format("{}: the store cannot be written: {}", path,
                              std::generic_category().message(error_number)));
}

}  // namespace

void refuse_unreadable(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT) return;
    throw_not_opened(path, errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    throw DataError(
        fmt::format("{}: this is {}, and a study store is a file", path, kind_of(facts.st_mode)));
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw_not_opened(path, errno);
  ::close(descriptor);
}

void refuse_unwritable(const std::string& path) {
  // SQLite makes what a link leads to.
  const std::string place = place_of_output(path);
  struct stat facts {};
  if (::lstat(place.c_str(), &facts) == 0) return refuse_obstacle(path, obstacle_to_writing(place));
  const std::string folder = folder_of(place);
  if (::stat(folder.c_str(), &facts) != 0) {
    throw DataError(
        fmt::format("{}: the store cannot be made: there is no folder {}", path, folder));
  }
  refuse_obstacle(path, obstacle_to_writing(folder));
}

}  // namespace scalelaw
