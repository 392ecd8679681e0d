#include "scalelaw/input/held_streams.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

std::optional<FileIdentity> pipe_behind(const InputFile& file) {
  struct stat facts {};
  if (::fstat(file.descriptor(), &facts) != 0) return std::nullopt;
  return identity_of(facts);
}

/// All bytes of a file as they are, from the first that was peeked at.
std::string bytes_of(const InputFile& file) {
  std::string bytes(file.first_bytes().begin(), file.first_bytes().end());
  std::array<char, std::size_t{64} << 10> block;
  for (;;) {
    refuse_cancelled();
    const ssize_t got = ::read(file.descriptor(), block.data(), block.size());
    if (got == 0) return bytes;
    if (got > 0) {
      bytes.append(block.data(), static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      throw DataError(fmt::format("{}: cannot be read: {}", file.name(), std::strerror(errno)));
    }
  }
}

}  // namespace

bool is_stream(const std::string& path) {
  if (is_regular_file(path)) return false;
  std::error_code error;
  return path == "-" ||
         (std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error));
}

HeldStreams::HeldStreams(CallContext& call) : call_(call) { call_.hold(&tables_); }

HeldStreams::~HeldStreams() { call_.hold(nullptr); }

void HeldStreams::hold(const std::string& name) {
  if (is_stream(name)) return hold_stream(name);
  if (input_exists(name)) return;
  for (const std::string& path : expand_inputs(std::vector{name})) {
    if (is_stream(path)) hold_stream(path);
  }
}

void HeldStreams::hold_stream(const std::string& path) {
  if (path == "-" && file_of_standard_input()) {  // A disk has room for it.
    keep_standard_input();
    return;
  }
  const InputFile file(path);
  const auto pipe = pipe_behind(file);
  const auto same =
      std::ranges::find_if(held_, [&pipe](const Held& one) { return pipe && one.pipe == pipe; });
  const Held& held = same != held_.end() ? *same : held_.emplace_back(Held{pipe, bytes_of(file)});
  tables_.at(path).text = held.bytes;
}

}  // namespace scalelaw
