#include "input/foreign_files.hpp"

#include <algorithm>
#include <cctype>

#include "base/errors.hpp"

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

}  // namespace scalelaw
