#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/file_identity.hpp"

namespace scalelaw {

/// The files that a folder stands for, also if .gz or .zst follows these endings.
enum class FolderFiles {
  kTables,     ///< .csv, .tsv, .parquet; without any, documents.
  kDocuments,  ///< .json, .jsonl
  kTraces,     ///< .csv, .tsv, .txt, .log, and what may_be_of_a_run().
};

/// Whether a name in a tree of runs may be one that a trainer or tracker gives: .out, .json,
/// .jsonl, .prom, meta.yaml, mlflow.db, mlruns.db, events.*, *tfevents*, also with .gz or .zst.
/// Other files have such names, too, so that one with unknown content is no mistake.
bool may_be_of_a_run(const std::string& path);

/// What expand_inputs() meets in folders besides the files it looks for.
struct FolderFindings {
  std::vector<std::string> unreadable = {};   ///< A sentence per folder that cannot be read.
  std::vector<std::string> passed_over = {};  ///< Files of other kinds, but for hidden ones.
};

/// Whether the call is told of files that are named several times: by who reads their rows.
enum class NamedTwice { kSilent, kTold };

/// Expands a user's names into files. A name may be a file or named pipe, a quoted glob, a folder
/// (every file of that kind below it), or "-" for standard input. The result is sorted by path, has
/// each file once, and "-" last.
///
/// @param findings  Without it a folder that cannot be read is an error.
/// @throws DataError if a name fits no file or a folder holds none of the kind.
std::vector<std::string> expand_inputs(std::span<const std::string> inputs,
                                       FolderFiles kind = FolderFiles::kTables,
                                       FolderFindings* findings = nullptr,
                                       NamedTwice twice = NamedTwice::kSilent);

/// The tables behind a user's names whose rows are read: expand_inputs(), and the call is told of
/// files that are named several times.
/// @throws DataError as expand_inputs().
std::vector<std::string> tables_to_read(std::span<const std::string> inputs);

/// Whether a path leads to a file that can be read again: no pipe, standard input only if kept.
bool is_regular_file(const std::string& path);

/// The first file of the inputs, if it can be read again; else empty.
/// @throws DataError as expand_inputs().
std::optional<std::string> first_regular_file(std::span<const std::string> inputs);

/// Makes standard input readable repeatedly, from its first byte. The rest of it goes to a
/// temporary file without a name, which replaces it. Call this once, before anything is read.
/// @returns A path under which the original bytes can be opened.
/// @throws DataError if it cannot be read or there is no room.
std::string keep_standard_input();

/// The file that standard input reads, also after keep_standard_input(); empty for a pipe.
std::optional<FileIdentity> file_of_standard_input();

/// The name of an input in messages: its path, or "standard input".
std::string input_name(const std::string& path);

/// How the text of a file is wrapped.
enum class Compression {
  kNone,
  kGzip,
  kZstd,
  kContainer,  ///< A file that holds a run table and other texts, such as a study store.
};

/// Shows whether a file has changed, without reading it.
struct FileState {
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;  ///< Since the Unix epoch.
  std::uint64_t inode = 0;

  friend bool operator==(const FileState&, const FileState&) = default;
};
/// The state of the file at a path; empty if it is not accessible.
std::optional<FileState> state_of_file(const std::string& path);

/// Whether a path names something that can be opened: a file, a folder, or a text that a file such
/// as a study store holds under a label, "study.db@LABEL".
bool input_exists(const std::string& path);
/// The label of such a path. Empty for any other path, and for a file whose own name has an @.
std::optional<std::string> input_label(const std::string& path);
/// A sentence on each of the paths whose run table lacks something: an ingest into a study store
/// still runs, or was interrupted.
std::vector<std::string> unfinished_inputs(std::span<const std::string> paths);

struct Container;

/// An open file: its descriptor, and what its first bytes reveal.
class InputFile {
 public:
  /// @throws DataError if the file cannot be opened or read.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& name() const { return name_; }
  Compression compression() const { return compression_; }
  const Container* container() const { return container_; }  ///< Which kind; nullptr for others.
  /// A regular, uncompressed file: any part of it can be read at any time.
  bool seekable() const { return seekable_; }
  std::uint64_t size() const { return state_.bytes; }  ///< Bytes on disk; 0 for pipes.
  const FileState& state() const { return state_; }    ///< Its state when it was opened.
  /// The label after the @ of "study.db@LABEL".
  const std::optional<std::string>& label() const { return label_; }

  /// Reads up to `count` bytes at `offset` of a seekable file, and fewer only at its end.
  std::size_t read_at(char* out, std::size_t count, std::uint64_t offset) const;

  int descriptor() const { return descriptor_; }
  std::span<const char> first_bytes() const {
    return first_;
  }  ///< Already read; the stream begins with them.

 private:
  std::string name_;
  int descriptor_;
  Compression compression_ = Compression::kNone;
  const Container* container_ = nullptr;
  bool seekable_ = false;
  FileState state_;
  std::optional<std::string> label_;
  std::vector<char> first_;
};

/// Decompressed bytes, in order.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Reads up to `count` bytes; 0 only at the end. @throws DataError on damaged or truncated data.
  virtual std::size_t read(char* out, std::size_t count) = 0;
  /// How many bytes of the file were read so far, before decompression.
  virtual std::uint64_t consumed() const = 0;
};

/// Reads until `text` has `bytes` bytes, or to the end of the stream.
void read_to(std::size_t bytes, ByteStream& stream, std::string& text);

/// What a document that is read as a whole becomes: so many bytes of memory per byte of it.
enum class HeldAs { kText = 3, kTables = 12, kTree = 24 };

/// The rest of a stream behind `text`, of a document that cannot be read in parts.
/// @throws DataError where that would take more than a quarter of the machine's memory, or than
/// the process may use (--max-memory): a small file may unpack to any size.
std::string whole_document(ByteStream& stream, std::string text, std::string_view name,
                           HeldAs held);

/// The bytes of `text`, then those of `rest` if there is one. Both must outlive the stream.
std::unique_ptr<ByteStream> stream_of(std::string_view text, ByteStream* rest = nullptr);

/// The decompressed bytes of `file` from its start. The stream must not outlive the file.
std::unique_ptr<ByteStream> open_stream(const InputFile& file);

}  // namespace scalelaw
