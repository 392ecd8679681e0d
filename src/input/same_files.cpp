#include "input/same_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <tuple>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/content_hash.hpp"
#include "input/container.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kBegin = std::size_t{4} << 10;  ///< Bytes that a growing file keeps.

/// The bytes at either end of a file that are compared. More files have shorter ends.
std::size_t hashed_bytes(std::size_t files) {
  constexpr std::size_t kMost = std::size_t{128} << 10;
  constexpr std::size_t kOfAll = std::size_t{64} << 20;
  return std::clamp(kOfAll / std::max<std::size_t>(files, 1), kBegin, kMost);
}

/// What a rank sees at a path.
struct FileVersion {
  bool exists = false;
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;
  std::string hash = {};    ///< Of both ends.
  std::string begin = {};   ///< Hash of the first kBegin bytes; empty if there are fewer.
  bool is_written = false;  ///< It changed a short time ago, and may go on to grow.
};

auto parts_of(FileVersion& file) {
  return std::tie(file.exists, file.bytes, file.mtime_ns, file.hash, file.begin, file.is_written);
}
auto parts_of(const FileVersion& file) {
  return std::tie(file.exists, file.bytes, file.mtime_ns, file.hash, file.begin, file.is_written);
}

/// All files that a rank sees, and where it runs.
struct RankView {
  std::string host;
  std::vector<FileVersion> files = {};  ///< Empty if another rank of the host looks at them.
};

auto parts_of(RankView& view) { return std::tie(view.host, view.files); }
auto parts_of(const RankView& view) { return std::tie(view.host, view.files); }

/// What a file has at a place. A file that cannot be read there is found by its reader.
std::string block_of(int descriptor, std::uint64_t at, std::size_t bytes) {
  std::string block(bytes, '\0');
  const ssize_t got = ::pread(descriptor, block.data(), block.size(), static_cast<off_t>(at));
  block.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return block;
}

bool is_container(std::string_view begin) {
  const auto kinds = containers();
  return std::ranges::any_of(kinds,
                             [&](const Container* kind) { return begin.starts_with(kind->magic); });
}

std::string hash_of(std::string_view first, std::string_view last) {
  ContentHash hash;
  hash.add(first);
  hash.add(last);
  return hash.hex_digest();
}

bool is_recent(std::int64_t mtime_ns) {
  constexpr std::int64_t kRecent_ns = std::int64_t{600} * 1'000'000'000;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - mtime_ns < kRecent_ns;
}

FileVersion version_of(const std::string& path, std::size_t hashed) {
  const auto state = state_of_file(path);
  if (!state) return {};
  FileVersion version{.exists = true, .bytes = state->bytes, .mtime_ns = state->mtime_ns};
  version.is_written = is_recent(state->mtime_ns);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return version;
  const std::string first = block_of(descriptor, 0, hashed);
  std::string last;
  if (state->bytes > hashed) last = block_of(descriptor, state->bytes - hashed, hashed);
  ::close(descriptor);
  if (is_container(first)) return {.exists = true};
  version.hash = hash_of(first, last);
  if (first.size() >= kBegin)
    version.begin = hash_of(std::string_view(first).substr(0, kBegin), "");
  return version;
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unnamed host";
}

/// What tells two versions apart; empty if nothing does.
std::string difference(const FileVersion& first, const FileVersion& other) {
  if (!first.exists && !other.exists) return "";
  if (!other.exists) return "there is no such file";
  if (!first.exists) return "it exists there alone";
  if (first.bytes != other.bytes) {
    return fmt::format("it has {} bytes instead of {}", other.bytes, first.bytes);
  }
  if (first.hash != other.hash) return "its content differs";
  if (first.mtime_ns != other.mtime_ns) return "its time stamp differs";
  return "";
}

/// Whether both may be one file that grows: it was written lately, and begins as it did.
bool may_grow(const FileVersion& first, const FileVersion& other) {
  const bool is_written = first.exists && other.exists && (first.is_written || other.is_written);
  const bool is_short = first.begin.empty() || other.begin.empty();
  return is_written && (is_short || first.begin == other.begin);
}

/// What this rank sees of the files.
std::vector<FileVersion> versions_of(std::span<const std::string> paths, int threads) {
  std::vector<FileVersion> files(paths.size());
  const std::size_t hashed = hashed_bytes(paths.size());
  parallel_for(threads, paths.size(),
               [&](std::size_t i, int /*worker*/) { files[i] = version_of(paths[i], hashed); });
  return files;
}

/// Compares on the leader what the ranks see.
void compare(Ranks& ranks, std::span<const std::string> paths, const RankView& own, bool growing) {
  const std::vector<std::string> views = ranks.gather(written(own));
  for (std::size_t rank = 1; rank < views.size(); ++rank) {
    const auto other = read_from<RankView>(views[rank]);
    for (std::size_t i = 0; i < other.files.size(); ++i) {
      const std::string differs = difference(own.files[i], other.files[i]);
      if (differs.empty() || (growing && may_grow(own.files[i], other.files[i]))) continue;
      throw DataError(fmt::format(
          "{}: rank {} on {} sees another file than rank 0 on {}: {}; give all ranks one file, or "
          "copies that keep its time stamp (cp -p, sbcast -p)",
          paths[i], rank, other.host, own.host, differs));
    }
  }
}

/// The files, or so many of them, spread evenly, that a file system opens them at once.
std::vector<std::string> some_of_many(std::span<const std::string> all) {
  constexpr std::size_t kMost = 1024;
  const std::size_t step = (all.size() + kMost - 1) / kMost;
  std::vector<std::string> some;
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

/// A rank, as a name that no other rank has.
using RankName = std::pair<std::string, std::int64_t>;

/// The first rank of each host.
std::vector<RankName> first_of_hosts(Ranks& ranks, const RankName& own) {
  std::vector<RankName> first;
  for (const std::string& bytes : ranks.gather(written(own))) {
    const auto name = read_from<RankName>(bytes);
    const auto is_of_host = [&](const RankName& one) { return one.first == name.first; };
    if (std::ranges::none_of(first, is_of_host)) first.push_back(name);
  }
  return read_from<std::vector<RankName>>(ranks.broadcast(written(first)));
}

}  // namespace

void refuse_different_files(Ranks& ranks, std::span<const std::string> paths) {
  compare(ranks, paths, {host_name(), versions_of(paths, 1)}, false);
}

void refuse_different_traces(Ranks& ranks, std::span<const std::string> all, int threads) {
  const std::vector<std::string> paths = some_of_many(all);
  const RankName own{host_name(), ::getpid()};
  const std::vector<RankName> first = first_of_hosts(ranks, own);
  if (first.size() < 2) return;  // One host sees one file.
  RankView view{.host = own.first};
  if (std::ranges::find(first, own) != first.end()) {
    view.files = versions_of(paths, threads);
  }
  compare(ranks, paths, view, true);
}

}  // namespace scalelaw
