#pragma once

#include <string>
#include <string_view>

namespace scalelaw {

/// The reader of a pipe has gone (`scalelaw ... | head`): nothing more is wanted, and nothing is
/// wrong. Not an Error, because there is nothing to tell the user.
struct ClosedPipe {};

/// Where results go: standard output, or a file that appears whole or not at all.
///
/// A file is written under a temporary name in its own folder and renamed by commit(); without
/// commit() the temporary file is removed and an older file of that name stays as it was. What is
/// no regular file (/dev/null, a named pipe) cannot be replaced and is written directly. The
/// process must ignore SIGPIPE for ClosedPipe to be seen.
class Output {
 public:
  /// Standard output.
  Output();
  /// The file at `path`; "" and "-" are standard output.
  /// @throws DataError if the folder is missing, the target is a folder or may not be written.
  explicit Output(const std::string& path);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  /// Appends bytes. They are buffered; an error may surface at a later call.
  /// @throws DataError if they cannot be written (disk full).
  /// @throws ClosedPipe if the reader has gone.
  void write(std::string_view bytes);

  /// Makes everything written final: flushed, on the disk, under its name.
  /// @throws DataError, ClosedPipe as write().
  void commit();

  /// Whether a person may be reading: the target is a terminal.
  bool is_terminal() const;

 private:
  void open_regular();
  void open_special();
  void flush();
  void write_through(std::string_view bytes);
  [[noreturn]] void fail(int error_number) const;

  int descriptor_;
  std::string path_;       ///< The target; empty for standard output.
  std::string temporary_;  ///< The file that becomes the target; empty where written directly.
  std::string buffer_;
};

/// Removes the temporary files of outputs under way. Safe to call from a signal handler.
void remove_unfinished_outputs() noexcept;

}  // namespace scalelaw
