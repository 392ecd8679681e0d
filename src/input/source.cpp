#include "scalelaw/input/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <new>

#include "base/errors.hpp"
#include "input/container.hpp"
#include "input/folder_reader.hpp"
#include "input/gzip_members.hpp"
#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/file_bytes.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/memory_table.hpp"

namespace scalelaw {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileBlock = 64 << 10;

/// The name of a file without folders and the ending of its compression.
fs::path uncompressed_name(const std::string& path) {
  const fs::path name = fs::path(path).filename();
  return name.extension() == ".gz" || name.extension() == ".zst" ? name.stem() : name;
}

/// Whether an ending is that of a job's output under PBS or SGE: ".o1234", ".e1234".
bool is_stream_of_job(std::string_view ending) {
  const bool is_stream = ending.starts_with(".o") || ending.starts_with(".e");
  return is_stream && ending.size() > 2 &&
         ending.find_first_not_of("0123456789", 2) == std::string_view::npos;
}

/// Whether a file beside the results of asv describes them and holds none.
bool describes_asv_results(const fs::path& file) {
  std::error_code error;
  if (file.filename() == "machine.json") {
    return fs::exists(file.parent_path().parent_path() / "benchmarks.json", error);
  }
  if (file.filename() != "benchmarks.json") return false;
  FolderReader folders(file.parent_path());
  while (const auto entry = folders.next()) {
    if (fs::exists(entry->path() / "machine.json", error)) return true;
  }
  return false;
}

bool is_name_of(FolderFiles kind, const fs::path& path) {
  const fs::path ending = uncompressed_name(path.string()).extension();
  if (ending == ".csv" || ending == ".tsv") return true;
  if (kind == FolderFiles::kTables && ending == ".parquet") return true;
  if (kind == FolderFiles::kDocuments) {
    return (ending == ".json" || ending == ".jsonl") && !describes_asv_results(path);
  }
  return kind == FolderFiles::kTraces &&
         (ending == ".txt" || ending == ".log" || may_be_of_a_run(path.string()));
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

/// Adds the files of a kind below a folder. Named pipes are left out, because opening one could
/// wait for ever. A folder that cannot be read is an error, or is reported to `findings`.
/// @param root  The folder that the user named; empty: this one.
void add_files_below(const fs::path& folder, FolderFiles kind, FolderFindings* findings,
                     std::vector<std::string>& files, const fs::path& root = {},
                     bool hidden = false) {
  FolderReader reader(folder, root);
  while (const auto entry = reader.next()) {
    const fs::path& path = entry->path();
    if (entry->is_folder()) {
      if (entry->is_link()) continue;
      add_files_below(path, kind, findings, files, root.empty() ? folder : root,
                      hidden || is_hidden(path));
    } else if (!entry->is_other() && is_name_of(kind, path)) {
      files.push_back(path.string());
    } else if (findings != nullptr && !hidden && !is_hidden(path) && entry->is_regular_file()) {
      findings->passed_over.push_back(path.string());
    }
  }
  if (!reader.error()) return;
  const std::string message =
      fmt::format("{}: cannot read the folder: {}", folder.string(), reader.error().message());
  if (findings == nullptr) throw DataError(message);
  findings->unreadable.push_back(message);
}

/// Helps a user who names a folder and means the study store in it, or logs that ingest reads.
std::string hint_at_others(const std::string& folder) {
  FolderReader reader(folder);
  while (const auto entry = reader.next()) {
    const std::string path = entry->path().string();
    const Container* container = container_at(path);
    if (container == nullptr) continue;
    return fmt::format("; {}s have to be named, as {}", container->kind, path);
  }
  std::vector<std::string> others;
  FolderFindings unread;
  add_files_below(folder, FolderFiles::kTraces, &unread, others);
  return others.empty() ? ""
                        : fmt::format("; 'scalelaw ingest {}' makes a table of traces and logs",
                                      shell_word(folder));
}

void add_folder(const std::string& folder, FolderFiles kind, FolderFindings* findings,
                std::vector<std::string>& files) {
  const std::size_t before = files.size();
  const std::size_t unread = findings == nullptr ? 0 : findings->unreadable.size();
  add_files_below(folder, kind, findings, files);
  // Among tables, documents are settings and results of others.
  if (kind == FolderFiles::kTables && files.size() == before) {
    add_files_below(folder, FolderFiles::kDocuments, findings, files);
  }
  if (files.size() > before || (findings != nullptr && findings->unreadable.size() > unread))
    return;
  throw data_error("{}: there are no {} below this folder{}", folder,
                   kind == FolderFiles::kTables ? "CSV files" : "traces or logs",
                   kind == FolderFiles::kTables ? hint_at_others(folder) : "");
}

/// Keeps the first of files that are named several times, even by other spellings or links.
/// @param call  Is told of the others, unless it is null.
void keep_each_once(std::vector<std::string>& files, CallContext* call) {
  if (files.size() < 2) return;
  const RealPaths paths;
  std::map<std::string, std::string> first_names;
  std::erase_if(files, [&](const std::string& file) {
    const auto [first, is_new] = first_names.emplace(paths.of(file), file);
    if (!is_new && call != nullptr) call->note_repeated(file, first->second);
    return !is_new;
  });
}

bool has_wildcard(const std::string& name) {
  return name.find_first_of("*?[") != std::string::npos;
}

/// The files and folders that fit a pattern.
std::vector<std::string> matches_of(const std::string& pattern) {
  std::vector<std::string> matches;
  glob_t found{};
  errno = 0;
  const int status = glob(pattern.c_str(), 0, nullptr, &found);
  const bool lacks_memory = status == GLOB_NOSPACE || (status != 0 && errno == ENOMEM);
  for (std::size_t i = 0; status == 0 && i < found.gl_pathc; ++i)
    matches.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  if (lacks_memory) throw std::bad_alloc();
  if (status != 0) throw data_error("{}: no file matches this pattern", pattern);
  return matches;
}

void add_file_or_folder(const std::string& path, FolderFiles kind, FolderFindings* findings,
                        std::vector<std::string>& files) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    add_folder(path, kind, findings, files);
  } else {
    files.push_back(path);
  }
}

std::string system_message() { return std::strerror(errno); }

/// Whether keep_standard_input() was called: one state, as a process has one standard input.
bool standard_input_is_kept = false;

/// What standard input read before it was kept.
std::optional<FileIdentity> kept_file;

/// Whatever makes a call read a file, its outputs must not replace it.
void refuse_replaced(const std::string& name, int descriptor, const FileIdentity& file) {
  const CallContext* const call = current_call();
  if (call == nullptr || !call->will_replace(file)) return;
  if (descriptor != STDIN_FILENO) ::close(descriptor);
  throw data_error(
      "{0}: the call reads this file, and its output would replace it; name another output", name);
}

const Container* container_of(std::string_view first_bytes) {
  for (const Container* container : containers()) {
    if (first_bytes.starts_with(container->magic)) return container;
  }
  return nullptr;
}

Compression compression_of(std::string_view first_bytes) {
  if (first_bytes.starts_with("\x1f\x8b")) return Compression::kGzip;
  if (first_bytes.starts_with("\x28\xb5\x2f\xfd")) return Compression::kZstd;
  return Compression::kNone;
}

/// "study.db@LABEL": a file, and the label of a text in it.
struct Labelled {
  std::string file;
  std::string label;
};

/// Divides a path at its @. Empty if a file has the whole name, or none has the name before the @.
std::optional<Labelled> labelled(const std::string& path) {
  std::error_code error;
  const std::size_t at = path.rfind('@');
  if (at == std::string::npos || at == 0 || fs::exists(path, error)) return std::nullopt;
  Labelled text{path.substr(0, at), path.substr(at + 1)};
  if (!is_regular_file(text.file)) return std::nullopt;
  return text;
}

[[noreturn]] void refuse_label(const std::string& name, const std::string& file) {
  std::string kinds;
  for (const Container* container : containers()) {
    if (container->labelled.empty()) continue;
    kinds += fmt::format("{}{}, which could keep {}", kinds.empty() ? "" : ", or ", container->kind,
                         container->labelled);
  }
  throw data_error("{}: {} is no {}", name, file, kinds);
}

/// Reads until `count` bytes are there or none is left; read_some(out, count) is the system's call.
template <class Read>
std::size_t read_fully(const std::string& name, char* out, std::size_t count, Read read_some) {
  std::size_t have = 0;
  while (have < count) {
    const ssize_t got = read_some(out + have, count - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw data_error("{}: cannot be read: {}", name, system_message());
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  if (CallContext* const call = current_call()) call->note_read(have);
  return have;
}

std::size_t read_next(const std::string& name, int descriptor, char* out, std::size_t count) {
  return read_fully(name, out, count, [descriptor](char* to, std::size_t bytes) {
    return ::read(descriptor, to, bytes);
  });
}

/// The bytes of a file as they are. If it cannot be read again, the bytes peeked at come first.
class PlainStream : public ByteStream {
 public:
  explicit PlainStream(const InputFile& file) : file_(file) {}

  std::size_t read(char* out, std::size_t count) override {
    if (file_.seekable()) {
      const std::size_t got = file_.read_at(out, count, consumed_);
      consumed_ += got;
      return got;
    }
    const auto first = file_.first_bytes();
    if (consumed_ < first.size()) {
      const std::size_t part = std::min<std::size_t>(count, first.size() - consumed_);
      std::memcpy(out, first.data() + consumed_, part);
      consumed_ += part;
      return part;
    }
    const std::size_t got = read_next(file_.name(), file_.descriptor(), out, count);
    consumed_ += got;
    return got;
  }
  std::uint64_t consumed() const override { return consumed_; }

 private:
  const InputFile& file_;
  std::uint64_t consumed_ = 0;
};

class TextStream final : public ByteStream {
 public:
  TextStream(std::string_view text, ByteStream* rest) : text_(text), rest_(rest) {}

  std::size_t read(char* out, std::size_t count) override {
    if (text_.empty()) return rest_ == nullptr ? 0 : rest_->read(out, count);
    const std::size_t part = text_.copy(out, count);
    text_.remove_prefix(part);
    return part;
  }
  std::uint64_t consumed() const override { return rest_ == nullptr ? 0 : rest_->consumed(); }

 private:
  std::string_view text_;
  ByteStream* rest_;
};

/// The table in memory that a file stands for, or null. Messages call standard input by another
/// name than the call does.
const MemoryTable* table_behind(const InputFile& file) {
  if (file.descriptor() >= 0) return nullptr;
  const MemoryTable* const table = memory_table(file.name());
  return table != nullptr ? table : memory_table("-");
}

/// The bytes of a file as they are.
std::unique_ptr<ByteStream> plain_stream(const InputFile& file) {
  const MemoryTable* const table = table_behind(file);
  if (table != nullptr && table->text) return std::make_unique<TextStream>(*table->text, nullptr);
  return std::make_unique<PlainStream>(file);
}

/// What the streams of compressed files share.
class CompressedStream : public ByteStream {
 public:
  explicit CompressedStream(const InputFile& file) : in_(plain_stream(file)), name_(file.name()) {}
  std::uint64_t consumed() const override { return in_->consumed(); }

 protected:
  /// Reads the next block of the file; 0 at its end.
  std::size_t refill() { return in_->read(buffer_.data(), buffer_.size()); }
  [[noreturn]] void refuse(std::string_view what) const { throw data_error("{}: {}", name_, what); }

  std::vector<char> buffer_ = std::vector<char>(kFileBlock);

 private:
  std::unique_ptr<ByteStream> in_;
  const std::string& name_;
};

/// gzip, which may have several members in a row.
class GzipStream final : public CompressedStream {
 public:
  using CompressedStream::CompressedStream;

  std::size_t read(char* out, std::size_t count) override {
    std::span<char> room(out, count);
    while (!room.empty()) {
      if (input_.empty()) {
        input_ = {buffer_.data(), refill()};
        if (input_.empty() && members_.is_inside_member())
          refuse("truncated gzip data: the file ends too early; copy it again");
        if (input_.empty()) break;
      }
      inflate_to(room);
    }
    return count - room.size();
  }

 private:
  void inflate_to(std::span<char>& room) try {
    members_.inflate(input_, room);
  } catch (const DamagedGzip& damage) {
    refuse(damage.what());
  }

  GzipMembers members_;
  std::span<const char> input_;
};

class ZstdStream final : public CompressedStream {
 public:
  explicit ZstdStream(const InputFile& file) : CompressedStream(file), zstd_(ZSTD_createDStream()) {
    if (zstd_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdStream() override { ZSTD_freeDStream(zstd_); }
  ZstdStream(const ZstdStream&) = delete;
  ZstdStream& operator=(const ZstdStream&) = delete;

  std::size_t read(char* out, std::size_t count) override {
    ZSTD_outBuffer output{out, count, 0};
    while (output.pos < output.size) {
      if (input_.pos == input_.size) {
        input_ = {buffer_.data(), refill(), 0};
        if (input_.size == 0 && inside_frame_)
          refuse("truncated zstd data: the file ends too early; copy it again");
        if (input_.size == 0) break;
      }
      const std::size_t hint = ZSTD_decompressStream(zstd_, &output, &input_);
      if (ZSTD_isError(hint) != 0) {
        refuse(fmt::format("damaged zstd data: {}; copy the file again", ZSTD_getErrorName(hint)));
      }
      inside_frame_ = hint != 0;
    }
    return output.pos;
  }

 private:
  ZSTD_DStream* zstd_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool inside_frame_ = false;
};

FileState state_of(const struct stat& facts) {
  return {static_cast<std::uint64_t>(facts.st_size),
          std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec,
          static_cast<std::uint64_t>(facts.st_ino)};
}

std::unique_ptr<ByteStream> open_container(const InputFile& file) {
  const Container& container = *file.container();
  const auto text = labelled(file.name());
  const std::string& path = text ? text->file : file.name();
  if (file.descriptor() < 0 || !is_regular_file(path)) {
    throw data_error("{}: a {} cannot be read from a pipe; name the file", file.name(),
                     container.kind);
  }
  return container.open(path, file.label() ? &*file.label() : nullptr);
}

}  // namespace

bool may_be_of_a_run(const std::string& path) {
  constexpr std::array kEndings{".out", ".output", ".err", ".json", ".jsonl", ".prom", ".wandb"};
  const fs::path name = uncompressed_name(path);
  return std::ranges::find(kEndings, name.extension()) != kEndings.end() ||
         is_stream_of_job(name.extension().string()) || name == "meta.yaml" ||
         name == "mlflow.db" || name == "mlruns.db" ||
         name.string().find("tfevents") != std::string::npos ||
         name.string().starts_with("events.");
}

std::vector<std::string> expand_inputs(std::span<const std::string> inputs, FolderFiles kind,
                                       FolderFindings* findings, NamedTwice twice) {
  if (inputs.empty())
    throw DataError("no input: name a CSV file, a folder, or - for standard input");
  std::vector<std::string> files;
  bool standard_input = false;
  for (const auto& input : inputs) {
    if (input == "-") {
      standard_input = true;
    } else if (input_exists(input)) {
      add_file_or_folder(input, kind, findings, files);
    } else if (has_wildcard(input)) {
      for (const std::string& match : matches_of(input)) {
        add_file_or_folder(match, kind, findings, files);
      }
    } else {
      throw data_error("{}: no such file or folder", input);
    }
  }
  std::ranges::sort(files);
  keep_each_once(files, twice == NamedTwice::kTold ? current_call() : nullptr);
  if (standard_input) files.emplace_back("-");
  return files;
}

std::vector<std::string> tables_to_read(std::span<const std::string> inputs) {
  return expand_inputs(inputs, FolderFiles::kTables, nullptr, NamedTwice::kTold);
}

bool is_regular_file(const std::string& path) {
  if (memory_table(path) != nullptr) return true;  // It can be read again.
  std::error_code error;
  return path == "-" ? standard_input_is_kept : fs::is_regular_file(path, error);
}

std::optional<std::string> first_regular_file(std::span<const std::string> inputs) {
  std::string first = expand_inputs(inputs).front();
  return is_regular_file(first) ? std::optional(std::move(first)) : std::nullopt;
}

std::optional<FileIdentity> file_of_standard_input() {
  return standard_input_is_kept ? kept_file : regular_file_behind(STDIN_FILENO);
}

std::string keep_standard_input() {
  const auto fail = [](std::string_view what) {
    throw data_error("standard input: {}: {}", what, system_message());
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> copy(std::tmpfile(), &std::fclose);
  if (!copy) fail("no temporary file can be made to keep it in");
  kept_file = file_of_standard_input();
  std::vector<char> block(kFileBlock);
  while (const std::size_t count =
             read_next(input_name("-"), STDIN_FILENO, block.data(), block.size())) {
    if (std::fwrite(block.data(), 1, count, copy.get()) != count) fail("cannot be kept");
  }
  if (std::fflush(copy.get()) != 0 || ::dup2(::fileno(copy.get()), STDIN_FILENO) < 0) {
    fail("cannot be kept");
  }
  standard_input_is_kept = true;
  return "/dev/stdin";
}

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

bool input_exists(const std::string& path) {
  std::error_code error;
  return path == "-" || memory_table(path) != nullptr || fs::exists(path, error) ||
         labelled(path).has_value();
}

std::optional<std::string> input_label(const std::string& path) {
  if (memory_table(path) != nullptr) return std::nullopt;
  const auto text = labelled(path);
  return text ? std::optional(text->label) : std::nullopt;
}

const Container* container_at(const std::string& path) {
  if (memory_table(path) != nullptr || !is_regular_file(path)) return nullptr;
  return container_of(first_bytes_of(path, kMostMagic).value_or(""));
}

std::vector<std::string> unfinished_inputs(std::span<const std::string> paths) {
  std::vector<std::string> sentences;
  for (const std::string& path : paths) {
    const Container* container = container_at(path);
    if (container == nullptr) continue;
    if (auto sentence = container->unfinished(path)) sentences.push_back(*std::move(sentence));
  }
  return sentences;
}

std::optional<FileState> state_of_file(const std::string& path) {
  if (memory_table(path) != nullptr) return std::nullopt;
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return state_of(facts);
}

InputFile::InputFile(const std::string& path) : name_(input_name(path)), descriptor_(-1) {
  if (const MemoryTable* const table = memory_table(path)) {
    if (!table->text) return;
    const std::string_view begin = table->text->substr(0, kMostMagic);
    first_.assign(begin.begin(), begin.end());
    container_ = container_of(begin);
    compression_ = container_ != nullptr ? Compression::kContainer : compression_of(begin);
    return;
  }
  const auto text = path == "-" ? std::nullopt : labelled(path);
  if (text) label_ = text->label;
  const std::string& file = text ? text->file : path;
  descriptor_ = path == "-" ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw data_error("{}: cannot be opened: {}", name_, system_message());
  struct stat facts {};
  if (fstat(descriptor_, &facts) == 0 && S_ISREG(facts.st_mode)) {
    refuse_replaced(name_, descriptor_, identity_of(facts));
    state_ = state_of(facts);
    // Standard input may be at any place in its file, unless it is our copy.
    seekable_ = path != "-" || standard_input_is_kept;
  }
  first_.resize(kMostMagic);
  try {
    first_.resize(seekable_ ? read_at(first_.data(), first_.size(), 0)
                            : read_next(name_, descriptor_, first_.data(), first_.size()));
  } catch (...) {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
    throw;
  }
  const std::string_view begin(first_.data(), first_.size());
  container_ = container_of(begin);
  compression_ = container_ != nullptr ? Compression::kContainer : compression_of(begin);
  if (label_ && container_ == nullptr) {
    ::close(descriptor_);
    refuse_label(name_, file);
  }
  if (seekable_ && compression_ != Compression::kNone) {
    seekable_ = false;
    lseek(descriptor_, static_cast<off_t>(first_.size()), SEEK_SET);
  }
}

InputFile::~InputFile() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

std::size_t InputFile::read_at(char* out, std::size_t count, std::uint64_t offset) const {
  return read_fully(name_, out, count, [&](char* to, std::size_t bytes) {
    return ::pread(descriptor_, to, bytes, static_cast<off_t>(offset) + (to - out));
  });
}

void read_to(std::size_t bytes, ByteStream& stream, std::string& text) {
  // A small table needs no room for a large one, which the system would have to clear.
  constexpr std::size_t kLeastRoom = 4096;
  std::size_t have = text.size();
  while (have < bytes) {
    if (have == text.size()) text.resize(std::min(bytes, std::max(kLeastRoom, 2 * have)));
    const std::size_t got = stream.read(text.data() + have, text.size() - have);
    if (got == 0) break;
    have += got;
  }
  text.resize(have);
}

namespace {

/// Bytes that a document may take: a quarter of the machine's memory, or what this process may use.
std::size_t memory_for_documents() {
  static const std::size_t quarter =
      static_cast<std::size_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L)) *
      static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 4;
  std::size_t most = quarter;
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    most = std::min<std::size_t>(most, limit.rlim_cur);
  }
  return most;
}

}  // namespace

std::string whole_document(ByteStream& stream, std::string text, std::string_view name,
                           HeldAs held) {
  const std::size_t memory = memory_for_documents();
  const std::size_t most = memory / static_cast<std::size_t>(held);
  read_to(most + 1, stream, text);
  if (text.size() <= most) return text;
  throw data_error(
      "{}: a document of more than {} MB, which is read as a whole: that may take more than {} MB, "
      "{}; write its rows as CSV, which is read in parts",
      name, most >> 20, memory >> 20,
      "a quarter of this machine's memory or what --max-memory allows");
}

std::unique_ptr<ByteStream> stream_of(std::string_view text, ByteStream* rest) {
  return std::make_unique<TextStream>(text, rest);
}

std::unique_ptr<ByteStream> open_stream(const InputFile& file) {
  const MemoryTable* const table = table_behind(file);
  if (table != nullptr && !table->text) return open_memory_table(*table);
  switch (file.compression()) {
    case Compression::kGzip:
      return std::make_unique<GzipStream>(file);
    case Compression::kZstd:
      return std::make_unique<ZstdStream>(file);
    case Compression::kContainer:
      return open_container(file);
    case Compression::kNone:
      break;
  }
  return plain_stream(file);
}

}  // namespace scalelaw
