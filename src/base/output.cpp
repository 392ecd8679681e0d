#include "scalelaw/base/output.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <utility>

#include "base/errors.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;

// Names of temporary files for the signal handler, which may neither allocate nor lock. If there
// are more outputs than slots, their destructors still remove them.
std::array<std::atomic<const char*>, 4> unfinished{};

void remember_unfinished(const char* name) {
  for (auto& slot : unfinished) {
    const char* none = nullptr;
    if (slot.compare_exchange_strong(none, name)) return;
  }
}

void forget_unfinished(const char* name) {
  for (auto& slot : unfinished) {
    const char* expected = name;
    if (slot.compare_exchange_strong(expected, nullptr)) return;
  }
}

std::string reason(int error_number) { return std::generic_category().message(error_number); }

std::string folder_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

/// A short name of its own, because the target's name plus a suffix might be too long.
std::string temporary_name(const std::string& folder) {
  static std::atomic<unsigned> serial{0};
  return fmt::format("{}/.scalelaw-{}-{}.part", folder, ::getpid(), serial.fetch_add(1));
}

/// Whether a name is one of temporary_name() whose process is gone, as far as this host sees.
bool is_of_ended_process(const char* name) {
  int process = 0;
  int length = 0;
  const int read = std::sscanf(name, ".scalelaw-%d-%*u.part%n", &process, &length);
  return read == 1 && length > 0 && name[length] == '\0' && process > 0 &&
         ::kill(process, 0) != 0 && errno == ESRCH;
}

/// Removes what calls left in a folder that were killed while they wrote, the first time that this
/// process writes there. Who writes, maybe on another host, has the lock of its file. Best effort.
void remove_left_behind(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> cleaned;
  const std::lock_guard lock(mutex);
  if (!cleaned.insert(folder).second) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  while (const dirent* const entry = open ? ::readdir(open.get()) : nullptr) {
    if (!is_of_ended_process(entry->d_name)) continue;
    const int at = ::dirfd(open.get());
    const int left = ::openat(at, entry->d_name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (left < 0) continue;
    if (::flock(left, LOCK_EX | LOCK_NB) == 0) ::unlinkat(at, entry->d_name, 0);
    ::close(left);
  }
}

/// Makes a rename survive a crash. Best effort: some file systems cannot sync folders.
void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

/// Another process may have made standard output a non-blocking pipe or terminal.
void wait_until_writable(int descriptor) {
  pollfd waiting{.fd = descriptor, .events = POLLOUT, .revents = 0};
  ::poll(&waiting, 1, -1);
}

}  // namespace

std::string place_of_output(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (real) return real.get();
  if (errno == ENOMEM) throw std::bad_alloc();
  constexpr int kMostLinks = 40;  // As many as Linux follows.
  std::error_code error;
  std::filesystem::path place = path;
  // What is there has a place of its own, even if it has no name: a pipe, a file that was removed.
  for (int i = 0; i < kMostLinks && !std::filesystem::exists(place, error); ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(place, error);
    if (error) break;
    place = place.parent_path() / target;
  }
  return place.string();
}

void write_output(const std::string& path, std::string_view bytes) {
  Output output(path);
  output.write(bytes);
  output.commit();
}

void remove_unfinished_outputs() noexcept {
  for (auto& slot : unfinished) {
    if (const char* name = slot.load()) ::unlink(name);
  }
}

Output::Output(const std::string& path)
    : descriptor_(STDOUT_FILENO), path_(path == "-" ? std::string() : path) {
  buffer_.reserve(kBufferBytes);
  if (path_.empty()) return;
  struct stat target {};
  if (::stat(path_.c_str(), &target) != 0 || S_ISREG(target.st_mode)) {
    open_regular();
  } else {
    open_special();
  }
}

Output::Output(std::function<void(std::string_view)> take)
    : descriptor_(-1), take_(std::move(take)) {}

Output::~Output() {
  if (path_.empty()) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget_unfinished(temporary_.c_str());
}

void Output::open_regular() {
  path_ = place_of_output(path_);
  const std::string folder = folder_of(path_);
  std::error_code none;
  if (!std::filesystem::is_directory(folder, none)) {
    throw data_error("cannot write {}: there is no folder {}", path_, folder);
  }
  struct stat older {};
  const bool exists = ::stat(path_.c_str(), &older) == 0;
  if (!exists && std::filesystem::is_symlink(path_, none)) fail(ELOOP);
  // Renaming would silently replace a write-protected file.
  if (exists && ::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
  remove_left_behind(folder);
  temporary_ = temporary_name(folder);
  remember_unfinished(temporary_.c_str());  // First, because a signal may come in between.
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    const int error_number = errno;
    forget_unfinished(temporary_.c_str());
    temporary_.clear();
    fail(error_number);
  }
  static_cast<void>(::flock(descriptor_, LOCK_EX | LOCK_NB));  // Until it is closed.
  if (exists) static_cast<void>(::fchmod(descriptor_, older.st_mode & 07777));
}

void Output::open_special() {
  if (std::filesystem::is_directory(path_)) {
    throw data_error("cannot write {}: it is a folder", path_);
  }
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(errno);
}

void Output::write(std::string_view bytes) {
  if (take_) return take_(bytes);
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() >= kBufferBytes) {
    write_through(bytes);
  } else {
    buffer_.append(bytes);
  }
}

void Output::flush() {
  write_through(buffer_);
  buffer_.clear();
}

void Output::write_through(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      throw ClosedPipe();
    } else if (errno == EAGAIN) {
      wait_until_writable(descriptor_);
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
}

void Output::settle() {
  if (take_ || (descriptor_ < 0 && buffer_.empty())) return;
  flush();
  if (path_.empty()) return;
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail(errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(errno);
}

void Output::commit() {
  settle();
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  forget_unfinished(temporary_.c_str());
  temporary_.clear();
  sync_folder(folder_of(path_));
}

bool Output::is_terminal() const { return !take_ && ::isatty(descriptor_) == 1; }

void Output::fail(int error_number) const {
  throw data_error("cannot write {}: {}", path_.empty() ? "standard output" : path_,
                   reason(error_number));
}

}  // namespace scalelaw
