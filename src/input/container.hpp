#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace scalelaw {

class ByteStream;

/// A kind of file that holds a run table and other texts, such as a study store. Its first bytes
/// tell it, as they tell a compression. "FILE" stands for its run table as CSV, and "FILE@LABEL"
/// for the text with that label.
struct Container {
  std::string_view kind;      ///< "study store".
  std::string_view magic;     ///< The first bytes of every such file, at most kMostMagic.
  std::string_view labelled;  ///< What its labels stand for: "fits".
  std::string_view no_table;  ///< The message if a table is wanted.
  /// The run table, or the text with a label; the path is one of a regular file.
  std::unique_ptr<ByteStream> (*open)(const std::string& path, const std::string* label);
  /// A sentence on what the run table of a file lacks; empty if it is whole.
  std::optional<std::string> (*unfinished)(const std::string& path);
};
inline constexpr std::size_t kMostMagic = 16;

/// Every kind. The function is defined in store/, a room that input/ knows nothing of, and has only
/// study stores. Because reading calls it by name, the linker takes it from a static library along
/// with the reading; it would drop an object that registers itself and that nobody names.
std::span<const Container* const> containers();

/// The kind of a file by its first bytes; nullptr if it is of no kind, or no regular file.
const Container* container_at(const std::string& path);

}  // namespace scalelaw
