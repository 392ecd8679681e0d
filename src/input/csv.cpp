#include "scalelaw/input/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/tokenizer.hpp>

#include "base/errors.hpp"
#include "input/container.hpp"
#include "input/header_names.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {
namespace {

/// The column of a file without a header that has one number per line.
constexpr std::string_view kOnlyColumn = "value";
constexpr std::size_t kMostColumns = 100'000;  // Names are compared with one another.

std::string_view without_carriage_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// The end of the word that begins at `at`; a word in quotes ends at its closing quote.
std::size_t end_of_word(std::string_view line, std::size_t at) {
  std::size_t from = at;
  if (line[at] == '"') {
    const std::size_t closing = line.find('"', at + 1);
    if (closing != std::string_view::npos) from = closing;
  }
  return std::min(line.find_first_of(" \t\r", from), line.size());
}

/// Whether a line only draws a rule: "-----|-----", "=====  =====".
bool is_rule(std::string_view line) {
  const bool drawn =
      line.find("---") != std::string_view::npos || line.find("===") != std::string_view::npos;
  return drawn && line.find_first_not_of("-+|:= \t\r") == std::string_view::npos;
}

/// The fields of a line; a separator of kBlanks stands for runs of blanks, also at the ends.
std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  if (separator != kBlanks) {
    tokenize(line, separator, fields);
    return fields;
  }
  for (std::size_t at = line.find_first_not_of(" \t\r"); at != std::string_view::npos;
       at = line.find_first_not_of(" \t\r", at)) {
    const std::size_t end = end_of_word(line, at);
    fields.push_back(line.substr(at, end - at));
    at = end;
  }
  return fields;
}

std::vector<std::string> header_names(std::string_view line, char separator,
                                      std::string_view source, std::uint64_t line_number) {
  const std::vector<std::string_view> fields = fields_of(line, separator);
  if (fields.size() > kMostColumns) {
    throw parse_error(source, line_number,
                      "the header has {} columns, more than {}: is this a CSV file?", fields.size(),
                      kMostColumns);
  }
  std::vector<std::string> names;
  std::string scratch;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view field = trimmed(fields[i]);
    if (const auto defect = field_defect(field)) {
      throw parse_error(source, line_number, "field {}: {}", i + 1, description_of(*defect));
    }
    names.emplace_back(trimmed(field_text(field, scratch)));
    if (!is_utf8(names.back())) {
      throw parse_error(source, line_number, "field {} of the header: invalid UTF-8", i + 1);
    }
    if (names.back().find('\0') != std::string::npos) {
      throw parse_error(source, line_number, "field {} of the header: control character (NUL)",
                        i + 1);
    }
  }
  return names;
}

void refuse_lone_carriage_returns(std::string_view line, std::string_view source,
                                  std::uint64_t number) {
  if (line.find('\r') != std::string_view::npos) {
    throw ParseError(source, number,
                     "carriage returns without line feeds (old Mac line ends): convert them to LF");
  }
}

/// The first rows of a text, up to as many as tell how a table is divided.
std::vector<std::string_view> first_rows(std::string_view text) {
  constexpr std::size_t kMostRows = 50;
  std::vector<std::string_view> rows;
  while (!text.empty() && rows.size() < kMostRows) {
    const std::size_t end = text.starts_with('#') ? text.find('\n') : row_end(text);
    const std::string_view row = text.substr(0, end);
    if (end == std::string_view::npos && !rows.empty()) break;  // It may be cut.
    text.remove_prefix(std::min(row.size() + 1, text.size()));
    if (!is_skipped_line(row.data(), row.data() + row.size()) && !is_rule(row)) {
      rows.push_back(without_carriage_return(row));
    }
  }
  return rows;
}

/// The texts of the fields of a line.
FieldTexts texts_of_fields(std::string_view line, char separator) {
  FieldTexts texts;
  std::string scratch;
  for (std::string_view field : fields_of(line, separator)) {
    field = trimmed(field);
    texts.emplace_back(field_defect(field) ? field : trimmed(field_text(field, scratch)));
  }
  return texts;
}

std::vector<FieldTexts> texts_of_rows(const std::vector<std::string_view>& rows, char separator) {
  std::vector<FieldTexts> all;
  for (const std::string_view row : rows) all.push_back(texts_of_fields(row, separator));
  return all;
}

/// How many of the rows a separator divides as it divides the header.
std::size_t rows_divided_alike(std::string_view header, const std::vector<std::string_view>& rows,
                               char separator) {
  const std::size_t width = fields_of(header, separator).size();
  return static_cast<std::size_t>(std::ranges::count_if(
      rows, [&](std::string_view row) { return fields_of(row, separator).size() == width; }));
}

bool divides_most(std::string_view header, const std::vector<std::string_view>& rows,
                  char separator) {
  return 2 * rows_divided_alike(header, rows, separator) > rows.size();
}

bool holds_number(const std::vector<std::string_view>& fields) {
  std::string scratch;
  return std::ranges::any_of(fields, [&](std::string_view field) {
    return !field_defect(field) && parse_number(trimmed(field_text(field, scratch)));
  });
}

/// Whether a line is written as all rows below it, so that it is a row and no header: the same
/// words, and numbers with the same units in the same columns. Of numbers alone this does not tell.
bool is_written_as_rows(const std::vector<std::string_view>& fields,
                        const std::vector<std::string_view>& rows, char separator) {
  constexpr std::size_t kFewestRows = 2;
  if (fields.size() < 2 || rows.size() < kFewestRows) return false;
  std::vector<std::string> forms;
  for (const std::string_view field : fields) forms.push_back(form_of_cell(field));
  const auto is_number = [](const std::string& form) { return form.starts_with('#'); };
  const bool bare = std::ranges::all_of(forms, [](auto& form) { return form == "#"; });
  if (bare || std::ranges::none_of(forms, is_number)) return false;
  return std::ranges::all_of(rows, [&](std::string_view row) {
    const auto cells = fields_of(row, separator);
    return std::equal(cells.begin(), cells.end(), forms.begin(), forms.end(),
                      [](auto cell, auto& form) { return form_of_cell(cell) == form; });
  });
}

/// Whether runs of blanks divide a table of a line without any other separator. "12.5 s" may be one
/// cell, so a table of such rows is one column.
bool is_divided_by_blanks(std::string_view header, const std::vector<std::string_view>& rows) {
  if (rows.empty() || fields_of(header, kBlanks).size() < 2) return false;
  const bool quantities = std::ranges::any_of(
      rows, [](std::string_view row) { return parse_measure(row).has_value(); });
  return !quantities && divides_most(header, rows, kBlanks) &&
         (holds_number(fields_of(rows.front(), kBlanks)) ||
          is_written_as_rows(fields_of(header, kBlanks), rows, kBlanks));
}

/// The separator of a table with that header line above those rows.
char separator_of(std::string_view header, std::string_view rows_text) {
  const std::vector<std::string_view> rows = first_rows(rows_text);
  char best = ',';
  std::pair<std::size_t, std::size_t> merit{0, 1};
  for (const char separator : {',', '\t', ';', '|'}) {
    const std::size_t width = fields_of(header, separator).size();
    if (width < 2) continue;
    const std::pair own{rows_divided_alike(header, rows, separator), width};
    if (own > merit) {
      merit = own;
      best = separator;
    }
  }
  return merit.second == 1 && is_divided_by_blanks(header, rows) ? kBlanks : best;
}

/// A line of the beginning of a table.
struct HeaderLine {
  std::string_view text;
  std::size_t begin = 0;     ///< Offset of its first byte.
  std::size_t end = 0;       ///< Offset after its line feed.
  std::uint64_t number = 0;  ///< From 1.
  std::uint64_t lines = 0;   ///< Lines up to its end.
};

/// The lines of a text, of which a quoted field may hold several.
class HeaderLines {
 public:
  HeaderLines(std::string_view text, bool complete)
      : text_(text),
        complete_(complete),
        at_(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0) {}

  /// The next line; empty at the end, or if the text ends within the line and is not complete.
  std::optional<HeaderLine> next() {
    if (at_ >= text_.size()) return std::nullopt;
    const std::string_view rest = text_.substr(at_);
    // A comment may contain a quote; it ends with its line.
    std::size_t length = rest.starts_with('#') ? rest.find('\n') : row_end(rest);
    if (length == std::string_view::npos) {
      if (!complete_) return std::nullopt;
      length = rest.size();
    }
    HeaderLine line{rest.substr(0, length), at_, std::min(at_ + length + 1, text_.size()),
                    lines_ + 1, 0};
    lines_ += 1 + static_cast<std::uint64_t>(std::ranges::count(line.text, '\n'));
    line.lines = lines_;
    at_ = line.end;
    return line;
  }

 private:
  std::string_view text_;
  bool complete_;
  std::size_t at_;
  std::uint64_t lines_ = 0;
};

/// A line without the blanks before units in brackets: "nodes  walltime (s)" has two names.
std::string with_units_at_names(std::string_view line) {
  std::string joined;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t", at), line.size());
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    const bool is_unit = word.size() > 2 && ((word.front() == '(' && word.back() == ')') ||
                                             (word.front() == '[' && word.back() == ']'));
    if (!is_unit || joined.empty()) joined += line.substr(at, begin - at);
    joined += word;
    at = end;
  }
  return joined;
}

/// The header in the text of a comment directly above rows with numbers.
std::optional<Header> header_of_comment(std::string_view text, const HeaderLine& comment,
                                        std::string_view rows, std::optional<char> delimiter,
                                        std::string_view source) {
  const char separator = delimiter ? *delimiter : separator_of(text, rows);
  const auto first = first_rows(rows);
  if (text.empty() || first.empty()) return std::nullopt;
  const auto fields = fields_of(first.front(), separator);
  const auto names = fields_of(text, separator);
  if (names.size() < 2 || names.size() != fields.size()) return std::nullopt;
  if (!holds_number(fields) || holds_number(names)) return std::nullopt;
  if (!divides_most(text, first, separator)) return std::nullopt;
  return Header{.separator = separator,
                .in_comment = true,
                .names = header_names(text, separator, source, comment.number),
                .end = comment.end,
                .lines = comment.lines};
}

/// The header in a comment above a table with a column per scale: "#Size Thread 1 2 4".
std::optional<Header> header_of_matrix(std::string_view text, const HeaderLine& comment,
                                       std::string_view rows, std::optional<char> delimiter) {
  const auto words = fields_of(text, kBlanks);
  const auto first = first_rows(rows);
  for (const char separator : {'\t', ',', ';', kBlanks}) {
    if (first.size() < 2 || (delimiter && separator != *delimiter)) continue;
    const auto fields = fields_of(first.front(), separator);
    auto names = names_of_matrix(words, fields.size());
    if (names.empty() || !divides_most(first.front(), first, separator)) continue;
    return Header{.separator = separator,
                  .in_comment = true,
                  .names = std::move(names),
                  .end = comment.end,
                  .lines = comment.lines};
  }
  return std::nullopt;
}

/// The words of a comment with commas between them where the rows have as many cells between
/// theirs, "size tput" above "1, 9412.65"; else empty.
std::string words_with_commas(std::string_view text, std::string_view rows) {
  const auto words = fields_of(text, kBlanks);
  const auto first = first_rows(rows);
  const bool apart = std::ranges::all_of(first, [&](std::string_view row) {
    const auto fields = fields_of(row, ',');
    return fields.size() == words.size() && std::ranges::all_of(fields, [](auto one) {
             return trimmed(one).find_first_of(" \t") == std::string_view::npos;
           });
  });
  if (!apart || words.size() < 2 || text.find_first_of(",\"") != text.npos) return "";
  std::string joined(words.front());
  for (std::size_t i = 1; i < words.size(); ++i) joined += "," + std::string(words[i]);
  return joined;
}

/// The header in a comment directly above rows with numbers: "# gpus time", "# gpus  time (s)".
std::optional<Header> header_in_comment(const HeaderLine& comment, std::string_view rows,
                                        std::optional<char> delimiter, std::string_view source) {
  std::string_view text = without_carriage_return(comment.text);
  text.remove_prefix(std::min(text.find_first_not_of("# \t"), text.size()));
  const auto header_of = [&](std::string_view names) {
    return header_of_comment(names, comment, rows, delimiter, source);
  };
  if (auto header = header_of(words_with_commas(text, rows))) return header;
  if (auto header = header_of(text)) return header;
  if (auto header = header_of(with_units_at_names(text))) return header;
  return header_of_matrix(text, comment, rows, delimiter);
}

/// The cells of the next line of a text, which is cut off; none at its end.
std::vector<std::string> take_cells_of_line(std::string_view& text, char separator) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return {};
  std::vector<std::string> cells =
      texts_of_fields(without_carriage_return(text.substr(0, end)), separator);
  text.remove_prefix(end + 1);
  return cells;
}

/// Takes units that stand in a second row under the names, "(s)", "[ms]", or the names of columns
/// under those of merged cells.
void take_second_line(std::string_view text, Header& header) {
  std::string_view rest = text.substr(header.end);
  const auto cells = take_cells_of_line(rest, header.separator);
  const std::size_t end = text.size() - rest.size();
  if (cells.size() != header.names.size() || cells.size() < 2) return;
  if (is_row_of_units(cells)) {
    add_units_to_names(cells, header.names);
  } else if (is_row_of_sub_names(header.names, cells, take_cells_of_line(rest, header.separator))) {
    join_sub_names(cells, header.names);
  } else {
    return;
  }
  header.end = end;
  ++header.lines;
}

/// The cells of a comment, without the "#" that may stand for the first of them.
std::vector<std::string> cells_of_comment(std::string_view comment, char separator) {
  comment = without_carriage_return(comment);
  comment.remove_prefix(std::min(comment.find_first_not_of("# \t"), comment.size()));
  std::vector<std::string> cells;
  for (const std::string_view field : fields_of(comment, separator)) {
    cells.emplace_back(trimmed(field));
  }
  return cells;
}

/// Gives the header the empty last name that it lacks where every row ends with a separator.
void end_as_rows_do(std::string_view rows_below, Header& header) {
  const std::vector<std::string_view> rows = first_rows(rows_below);
  if (rows.empty() || header.separator == kBlanks || header.names.size() < 2) return;
  const bool each = std::ranges::all_of(rows, [&](std::string_view row) {
    const auto fields = texts_of_fields(row, header.separator);
    return fields.size() == header.names.size() + 1 && trimmed(fields.back()).empty();
  });
  if (each) header.names.emplace_back();
}

/// Gives the header the name that it lacks above the numbers of the rows, as pandas and R print
/// them: 0, 1, 2, ...
void name_row_numbers(std::string_view rows_below, Header& header) {
  constexpr std::size_t kFewestRows = 2;
  const std::vector<std::string_view> rows = first_rows(rows_below);
  if (rows.size() < kFewestRows || header.names.size() < 2) return;
  std::optional<double> before;
  for (const std::string_view row : rows) {
    const auto fields = texts_of_fields(row, header.separator);
    const auto number = fields.size() == header.names.size() + 1 && !trimmed(fields.back()).empty()
                            ? parse_number(fields.front())
                            : std::nullopt;
    const bool goes_on = before ? number == *before + 1 : number == 0.0 || number == 1.0;
    if (!number || !goes_on) return;
    before = number;
  }
  header.names.insert(header.names.begin(), "index");
}

/// Joins names that the separator cuts, where all rows have as many fields as there are then.
void join_cut_names(std::string_view rows_below, Header& header) {
  const std::vector<std::string_view> rows = first_rows(rows_below);
  if (rows.empty() || header.separator == kBlanks) return;
  const std::size_t width = fields_of(rows.front(), header.separator).size();
  const bool alike = std::ranges::all_of(
      rows, [&](std::string_view row) { return fields_of(row, header.separator).size() == width; });
  if (!alike) return;
  if (auto names = names_of_width(header.names, header.separator, width)) {
    header.names = *std::move(names);
    header.counted_names = true;
  }
}

/// Gives the columns of a table without a header their names: those that its rows write before
/// their numbers, else c1, c2, ...
void name_headerless(bool rows_have_words, Header& header) {
  header.headerless = header.names.size() > 1;
  const auto named = rows_have_words ? names_in_row(header.names) : std::nullopt;
  header.names_in_rows = header.counted_names = named.has_value();
  if (named) {
    header.names = *named;
    return;
  }
  std::size_t column = 0;
  for (std::string& name : header.names) {
    name = header.headerless ? fmt::format("c{}", ++column) : std::string(kOnlyColumn);
  }
}

Header header_in_line(const HeaderLine& line, std::string_view content, std::string_view text,
                      std::optional<char> delimiter, std::string_view source) {
  Header header;
  header.separator = delimiter ? *delimiter : separator_of(content, text.substr(line.end));
  header.names = header_names(content, header.separator, source, line.number);
  header.end = line.end;
  header.lines = line.lines;
  const std::vector<std::string_view> fields = fields_of(content, header.separator);
  const std::string_view rows_below = text.substr(line.end);
  const std::vector<std::string_view> rows = first_rows(rows_below);
  const bool words = is_written_as_rows(fields, rows, header.separator);
  if (words || is_row_of_values(texts_of_fields(content, header.separator),
                                texts_of_rows(rows, header.separator))) {
    header.end = line.begin;  // No header: a row already.
    header.lines = line.number - 1;
    name_headerless(words, header);
    return header;
  }
  join_cut_names(rows_below, header);
  end_as_rows_do(rows_below, header);
  name_row_numbers(rows_below, header);
  const std::size_t rule = rows_below.find('\n');
  if (header.separator != ',' && rule != std::string_view::npos &&
      is_rule(rows_below.substr(0, rule))) {
    header.end += rule + 1;
    ++header.lines;
  }
  take_second_line(text, header);
  return header;
}

/// The places of the columns that a user means by a name: those with this name, else those with its
/// words.
std::vector<std::size_t> places_called(const std::vector<std::string>& names,
                                       std::string_view name) {
  std::vector<std::size_t> same;
  std::vector<std::size_t> alike;
  const std::vector<std::string> words = words_of_name(name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view label = column_label(names[i]).name;
    if (label == name) same.push_back(i);
    if (words_of_name(label) == words) alike.push_back(i);
  }
  return same.empty() ? alike : same;
}

/// Writes the units that the user tells into the header, as if they stood there.
void name_units(Header& header, const std::vector<ColumnUnit>& units, std::string_view source) {
  for (const ColumnUnit& told : units) {
    const auto places = places_called(header.names, told.column);
    if (places.size() != 1) continue;  // The column is looked for when it is used.
    std::string& name = header.names[places.front()];
    if (told.unit.empty()) {
      if (name.find('[') != std::string::npos) continue;  // The brackets are of the header.
      throw data_error(
          "{}: '{}' tells no unit that is known, for the column '{}': expected ns, us, ms, s, min, "
          "h or d for a time, J, kJ, MJ, Wh or kWh for an energy, W or kW for a power",
          source, told.written, name);
    }
    const std::string_view unit = column_label(name).unit;
    if (unit == told.unit) continue;
    if (!unit.empty()) {
      throw data_error("{}: the column '{}' is in {}, and not in {}", source, name, unit,
                       told.unit);
    }
    name = fmt::format("{} [{}]", name, told.unit);
  }
}

/// Whether a comment says something: "#" and "#-----" only draw a line between header and rows.
bool has_words(std::string_view comment) {
  return comment.find_first_not_of("#-=+_*~|:, \t\r") != std::string_view::npos;
}

/// The header of the first line that may be one; empty if the text ends before it.
std::optional<Header> first_header(std::string_view text, bool complete, std::string_view source,
                                   const TextLayout& layout) {
  HeaderLines lines(text, complete);
  std::optional<HeaderLine> comment;
  std::optional<char> delimiter = layout.delimiter;
  while (const auto line = lines.next()) {
    if (is_skipped_line(line->text.data(), line->text.data() + line->text.size())) {
      if (line->text.starts_with('#') && has_words(line->text)) comment = line;
      continue;
    }
    const std::string_view content = without_carriage_return(line->text);
    if (content.size() == 5 && content.starts_with("sep=")) {
      if (content[4] == '\0') {
        throw ParseError(source, line->number, "sep=: NUL cannot separate fields");
      }
      if (!delimiter) delimiter = content[4];
      continue;
    }
    refuse_lone_carriage_returns(content, source, line->number);
    const std::string_view rows = text.substr(line->begin);
    if (comment) {
      if (auto header = header_in_comment(*comment, rows, delimiter, source)) return header;
    }
    Header header = header_in_line(*line, content, text, delimiter, source);
    if (comment && comment->end == line->begin) {
      join_words_above(cells_of_comment(comment->text, header.separator), header.names);
    }
    return header;
  }
  return std::nullopt;
}

/// The place that a name such as "c4" counts.
std::optional<std::size_t> place_by_number(const Header& header, std::string_view name) {
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    if (name == fmt::format("c{}", i + 1)) return i;
  }
  return std::nullopt;
}

}  // namespace

void add_units_of(std::string_view columns, TextLayout& layout) {
  for (const std::string& name : split(columns, ',')) {
    const ColumnLabel label = column_label(name);
    const bool in_brackets = name.ends_with(']') || name.ends_with(')');
    const std::size_t open = name.rfind('[');
    if (in_brackets && !label.unit.empty()) {
      layout.units.push_back({std::string(label.name), std::string(label.unit)});
    } else if (name.ends_with(']') && open > 0 && open != std::string::npos) {
      layout.units.push_back(
          {std::string(trimmed(std::string_view(name).substr(0, open))), {}, name});
    }
  }
}

std::string_view description_of(FieldDefect defect) {
  using enum FieldDefect;
  return word_for(defect, {{kUnclosedQuote, "unclosed quote"},
                           {kTextAfterQuote, "unexpected text after the closing quote"},
                           {kStrayQuote, "quote inside an unquoted field"}});
}

void tokenize(std::string_view row, char separator, std::vector<std::string_view>& fields) {
  fields.clear();
  const boost::tokenizer<FieldSeparator, std::string_view::const_iterator, std::string_view> tokens(
      row.begin(), row.end(), FieldSeparator(separator));
  for (const std::string_view field : tokens) fields.push_back(field);
}

std::optional<FieldDefect> field_defect(std::string_view field) {
  if (!field.starts_with('"')) {
    if (field.find('"') != std::string_view::npos) return FieldDefect::kStrayQuote;
    return std::nullopt;
  }
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (field[i] != '"') continue;
    if (i + 1 == field.size()) return std::nullopt;
    if (field[i + 1] != '"') return FieldDefect::kTextAfterQuote;
    ++i;
  }
  return FieldDefect::kUnclosedQuote;
}

std::string_view field_text(std::string_view field, std::string& scratch) {
  if (!field.starts_with('"')) return field;
  field = field.substr(1, field.size() - 2);
  if (field.find('"') == std::string_view::npos) return field;
  scratch.clear();
  for (std::size_t i = 0; i < field.size(); ++i) {
    scratch += field[i];
    if (field[i] == '"') ++i;
  }
  return scratch;
}

std::size_t row_end(std::string_view text) {
  std::size_t line_feed = text.find('\n');
  for (std::size_t from = 0;;) {
    const std::size_t quote = text.substr(0, line_feed).find('"', from);
    if (quote == std::string_view::npos) return line_feed;
    const std::size_t closing = text.find('"', quote + 1);
    if (closing == std::string_view::npos) return std::string_view::npos;
    from = closing + 1;
    if (line_feed < from) line_feed = text.find('\n', from);
  }
}

std::optional<Header> parse_header(std::string_view text, bool complete, std::string_view source,
                                   const TextLayout& layout) {
  if (auto header = first_header(text, complete, source, layout)) {
    name_units(*header, layout.units, source);
    return header;
  }
  if (!complete) return std::nullopt;
  throw data_error("{}: empty: no header line{}", source,
                   source.ends_with(".db") && text.empty()
                       ? ", nor a study store, which it may be about to become"
                       : "");
}

bool suits_rows(const Header& header, std::string_view text) {
  const std::vector<std::string_view> rows = first_rows(text);
  if (rows.empty()) return true;
  // A quote that is left open takes in the rows below it.
  if (header.names.size() > 1 && rows.front().find('"') != std::string_view::npos) return true;
  if (header.names.size() == 1) {
    return std::ranges::all_of(rows,
                               [](std::string_view row) { return parse_measure(row).has_value(); });
  }
  const auto alike = [&](std::string_view row) {
    return fields_of(row, header.separator).size() == header.names.size();
  };
  if (alike(rows.front())) return true;
  const auto count = static_cast<std::size_t>(std::ranges::count_if(rows, alike));
  // Words under names of several words are as many in a few rows by chance.
  return header.separator != kBlanks && 2 * count > rows.size();
}

std::optional<std::size_t> find_column(const Header& header, std::string_view name,
                                       std::string_view source) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    const std::string& cell = header.names[i];
    const bool may_bear_it = cell.size() > name.size();  // A label is a part of its cell.
    if (cell != name && !(may_bear_it && column_label(cell).name == name)) continue;
    if (found) {
      throw parse_error(
          source, header.lines,
          "column '{}' appears twice in the header (fields {} and {}): rename one of them", name,
          *found + 1, i + 1);
    }
    found = i;
  }
  return found || !header.counted_names ? found : place_by_number(header, name);
}

}  // namespace scalelaw
