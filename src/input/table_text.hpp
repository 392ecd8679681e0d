#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "input/column_stream.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// Refuses what is no table of text, naming it by its first bytes: an Excel workbook, a Parquet
/// file, a picture, ...
/// @param text  The first bytes, decompressed.
/// @throws DataError saying what it is and what to do.
void refuse_foreign_file(std::string_view text, std::string_view source);

/// How much of a table is looked at before it is read.
inline constexpr std::size_t kTableBegin = 128 << 10;

/// What the rows of a table are written as.
enum class TableKind {
  kDelimited,  ///< Fields with a separator, read as they are.
  kBlankRuns,  ///< Columns that runs of blanks separate; translated to tabs.
  kFramed,     ///< Markdown and the like, with text around it; translated to tabs.
  kHtml,       ///< Tables of HTML, which are read as those of Markdown.
  kRecords,    ///< Values behind their names, lists, lines of Go's benchmarks; translated to tabs.
  kJson,       ///< JSON; translated to CSV, one row per entry.
  kWide,       ///< One column per scale; translated to one row per scale.
};

/// Whether the rows of such a table are entries, which need no lines of their own in the file.
inline bool has_entries(TableKind kind) {
  return kind == TableKind::kJson || kind == TableKind::kRecords;
}

/// The kind of a table, by its first bytes.
/// @throws DataError if it is no table, naming what it is.
TableKind table_kind(std::string_view text, bool complete, std::string_view source,
                     const TextLayout& layout);

/// The text of a table as it is parsed.
struct TableText {
  TableKind kind = TableKind::kDelimited;
  std::unique_ptr<ByteStream> bytes;
  TextLayout layout;                ///< That of `bytes`.
  ColumnStream* columns = nullptr;  ///< What `bytes` comes from, if that has columns.
  std::string told = {};            ///< Of kFramed: what has to be told of its place in the text.
  std::string caption = {};         ///< Of kFramed: Header::caption.
  bool counted_names = false;       ///< Of kFramed: Header::counted_names.
  std::vector<std::string> tables = {};  ///< Of kFramed: the lines of each table in the text.
  std::size_t table = 0;                 ///< Of kFramed: Header::table.
  std::optional<char> decimal = {};      ///< Of kFramed: Header::decimal.

  /// Writes into the header of `bytes` where it comes from.
  void note_origin(Header& header) const;
};

/// Opens the text of a table from its first byte. It must not outlive the file.
/// @throws DataError, ParseError if it is no table.
TableText table_text(const InputFile& file, const TextLayout& layout);

}  // namespace scalelaw
