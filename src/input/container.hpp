#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace scalelaw {

class ByteStream;

/// What some editors write before the first character of a text in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
inline std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

/// A kind of file that holds a run table and other texts, such as a study store. It is recognised
/// by its first bytes, as a compressed file is. "FILE" stands for its run table as CSV, and
/// "FILE@LABEL" for the text with that label.
struct Container {
  std::string_view kind;      ///< "study store".
  std::string_view magic;     ///< The first bytes of every such file, at most kMostMagic.
  std::string_view labelled;  ///< What its labels stand for: "fits"; empty if it has none.
  std::string_view no_table;  ///< The message if a table is wanted.
  /// The run table, or the text with a label; the path is one of a regular file.
  std::unique_ptr<ByteStream> (*open)(const std::string& path, const std::string* label);
  /// A sentence on what the run table of a file lacks; empty if it is whole.
  std::optional<std::string> (*unfinished)(const std::string& path);
};
inline constexpr std::size_t kMostMagic = 16;

/// Every kind: study stores and Parquet files. The function is defined in store/, of which input/
/// knows nothing. It is called by name, and kinds do not register themselves. A static library
/// would lose a self-registering object, because nothing refers to it.
std::span<const Container* const> containers();

/// The kind of a file by its first bytes; nullptr if it is of no kind, or no regular file.
const Container* container_at(const std::string& path);

}  // namespace scalelaw
