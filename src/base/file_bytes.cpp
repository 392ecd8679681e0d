#include "scalelaw/base/file_bytes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "scalelaw/base/file_identity.hpp"

namespace scalelaw {
namespace {

/// read(2), started again where a signal interrupted it.
ssize_t read_some(int descriptor, char* out, std::size_t count) {
  ssize_t got = -1;
  do {
    got = ::read(descriptor, out, count);
  } while (got < 0 && errno == EINTR);
  return got;
}

std::error_code last_error() { return {errno, std::generic_category()}; }

}  // namespace

std::error_code read_blocks(const std::string& path,
                            const std::function<bool(std::string_view)>& take) {
  struct Descriptor {
    int number;
    ~Descriptor() { ::close(number); }
  };
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) return last_error();
  std::array<char, std::size_t{16} << 10> block;
  while (true) {
    const ssize_t got = read_some(file.number, block.data(), block.size());
    if (got < 0) return last_error();
    if (got == 0 || !take({block.data(), static_cast<std::size_t>(got)})) return {};
  }
}

std::optional<std::string> first_bytes_of(const std::string& path, std::size_t count) {
  std::string bytes;
  const std::error_code error = read_blocks(path, [&](std::string_view block) {
    bytes.append(block.substr(0, count - bytes.size()));
    return bytes.size() < count;
  });
  return error ? std::nullopt : std::optional(std::move(bytes));
}

std::string beginning_of(const std::string& path, std::size_t count) {
  return regular_file_at(path) ? first_bytes_of(path, count).value_or("") : "";
}

}  // namespace scalelaw
