#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace scalelaw {

class ByteStream;

/// A kind of file that holds a run table and other texts, such as a study store. It is known by its
/// first bytes, as a compression is; "FILE" stands for its run table as CSV, and "FILE@LABEL" for
/// the text with that label.
struct Container {
  std::string_view kind;      ///< "study store".
  std::string_view magic;     ///< The first bytes of every such file, at most kMostMagic.
  std::string_view labelled;  ///< What its labels stand for: "fits".
  std::string_view no_table;  ///< What to say of such a text where a table is wanted.
  /// The run table, or the text with a label; the path is one of a regular file.
  std::unique_ptr<ByteStream> (*open)(const std::string& path, const std::string* label);
  /// A sentence on a file whose run table lacks something; nothing where it is whole.
  std::optional<std::string> (*unfinished)(const std::string& path);
};
inline constexpr std::size_t kMostMagic = 16;

/// Every kind. The function is defined in store/, a room that input/ knows nothing of, and has only
/// study stores. Because reading calls it by name, the linker takes it from a static library along
/// with the reading; it would drop an object that registers itself and that nobody names.
std::span<const Container* const> containers();

/// What a file is by its first bytes; nullptr of other files and of what is no regular file.
const Container* container_at(const std::string& path);

}  // namespace scalelaw
