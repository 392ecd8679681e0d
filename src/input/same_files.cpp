#include "input/same_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

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

constexpr std::size_t kHashed = std::size_t{128} << 10;  ///< Bytes at either end.

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
void add_block(ContentHash& hash, int descriptor, std::uint64_t at) {
  std::vector<char> block(kHashed);
  const ssize_t got = ::pread(descriptor, block.data(), block.size(), static_cast<off_t>(at));
  if (got > 0) hash.add({block.data(), static_cast<std::size_t>(got)});
}

std::string hash_of_ends(const std::string& path, std::uint64_t bytes) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return "";
  ContentHash hash;
  add_block(hash, descriptor, 0);
  if (bytes > kHashed) add_block(hash, descriptor, bytes - kHashed);
  ::close(descriptor);
  return hash.hex_digest();
}

FileVersion version_of(const std::string& path) {
  const auto state = state_of_file(path);
  if (!state) return {};
  if (InputFile(path).container() != nullptr) return {.exists = true};
  return {true, state->bytes, state->mtime_ns, hash_of_ends(path, state->bytes)};
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unnamed host";
}

/// What tells two versions apart; empty if nothing does.
std::string difference(const FileVersion& first, const FileVersion& other) {
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
  for (const std::string& path : paths) own.files.push_back(version_of(path));
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
