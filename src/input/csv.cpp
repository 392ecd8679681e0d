#include "scalelaw/input/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/tokenizer.hpp>

#include "input/container.hpp"
#include "scalelaw/base/error.hpp"
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

char separator_of(std::string_view line, std::string_view source, std::uint64_t line_number) {
  bool quoted = false;
  std::size_t commas = 0;
  std::size_t tabs = 0;
  std::size_t semicolons = 0;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    commas += c == ',' ? 1 : 0;
    tabs += c == '\t' ? 1 : 0;
    semicolons += c == ';' ? 1 : 0;
  }
  if (tabs > commas) return '\t';
  if (commas == 0 && semicolons > 0) {
    throw ParseError(source, line_number,
                     "no field separator (comma or tab) in the header; found ';'");
  }
  return ',';
}

std::vector<std::string> header_names(std::string_view line, char separator,
                                      std::string_view source, std::uint64_t line_number) {
  std::vector<std::string_view> fields;
  tokenize(line, separator, fields);
  if (fields.size() > kMostColumns) {
    throw ParseError(source, line_number,
                     fmt::format("the header has {} columns, more than {}: is this a CSV file?",
                                 fields.size(), kMostColumns));
  }
  std::vector<std::string> names;
  std::string scratch;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view field = trimmed(fields[i]);
    if (const auto defect = field_defect(field)) {
      throw ParseError(source, line_number,
                       fmt::format("field {}: {}", i + 1, description_of(*defect)));
    }
    names.emplace_back(trimmed(field_text(field, scratch)));
    if (!is_utf8(names.back())) {
      throw ParseError(source, line_number,
                       fmt::format("field {} of the header: invalid UTF-8", i + 1));
    }
    if (names.back().find('\0') != std::string::npos) {
      throw ParseError(source, line_number,
                       fmt::format("field {} of the header: control character (NUL)", i + 1));
    }
  }
  return names;
}

void refuse_other_encodings(std::string_view text, std::string_view source) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw ParseError(source, 1, "UTF-16 text: convert it to UTF-8");
  }
}

void refuse_lone_carriage_returns(std::string_view line, std::string_view source,
                                  std::uint64_t number) {
  if (line.find('\r') != std::string_view::npos) {
    throw ParseError(source, number,
                     "carriage returns without line feeds (old Mac line ends): convert them to LF");
  }
}

/// Refuses a document of fits, or other JSON, which would fail with a message about its quotes.
void refuse_json(std::string_view line, std::string_view source, std::uint64_t number) {
  const bool is_json = line == "{" || line.starts_with("{\"");
  if (!is_json) return;
  const std::string path(source);
  const auto label = input_label(path);
  const Container* container =
      label ? container_at(path.substr(0, path.size() - label->size() - 1)) : nullptr;
  throw ParseError(source, number,
                   container != nullptr
                       ? container->no_table
                       : "a JSON document, such as one of fits, where a table of runs is wanted");
}

}  // namespace

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
  std::size_t from = 0;
  for (;;) {
    const std::size_t line_feed = text.find('\n', from);
    const std::string_view upto = text.substr(from, line_feed - from);
    const std::size_t quote = upto.find('"');
    if (quote == std::string_view::npos) return line_feed;
    const std::size_t closing = text.find('"', from + quote + 1);
    if (closing == std::string_view::npos) return std::string_view::npos;
    from = closing + 1;
  }
}

std::optional<Header> parse_header(std::string_view text, bool complete, std::string_view source) {
  refuse_other_encodings(text, source);
  Header header;
  std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  std::optional<char> separator;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    // A comment may contain a quote; it ends with its line.
    std::size_t length = rest.starts_with('#') ? rest.find('\n') : row_end(rest);
    if (length == std::string_view::npos) {
      if (!complete) return std::nullopt;
      length = rest.size();
    }
    const std::string_view line = rest.substr(0, length);
    const std::uint64_t number = header.lines + 1;
    const std::size_t begin = at;
    header.lines += 1 + static_cast<std::uint64_t>(std::count(line.begin(), line.end(), '\n'));
    at = std::min(at + length + 1, text.size());
    if (is_skipped_line(line.data(), line.data() + line.size())) continue;
    const std::string_view content = without_carriage_return(line);
    if (content.size() == 5 && content.starts_with("sep=")) {
      separator = content[4];
      if (separator == '\0') throw ParseError(source, number, "sep=: NUL cannot separate fields");
      continue;
    }
    refuse_json(content, source, number);
    refuse_lone_carriage_returns(content, source, number);
    header.separator = separator ? *separator : separator_of(content, source, number);
    header.names = header_names(content, header.separator, source, number);
    header.end = at;
    if (header.names.size() == 1 && parse_number(header.names.front())) {
      header.names.front() = kOnlyColumn;  // One number per line, without a header: a row already.
      header.end = begin;
      header.lines = number - 1;
    }
    return header;
  }
  if (!complete) return std::nullopt;
  throw DataError(fmt::format("{}: empty: no header line{}", source,
                              source.ends_with(".db") && text.empty()
                                  ? ", nor a study store, which it may be about to become"
                                  : ""));
}

std::optional<std::size_t> find_column(const Header& header, std::string_view name,
                                       std::string_view source) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    const std::string& cell = header.names[i];
    if (cell != name && column_label(cell).name != name) continue;
    if (found) {
      throw ParseError(
          source, header.lines,
          fmt::format("column '{}' stands twice (fields {} and {})", name, *found + 1, i + 1));
    }
    found = i;
  }
  return found;
}

}  // namespace scalelaw
