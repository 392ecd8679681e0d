#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// What can be wrong with the quotes of a field.
enum class FieldDefect { kUnclosedQuote, kTextAfterQuote, kStrayQuote };

/// The defect in the words of messages: "unclosed quote", ...
std::string_view description_of(FieldDefect defect);

/// A TokenizerFunction of boost::tokenizer that splits one row into RFC 4180 fields, which are
/// views of the row.
///
/// A token is the raw field with its quotes, for field_defect and field_text. Separators and line
/// ends inside quotes belong to the field.
class FieldSeparator {
 public:
  explicit FieldSeparator(char separator) : separator_(separator) {}

  void reset() { expect_field_ = true; }

  template <class Iterator, class Token>
  bool operator()(Iterator& next, Iterator end, Token& token) {
    if (!expect_field_) return false;
    const char* const begin = next == end ? nullptr : &*next;
    const auto length = static_cast<std::size_t>(end - next);
    const std::size_t field = begin == nullptr ? 0 : field_length(begin, length);
    token = Token(begin, field);
    expect_field_ = field < length;  // A separator follows, and one more field, maybe empty.
    next += static_cast<std::ptrdiff_t>(expect_field_ ? field + 1 : field);
    return true;
  }

 private:
  std::size_t field_length(const char* begin, std::size_t length) const {
    std::size_t from = 0;
    if (*begin == '"') {
      bool inside = true;
      for (from = 1; from < length && (inside || begin[from] == '"'); ++from) {
        if (begin[from] == '"') inside = !inside;
      }
    }
    const void* found =
        from < length ? std::memchr(begin + from, separator_, length - from) : nullptr;
    return found == nullptr ? length
                            : static_cast<std::size_t>(static_cast<const char*>(found) - begin);
  }

  char separator_;
  bool expect_field_ = true;
};

/// Splits a row (without its line end) into fields, by boost::tokenizer. Overwrites `fields`.
void tokenize(std::string_view row, char separator, std::vector<std::string_view>& fields);

/// What is wrong with a field's quotes; empty if nothing is.
std::optional<FieldDefect> field_defect(std::string_view field);

/// The text of a field without defect: outer quotes are removed, and doubled quotes become single.
/// `scratch` holds the text if it differs from the field.
std::string_view field_text(std::string_view field, std::string& scratch);

/// The end of the row that begins at `text`: the index of its line feed outside quotes, or npos.
std::size_t row_end(std::string_view text);

/// Whether a line is no row: empty (or a lone carriage return), or a comment (# at its start).
inline bool is_skipped_line(const char* begin, const char* end) {
  return begin == end || *begin == '#' || (end - begin == 1 && *begin == '\r');
}

/// The delimiter that stands for runs of blanks and tabs.
inline constexpr char kBlanks = ' ';

/// The unit of a column whose name tells none.
struct ColumnUnit {
  std::string column;
  std::string unit;          ///< Canonical; empty if what the user wrote is none.
  std::string written = {};  ///< The column with its unit as the user wrote it, if it is none.
};

/// How a table is written, as far as the user says so. What is not said is found in the table.
struct TextLayout {
  std::optional<char> delimiter = {};  ///< Between columns; kBlanks for runs of blanks.
  std::optional<char> decimal = {};    ///< '.' or ','.
  /// The table has a column per scale (1 GPU, 2 GPUs, ...), and is read as one row per scale, which
  /// stands in a column of this name; empty: it is read as it is.
  std::string wide = {};
  /// Which of the tables in a text, from 1; 0: the first that suits, or the first one of all.
  std::size_t table = 0;
  /// Whether a table with these names is looked for; empty: any is.
  std::function<bool(const std::vector<std::string>& names)> suits = {};
  std::vector<ColumnUnit> units = {};  ///< Header cells get them in brackets.
};

/// Adds the units that names of columns with commas between them have in brackets:
/// "epoch_time[min]".
void add_units_of(std::string_view columns, TextLayout& layout);

/// The header of a table.
struct Header {
  char separator = ',';     ///< kBlanks for runs of blanks.
  bool in_comment = false;  ///< The names stand in a comment (# gpus time).
  bool of_blanks = false;   ///< The separator is a tab that stands for a run of blanks.
  bool headerless = false;  ///< The table begins with numbers: columns are c1, c2, ...
  /// Of a table without a header: names are those that its rows write before their numbers.
  bool names_in_rows = false;
  /// "c2" names the second column, too: such tables were read without names before.
  bool counted_names = false;
  bool translated = false;   ///< Rows stand elsewhere in the file than in what is parsed.
  std::string told = {};     ///< What has to be told of its place in a text.
  std::string caption = {};  ///< The last line of text above the table; empty without one.
  /// The lines of all tables in that text, "3 to 7"; none if it is one table.
  std::vector<std::string> tables = {};
  std::size_t table = 0;  ///< Which of them this one is, from 0.
  /// '.' or ',': the decimal sign of the numbers in that text, if they have one.
  std::optional<char> decimal = {};
  std::vector<std::string> names;  ///< As written, but trimmed and unquoted.
  std::uint64_t end = 0;           ///< Offset of the first byte after the header line.
  std::uint64_t lines = 0;         ///< Lines up to there.
};

/// Reads the header from the first bytes of a table, after a byte order mark, comments and empty
/// lines. A comment directly above the first row is the header if it has a name for each of its
/// fields and the row holds numbers. A rule under the header (---|---) belongs to it. A single
/// number is not a header but a row of the column "value", and several ones are a row of the
/// columns "c1", "c2", ..., unless they are scales of a wide table. Rows that name their own
/// values, "threads,4,time,1.2", give these names to the columns of the values.
///
/// A second line below the names belongs to the header if it holds units, or words above numbers
/// where names are merged cells (empty or repeated). Repeated names between blanks get the words of
/// a comment directly above them.
///
/// The separator is that of `layout`, or X after Excel's "sep=X". Otherwise it is the one of comma,
/// tab, semicolon and bar that divides most rows as it divides the header, the most frequent one
/// if several do, and a run of blanks if there is none of them.
///
/// @param text  The beginning of the table.
/// @param complete  Whether `text` is the whole table.
/// @returns Empty if `text` is not complete and ends within the header line.
/// @throws ParseError if the header cannot be used, DataError if there is none or a column has
/// another unit than `layout` says.
std::optional<Header> parse_header(std::string_view text, bool complete, std::string_view source,
                                   const TextLayout& layout = {});

/// Whether the first of the rows below a header, or most of them, have its fields. A single column
/// holds numbers.
bool suits_rows(const Header& header, std::string_view rows);

/// The place of a column, found by its header cell or by its name without the unit; empty if it is
/// missing.
/// @throws ParseError if there are two.
std::optional<std::size_t> find_column(const Header& header, std::string_view name,
                                       std::string_view source);

}  // namespace scalelaw
