// Bytes as a study store. Every reading of it gives an answer or an Error and changes nothing, and
// an ingest into it ends as well.

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "fuzz/reading.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/store/study_store.hpp"

namespace scalelaw::fuzz {
namespace {

/// A folder for the store, because SQLite writes files beside it.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "scalelaw-fuzz-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Writes a new store of these bytes.
  std::string store(std::string_view bytes) const {
    const std::string path = (path_ / "study.db").string();
    for (const char* tail : {"-wal", "-shm", "-journal"}) std::filesystem::remove(path + tail);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    return path;
  }

 private:
  std::filesystem::path path_;
};

std::string bytes_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Calls `look`, from which only Error may escape.
template <class Look>
void guarded(const Look& look) {
  try {
    look();
  } catch (const Error&) {
    return;
  }
}

void read_whole(const std::string& path) {
  const InputFile file(path);
  const auto stream = open_stream(file);
  std::string part(1 << 16, '\0');
  while (stream->read(part.data(), part.size()) > 0) continue;
}

void look_at(const std::string& path) {
  guarded([&] { read_whole(path); });
  guarded([&] { read_whole(path + "@one"); });
  guarded([&] {
    const StudyStore store(path, StudyStore::Access::kRead);
    guarded([&] { static_cast<void>(store.contents()); });
    guarded([&] { static_cast<void>(store.damage()); });
    guarded([&] { store.for_each_file([](const StoredFile&) {}); });
    guarded([&] { store.for_each_fits(std::nullopt, [](const auto&, const auto&) {}); });
  });
}

void check(std::string_view bytes) {
  static const Folder folder;
  const std::string path = folder.store(bytes);
  look_at(path);
  expect_same(std::string(bytes), bytes_in(path), "before and after reading");
  guarded([&] { StudyStore(path, StudyStore::Access::kWrite).ingest({}, IngestOptions()); });
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scalelaw::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
