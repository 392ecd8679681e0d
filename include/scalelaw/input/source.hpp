#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace scalelaw {

/// The files that a folder stands for, also with .gz and .zst behind these endings.
enum class FolderFiles {
  kTables,  ///< .csv, .tsv
  kTraces,  ///< .csv, .tsv, .txt, .log
};

/// Expands what the user named into files: a file or named pipe as it is, a quoted glob, a folder
/// (every file of that kind below it), "-" for standard input. Sorted by path, each file once, "-"
/// last.
///
/// @param unreadable  Takes a sentence a folder that cannot be read; without it such a folder is an
///                    error.
/// @throws DataError if a name fits no file or a folder holds none of the kind.
std::vector<std::string> expand_inputs(std::span<const std::string> inputs,
                                       FolderFiles kind = FolderFiles::kTables,
                                       std::vector<std::string>* unreadable = nullptr);

/// Whether a path leads to a file that can be read again, and not to a pipe or to standard input
/// that is not kept.
bool is_regular_file(const std::string& path);

/// Makes standard input readable again and again, from its first byte: what is left of it goes to a
/// temporary file without a name, which takes its place. Call it once, before anything is read.
/// @returns a path under which the bytes as they came can be opened.
/// @throws DataError if it cannot be read or there is no room.
std::string keep_standard_input();

/// How messages name an input: its path, or "standard input".
std::string input_name(const std::string& path);

/// How the text of a file is wrapped.
enum class Compression {
  kNone,
  kGzip,
  kZstd,
  kContainer,  ///< A file that holds a run table and other texts, such as a study store.
};

/// What tells without reading whether a file changed.
struct FileState {
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;  ///< Since the Unix epoch.
  std::uint64_t inode = 0;

  friend bool operator==(const FileState&, const FileState&) = default;
};
/// The state of the file that a path leads to; nothing if it cannot be looked at.
std::optional<FileState> state_of_file(const std::string& path);

/// Whether a path names something that can be opened: a file, a folder, or a text that a file such
/// as a study store holds under a label, "study.db@LABEL".
bool input_exists(const std::string& path);
/// The label of such a path; nothing of any other, and of a file whose name has an @.
std::optional<std::string> input_label(const std::string& path);
/// A sentence on each of the paths whose run table lacks something: an ingest into a study store
/// still runs, or was interrupted.
std::vector<std::string> unfinished_inputs(std::span<const std::string> paths);

struct Container;

/// An open file: its descriptor, and what its first bytes say about it.
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
  const FileState& state() const { return state_; }    ///< As it was when it was opened.
  /// The label behind the @ of "study.db@LABEL".
  const std::optional<std::string>& label() const { return label_; }

  /// Reads up to `count` bytes at `offset` of a seekable file; fewer only at its end.
  std::size_t read_at(char* out, std::size_t count, std::uint64_t offset) const;

  int descriptor() const { return descriptor_; }
  std::span<const char> first_bytes() const {
    return first_;
  }  ///< Read already; part of the stream.

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

/// Bytes in order, decompressed.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills up to `count` bytes; 0 only at the end. @throws DataError on damaged or truncated data.
  virtual std::size_t read(char* out, std::size_t count) = 0;
  /// Bytes of the file read so far, before decompression.
  virtual std::uint64_t consumed() const = 0;
};

/// The decompressed bytes of `file` from its start. The file must outlive the stream.
std::unique_ptr<ByteStream> open_stream(const InputFile& file);

}  // namespace scalelaw
