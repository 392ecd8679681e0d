#include "input/table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "input/container.hpp"
#include "input/json_table.hpp"
#include "input/markup_tables.hpp"
#include "input/text_frames.hpp"
#include "input/text_records.hpp"
#include "input/wide_table.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

using std::string_view_literals::operator""sv;

/// A kind of file, by what stands at its beginning, and the way out.
struct ForeignKind {
  std::string_view magic;
  std::string_view what;
  std::size_t offset = 0;
};

constexpr ForeignKind kForeignKinds[] = {
    {"PAR1"sv, "a Parquet file that was compressed once more: decompress it"},
    {"ARROW1"sv,
     "an Arrow (Feather) file: write it as CSV (pandas: read_feather(...).to_csv(...))"},
    {"FEA1"sv, "a Feather file: write it as CSV (pandas: read_feather(...).to_csv(...))"},
    {"ORC"sv, "an ORC file: write it as CSV (pandas: read_orc(...).to_csv(...))"},
    {"Obj\x01"sv, "an Avro file: write it as CSV or as JSON lines"},
    {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file: write the table in it as CSV"},
    {"%PDF-"sv, "a PDF document: copy the table into a text file, as CSV"},
    {"\x89PNG\r\n\x1a\n"sv, "a PNG picture: only tables of text can be read"},
    {"\xff\xd8\xff"sv, "a JPEG picture: only tables of text can be read"},
    {"GIF8"sv, "a GIF picture: only tables of text can be read"},
    {"\x7f"
     "ELF"sv,
     "a program or library (ELF): name the table that it wrote"},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv,
     "an old Office document (.xls, .doc): save the sheet as CSV"},
    {"{\\rtf"sv, "an RTF document: copy the table into a text file, as CSV"},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive: unpack it, and name the table in it"},
    {"Rar!"sv, "a RAR archive: unpack it, and name the table in it"},
    {"\xfd"
     "7zXZ"sv,
     "compressed by xz: decompress it (xz -dc FILE | scalelaw ... -)"},
    {"BZh"sv, "compressed by bzip2: decompress it (bzip2 -dc FILE | scalelaw ... -)"},
    {"\x1f\x8b"sv, "compressed twice: decompress it once"},
    {"\x28\xb5\x2f\xfd"sv, "compressed twice: decompress it once"},
    {"ustar"sv, "a tar archive: unpack it, and name the table in it", 257},
    {"\x93NUMPY"sv, "a NumPy array: write it as CSV (numpy.savetxt)"},
    {"SQLite format 3"sv,
     "an SQLite database: write the table in it as CSV (sqlite3 -csv -header)"},
    {"version https://git-lfs"sv,
     "a pointer of Git LFS, not the file itself: git lfs pull gets it"},
    {"MATLAB 5.0 MAT-file"sv, "a MATLAB file: write the table in it as CSV"},
    {"RDX3\n"sv, "data of R: write it as CSV (write.csv)"},
    {"brain.Event:"sv,
     "a TensorBoard event file: 'scalelaw ingest' makes a run table of its scalars", 21},
    {"brain.Event:"sv,
     "a TensorBoard event file: 'scalelaw ingest' makes a run table of its scalars", 23},
};

bool stands_at(std::string_view text, const ForeignKind& kind) {
  return text.size() >= kind.offset && text.substr(kind.offset).starts_with(kind.magic);
}

/// What a zip archive holds, as far as its first names tell.
std::string_view zip_kind(std::string_view text) {
  const auto holds = [text](std::string_view name) {
    return text.find(name) != std::string_view::npos;
  };
  if (holds("xl/")) return "an Excel workbook: save the sheet as CSV";
  if (holds("opendocument.spreadsheet"))
    return "an OpenDocument spreadsheet: save the sheet as CSV";
  if (holds("[Content_Types].xml") && !holds("word/")) {
    return "an Office document such as an Excel workbook: save the sheet as CSV";
  }
  if (holds("opendocument.") || holds("word/")) {
    return "a text document: copy the table into a text file, as CSV";
  }
  if (holds("data.pkl")) return "a PyTorch file: write the numbers in it as CSV";
  if (holds(".npy")) return "NumPy arrays (.npz): write them as CSV (numpy.savetxt)";
  return "a zip archive: unpack it, and name the table in it";
}

bool starts_with_word(std::string_view text, std::string_view lower_word) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos || text.size() - first < lower_word.size()) return false;
  return std::equal(
      lower_word.begin(), lower_word.end(), text.begin() + static_cast<long>(first),
      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

/// Text of two bytes per character, even without its mark: every other byte of ASCII is zero.
bool is_utf16(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return true;
  constexpr std::size_t kSeen = 32;
  if (text.size() < kSeen) return false;
  std::size_t zeros[2] = {0, 0};
  for (std::size_t i = 0; i < kSeen; ++i) zeros[i % 2] += text[i] == '\0' ? 1 : 0;
  return (zeros[0] == kSeen / 2 && zeros[1] == 0) || (zeros[1] == kSeen / 2 && zeros[0] == 0);
}

/// A pickle of protocol 2 to 5: its version, then the begin of a frame or of the first object.
bool is_pickle(std::string_view text) {
  if (text.size() < 3 || text[0] != '\x80' || text[1] < 2 || text[1] > 5) return false;
  return std::string_view("\x95}](c\x8a\x8c").find(text[2]) != std::string_view::npos;
}

/// What the file is, with the way out; empty for a text that may be a table.
std::string_view foreign_kind(std::string_view text) {
  const auto* const kind = std::ranges::find_if(
      kForeignKinds, [text](const ForeignKind& one) { return stands_at(text, one); });
  if (kind != std::end(kForeignKinds)) return kind->what;
  if (text.starts_with("PK\x03\x04")) return zip_kind(text);
  if (is_utf16(text)) return "UTF-16 text: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)";
  if (is_pickle(text)) return "a Python pickle: write the table in it as CSV (pandas: to_csv)";
  if (starts_with_word(text, "<!doctype html") || starts_with_word(text, "<html")) {
    return "a web page (HTML): save the table itself, as CSV; a download may have been refused";
  }
  if (starts_with_word(text, "<?xml")) return "an XML document: save the table in it as CSV";
  return "";
}

}  // namespace

void refuse_foreign_file(std::string_view text, std::string_view source) {
  const std::string_view what = foreign_kind(text);
  if (!what.empty()) throw data_error("{} is {}", source, what);
}

namespace {

/// A stream of which the first bytes were read already.
class ContinuedStream final : public ByteStream {
 public:
  ContinuedStream(std::string first, std::unique_ptr<ByteStream> rest)
      : first_(std::move(first)), rest_(std::move(rest)), both_(stream_of(first_, rest_.get())) {}

  std::size_t read(char* out, std::size_t count) override { return both_->read(out, count); }
  std::uint64_t consumed() const override { return rest_->consumed(); }

 private:
  std::string first_;
  std::unique_ptr<ByteStream> rest_;
  std::unique_ptr<ByteStream> both_;
};

/// A stream of which the first bytes were read already.
std::unique_ptr<ByteStream> continued(std::string first, std::unique_ptr<ByteStream> rest) {
  return std::make_unique<ContinuedStream>(std::move(first), std::move(rest));
}

/// Lines of words with one tab for each run of blanks between them, and none at the ends. Blanks
/// inside quotes stay. The lines stay the same lines.
class BlanksAsTabs final : public ByteStream {
 public:
  explicit BlanksAsTabs(std::unique_ptr<ByteStream> in) : in_(std::move(in)) {}

  std::size_t read(char* out, std::size_t count) override {
    while (begin_ == ready_.size()) {
      ready_.clear();
      begin_ = 0;
      block_.resize(count);
      const std::size_t got = in_->read(block_.data(), count);
      if (got == 0) return 0;
      for (const char c : std::string_view(block_.data(), got)) put(c);
    }
    const std::size_t part = std::string_view(ready_).substr(begin_).copy(out, count);
    begin_ += part;
    return part;
  }
  std::uint64_t consumed() const override { return in_->consumed(); }

 private:
  void put(char c) {
    if (c == '\n' && !quoted_) {
      ready_ += c;
      in_line_ = comment_ = pending_ = false;
    } else if ((c == ' ' || c == '\t' || c == '\r') && !quoted_) {
      pending_ = in_line_;
    } else {
      if (!in_line_ && c == '#') comment_ = true;
      const bool begins_word = !in_line_ || pending_;
      if (std::exchange(pending_, false)) ready_ += '\t';
      if (c == '"' && !comment_ && (quoted_ || begins_word)) quoted_ = !quoted_;
      in_line_ = true;
      ready_ += c;
    }
  }

  std::unique_ptr<ByteStream> in_;
  std::vector<char> block_;
  std::string ready_;  ///< Translated and not yet read, from begin_.
  std::size_t begin_ = 0;
  bool in_line_ = false;  ///< The line has a word already.
  bool pending_ = false;  ///< Blanks were met behind it.
  bool comment_ = false;
  bool quoted_ = false;
};

std::string_view no_table_of(const InputFile& file) {
  return file.container() != nullptr
             ? file.container()->no_table
             : "saved fits, where a table of runs is wanted: name the runs, or give the file to "
               "gate or predict";
}

/// Whether a line of a table has more than cells in it: bars around it, or a part of a box.
bool is_drawn(std::string_view line) {
  line = trimmed(line);
  return line.starts_with('|') || has_box_character(line) || is_table_rule(line);
}

std::string_view trimmed_lines(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

/// Whether a text is a table from its first line on, with nothing drawn around its cells.
/// @param header  Gets its header, unless the first lines are none.
bool is_bare_table(std::string_view text, bool complete, std::string_view source,
                   std::optional<Header>& header) {
  try {
    header = parse_header(text, complete, source);
  } catch (const Error&) {
    return false;  // The first line may be of a caption.
  }
  if (!header || header->in_comment) return true;
  if (header->separator != '|' && begins_with_ruled_bars(text)) return false;
  // Names of several words may stand in a comment above numbers.
  const bool lines_above =
      header->headerless && !trimmed_lines(text.substr(0, header->end)).empty();
  if (lines_above) return false;
  const std::string_view above = trimmed_lines(text.substr(0, header->end));
  const std::string_view below = text.substr(header->end);
  const auto drawn = [](std::string_view lines) {
    return is_drawn(lines.substr(lines.rfind('\n') + 1));
  };
  return !drawn(above) && !is_drawn(below.substr(0, below.find('\n'))) &&
         suits_rows(*header, below);
}

/// What the bytes of a table are before anything is translated.
TableKind kind_as_written(std::string_view text, bool complete, std::string_view source,
                          const TextLayout& layout) {
  const bool may_be_html = trimmed(text).starts_with('<') && !trimmed(text).starts_with("<?xml");
  if (may_be_html && !layout.delimiter && has_html_table(text)) return TableKind::kHtml;
  refuse_foreign_file(text, source);
  if (begins_as_json(text)) return TableKind::kJson;
  std::optional<Header> header;
  if (!layout.delimiter) {
    const bool records = begins_as_records(text) || begins_with_cell_lists(text);
    if (records && records_in(text)) return TableKind::kRecords;
    const bool directives = text.find("-table::") != text.npos;
    const bool bare = !directives && is_bare_table(text, complete, source, header);
    if (bare && complete && is_table_of_blocks(text)) return TableKind::kFramed;
    if (!bare) {
      const std::string drawn = bars_of_directives(text);
      if (!frames_in(lines_of(drawn)).empty()) return TableKind::kFramed;
    }
    if (!bare && has_html_table(text)) return TableKind::kHtml;
    if (!bare && records_in(text)) return TableKind::kRecords;
  }
  if (!header) header = parse_header(text, complete, source, {.delimiter = layout.delimiter});
  return header && header->separator == kBlanks ? TableKind::kBlankRuns : TableKind::kDelimited;
}

/// @throws DataError if a text has no table of the number that the layout names.
void refuse_other_table(std::size_t tables, const TextLayout& layout, std::string_view source) {
  if (layout.table <= tables) return;
  throw DataError(fmt::format("{}: --table {}: the file holds {}", source, layout.table,
                              tables == 1 ? "one table" : fmt::format("{} tables", tables)));
}

/// The table among those of a text that is meant: the one that the layout names, else the first
/// that suits and has the rows of a law, the first that suits, or the first one.
std::size_t chosen_frame(const std::vector<TextFrame>& frames, const TextLayout& layout) {
  constexpr std::size_t kFewestRows = 3;
  if (layout.table > 0) return layout.table - 1;
  if (!layout.suits) return 0;
  std::size_t chosen = frames.size();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (!layout.suits(frames[i].names)) continue;
    if (frames[i].end - frames[i].begin >= kFewestRows) return i;
    chosen = std::min(chosen, i);
  }
  return chosen == frames.size() ? 0 : chosen;
}

/// The decimal sign of the numbers in a text, '.' or ',': "12.5 ms", "99,3 %". Empty if it has no
/// such numbers, or both. Versions and lists of numbers are none.
std::optional<char> decimal_sign_in(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_word = [&](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == ',' || c == '-';
  };
  bool point = false;
  bool comma = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    const std::size_t begin = at;
    while (at < text.size() && (is_digit(text[at]) || text[at] == '.' || text[at] == ',')) ++at;
    std::string_view number = text.substr(begin, at - begin);
    while (!is_digit(number.back())) number.remove_suffix(1);
    const std::size_t sign = number.find_first_of(".,");
    if (sign == number.npos || number.find_first_of(".,", sign + 1) != number.npos) continue;
    if (begin > 0 && is_word(text[begin - 1])) continue;  // "v1.2", "Qwen2.5".
    if (number.size() - sign == 4) continue;              // "1,234" may be either.
    (number[sign] == '.' ? point : comma) = true;
  }
  if (point == comma) return std::nullopt;
  return point ? '.' : ',';
}

/// Takes one table out of a text.
void take_frame(std::string_view text, const InputFile& file, std::unique_ptr<ByteStream> rest,
                TableText& table) {
  const auto lines = lines_of(text);
  const std::vector<TextFrame> frames = frames_in(lines);
  if (frames.empty()) {
    throw DataError(fmt::format(
        "{}: no table of HTML in it has a header and rows of numbers: save the table as CSV",
        file.name()));
  }
  refuse_other_table(frames.size(), table.layout, file.name());
  const std::size_t chosen = chosen_frame(frames, table.layout);
  for (const TextFrame& frame : frames) table.tables.push_back(lines_of_frame(frame));
  table.table = chosen;
  table.decimal = decimal_sign_in(text);
  table.told = told_of_frame(lines, frames, chosen);
  table.caption = caption_of_frame(lines, frames[chosen]);
  table.counted_names = frames[chosen].counted_names;
  table.bytes = continued(rows_of_frame(lines, frames[chosen]), std::move(rest));
  table.layout.delimiter = '\t';
}

/// Writes records as rows with tabs.
void take_records(std::string_view text, std::unique_ptr<ByteStream> rest, TableText& table) {
  const TextRecords records = *records_in(text);
  std::string rows;
  append_delimited_row(rows, records.names, '\t');
  for (const auto& row : records.rows) append_delimited_row(rows, row, '\t');
  table.told = records.told;
  table.bytes = continued(std::move(rows), std::move(rest));
  table.layout.delimiter = '\t';
}

TableText text_as_written(const InputFile& file, const TextLayout& layout) {
  auto stream = open_stream(file);
  std::string first;
  read_to(kTableBegin, *stream, first);
  TableText table;
  table.layout = layout;
  table.kind = kind_as_written(first, first.size() < kTableBegin, file.name(), layout);
  if (table.kind == TableKind::kFramed || table.kind == TableKind::kHtml) {
    first = whole_document(*stream, std::move(first), file.name(), HeldAs::kTables);
    first = table.kind == TableKind::kHtml ? markdown_of_html(first) : bars_of_directives(first);
    take_frame(first, file, std::move(stream), table);
    return table;
  }
  refuse_other_table(1, layout, file.name());
  if (table.kind == TableKind::kRecords) {
    first = whole_document(*stream, std::move(first), file.name(), HeldAs::kTables);
    take_records(first, std::move(stream), table);
    return table;
  }
  if (table.kind == TableKind::kJson) {
    table.bytes = csv_of_json(whole_document(*stream, std::move(first), file.name(), HeldAs::kText),
                              file.name(), no_table_of(file));
    table.layout.delimiter = ',';
    return table;
  }
  if (table.kind == TableKind::kDelimited) {
    table.columns = dynamic_cast<ColumnStream*>(stream.get());
  }
  table.bytes = continued(std::move(first), std::move(stream));
  if (table.kind == TableKind::kBlankRuns) {
    table.bytes = std::make_unique<BlanksAsTabs>(std::move(table.bytes));
    table.layout.delimiter = '\t';
  }
  return table;
}

}  // namespace

void TableText::note_origin(Header& header) const {
  header.of_blanks = kind == TableKind::kBlankRuns;
  header.translated = kind != TableKind::kDelimited;
  header.told = told;
  header.caption = caption;
  header.counted_names = header.counted_names || counted_names;
  header.tables = tables;
  header.table = table;
  header.decimal = decimal;
}

TableKind table_kind(std::string_view text, bool complete, std::string_view source,
                     const TextLayout& layout) {
  const TableKind kind = kind_as_written(text, complete, source, layout);
  return layout.wide.empty() ? kind : TableKind::kWide;
}

TableText table_text(const InputFile& file, const TextLayout& layout) {
  TableText table = text_as_written(file, layout);
  if (layout.wide.empty()) return table;
  auto wide = std::make_unique<WideTable>(std::move(table.bytes), file.name(), table.layout);
  table.kind = TableKind::kWide;
  table.layout.delimiter = wide->separator();
  table.bytes = std::move(wide);
  table.columns = nullptr;  // They are columns of another table now.
  return table;
}

}  // namespace scalelaw
