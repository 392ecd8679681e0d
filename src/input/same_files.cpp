#include "input/same_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <tuple>
#include <vector>

#include "base/bytes.hpp"
#include "base/content_hash.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {
namespace {

/// The bytes at either end of a file that are compared: so many that all files together cost
/// little.
std::size_t hashed_bytes(std::size_t files) {
  constexpr std::size_t kMost = std::size_t{128} << 10;
  constexpr std::size_t kLeast = std::size_t{4} << 10;
  constexpr std::size_t kOfAll = std::size_t{64} << 20;
  return std::clamp(kOfAll / std::max<std::size_t>(files, 1), kLeast, kMost);
}

/// What a rank sees at a path.
struct FileVersion {
  bool exists = false;
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;
  std::string hash = {};
};

auto parts_of(FileVersion& file) {
  return std::tie(file.exists, file.bytes, file.mtime_ns, file.hash);
}
auto parts_of(const FileVersion& file) {
  return std::tie(file.exists, file.bytes, file.mtime_ns, file.hash);
}

/// All files that a rank sees, and where it runs.
struct RankView {
  std::string host;
  std::vector<FileVersion> files = {};
};

auto parts_of(RankView& view) { return std::tie(view.host, view.files); }
auto parts_of(const RankView& view) { return std::tie(view.host, view.files); }

/// Adds what a file has at a place. A file that cannot be read there is found by its reader.
void add_block(ContentHash& hash, int descriptor, std::uint64_t at, std::size_t bytes) {
  std::vector<char> block(bytes);
  const ssize_t got = ::pread(descriptor, block.data(), block.size(), static_cast<off_t>(at));
  if (got > 0) hash.add({block.data(), static_cast<std::size_t>(got)});
}

std::string hash_of_ends(const std::string& path, std::uint64_t bytes, std::size_t hashed) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return "";
  ContentHash hash;
  add_block(hash, descriptor, 0, hashed);
  if (bytes > hashed) add_block(hash, descriptor, bytes - hashed, hashed);
  ::close(descriptor);
  return hash.hex_digest();
}

/// A file that cannot be read is none, and is found by its reader.
bool is_container(const std::string& path) {
  try {
    return InputFile(path).container() != nullptr;
  } catch (const Error&) {
    return false;
  }
}

FileVersion version_of(const std::string& path, std::size_t hashed) {
  const auto state = state_of_file(path);
  if (!state) return {};
  if (is_container(path)) return {.exists = true};
  return {true, state->bytes, state->mtime_ns, hash_of_ends(path, state->bytes, hashed)};
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unnamed host";
}

/// What tells two versions apart; empty if nothing does.
std::string difference(const FileVersion& first, const FileVersion& other) {
  if (!first.exists && !other.exists) return "";
  if (!other.exists) return "there is no such file";
  if (first.bytes != other.bytes) {
    return fmt::format("it has {} bytes instead of {}", other.bytes, first.bytes);
  }
  if (first.hash != other.hash) return "its content differs";
  if (first.mtime_ns != other.mtime_ns) return "its time stamp differs";
  return "";
}

}  // namespace

void refuse_different_files(Ranks& ranks, std::span<const std::string> paths) {
  RankView own{.host = host_name()};
  const std::size_t hashed = hashed_bytes(paths.size());
  for (const std::string& path : paths) own.files.push_back(version_of(path, hashed));
  const std::vector<std::string> views = ranks.gather(written(own));
  for (std::size_t rank = 1; rank < views.size(); ++rank) {
    const auto other = read_from<RankView>(views[rank]);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const std::string differs = difference(own.files[i], other.files[i]);
      if (differs.empty()) continue;
      throw DataError(fmt::format(
          "{}: rank {} on {} sees another file than rank 0 on {}: {}; give all ranks one file, or "
          "copies that keep its time stamp (cp -p, sbcast -p)",
          paths[i], rank, other.host, own.host, differs));
    }
  }
}

}  // namespace scalelaw
