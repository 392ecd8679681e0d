#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace scalelaw {

/// The reader of a pipe has gone (`scalelaw ... | head`). It is not an Error, because nothing is
/// wrong and there is nothing to tell the user.
struct ClosedPipe {};

/// The path that an output at `path` makes or replaces: the end of the links that begin there, also
/// if nothing is there yet. A link stays, and what it leads to is written.
std::string place_of_output(const std::string& path);

/// Where results go: standard output, or a file that appears whole or not at all.
///
/// A file is written under a temporary name in its folder, and commit() renames it. Without
/// commit(), the temporary file is removed and an older file stays as it was. A target that is no
/// regular file (/dev/null, a named pipe) cannot be replaced and is written directly. ClosedPipe is
/// only seen if the process ignores SIGPIPE.
class Output {
 public:
  /// The file at `path`; "" and "-" mean standard output.
  /// @throws DataError if the folder is missing, or the target is a folder or is write-protected.
  explicit Output(const std::string& path = "");
  /// Hands every piece of text to `take` and keeps none.
  explicit Output(std::function<void(std::string_view)> take);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  /// Appends bytes. They are buffered, so an error may surface at a later call.
  /// @throws DataError if they cannot be written (disk full).
  /// @throws ClosedPipe if the reader has gone.
  void write(std::string_view bytes);

  /// Puts all output on the disk, so that commit() has only to give it its name. A call with
  /// several outputs settles each before it commits one: then there are all of them or none.
  /// Nothing is written after it.
  /// @throws DataError, ClosedPipe as write().
  void settle();

  /// Makes all output final: flushed, on the disk, under its name.
  /// @throws DataError, ClosedPipe as write().
  void commit();

  /// Whether the target is a terminal, so that a person may be reading.
  bool is_terminal() const;

 private:
  void open_regular();
  void open_special();
  void flush();
  void write_through(std::string_view bytes);
  [[noreturn]] void fail(int error_number) const;

  int descriptor_;
  std::function<void(std::string_view)> take_;  ///< What takes the text in place of a file.
  std::string path_;                            ///< The target; empty for standard output.
  std::string temporary_;  ///< The file that becomes the target; empty if it is written directly.
  std::string buffer_;
};

/// Writes a whole output.
void write_output(const std::string& path, std::string_view bytes);

/// Removes the temporary files of unfinished outputs. Safe to call from a signal handler.
void remove_unfinished_outputs() noexcept;

}  // namespace scalelaw
