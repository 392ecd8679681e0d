#include "input/markup_tables.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "input/frame_cells.hpp"
#include "input/text_frames.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostSpan = 1000;

/// Whether text begins with a name in any case, and no letter follows.
bool begins_with_name(std::string_view text, std::string_view name) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  const std::string_view word = text.substr(0, name.size());
  return word.size() == name.size() && std::equal(word.begin(), word.end(), name.begin(), same) &&
         (name.size() == text.size() ||
          std::isalnum(static_cast<unsigned char>(text[name.size()])) == 0);
}

/// The place of the first "<name" of some names; npos without one. Looks at no text behind it.
std::size_t find_tags(std::string_view text, std::initializer_list<std::string_view> names,
                      std::size_t from = 0) {
  for (std::size_t at = text.find('<', from); at != text.npos; at = text.find('<', at + 1)) {
    const std::string_view behind = text.substr(at + 1);
    if (std::ranges::any_of(names, [&](auto name) { return begins_with_name(behind, name); })) {
      return at;
    }
  }
  return text.npos;
}

/// One cell, and how many columns and rows it takes.
struct HtmlCell {
  std::string text;
  bool is_header = false;
  std::size_t columns = 1;
  std::size_t rows = 1;
};

using HtmlRow = std::vector<HtmlCell>;

/// The number of an attribute, "colspan=2" or "colspan="2""; 1 without it.
std::size_t span_in(std::string_view tag, std::string_view attribute) {
  std::size_t at = lower_case(tag).find(attribute);
  if (at == std::string_view::npos) return 1;
  at = tag.find_first_of("0123456789", at);
  if (at == std::string_view::npos) return 1;
  const std::string_view digits =
      tag.substr(at, std::min(tag.find_first_not_of("0123456789", at), tag.size()) - at);
  const auto number = parse_number(digits);
  if (!number || *number < 1) return 1;
  return static_cast<std::size_t>(std::min<double>(*number, kMostSpan));
}

/// The text of a cell in one line of Markdown.
std::string cell_text(std::string_view inside) {
  std::string text;
  for (const char c : trimmed(inside)) {
    if (c == '|') text += '\\';
    text += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  }
  return text;
}

/// What stands between a tag and the next of some tags.
std::string_view up_to_tags(std::string_view text, std::initializer_list<std::string_view> tags) {
  return text.substr(0, find_tags(text, tags));
}

/// The cells of what stands behind "<tr>".
HtmlRow row_in(std::string_view text) {
  HtmlRow row;
  while (true) {
    const std::size_t at = find_tags(text, {"th", "td"});
    if (at == text.npos) return row;
    const std::size_t end = text.find('>', at);
    if (end == text.npos) return row;
    const std::string_view tag = text.substr(at, end - at);
    text.remove_prefix(end + 1);
    const std::string_view inside = up_to_tags(text, {"td", "th", "/td", "/th"});
    row.push_back({.text = cell_text(inside),
                   .is_header = begins_with_name(tag.substr(1), "th"),
                   .columns = span_in(tag, "colspan"),
                   .rows = span_in(tag, "rowspan")});
    text.remove_prefix(inside.size());
  }
}

/// The rows of what stands behind "<table".
std::vector<HtmlRow> rows_in(std::string_view text) {
  std::vector<HtmlRow> rows;
  for (std::size_t at = find_tags(text, {"tr"}); at != text.npos; at = find_tags(text, {"tr"})) {
    text.remove_prefix(at + 3);
    const std::string_view inside = up_to_tags(text, {"tr", "/tr", "/table"});
    if (HtmlRow row = row_in(inside); !row.empty()) rows.push_back(std::move(row));
    text.remove_prefix(inside.size());
  }
  return rows;
}

bool is_header(const HtmlRow& row) { return std::ranges::all_of(row, &HtmlCell::is_header); }

/// The rows as cells side by side, each with as many as the widest has.
/// @param bytes  Of the text. Spans make no more cells, so that a small text is no huge table.
std::vector<std::vector<std::string>> grid_of(const std::vector<HtmlRow>& rows, std::size_t bytes) {
  const std::size_t widest = std::max<std::size_t>(100, bytes / (rows.size() + 1));
  struct Open {
    std::size_t rows;
    std::string text;
  };
  std::map<std::size_t, Open> open;  // Cells of rows above that go on, by their columns.
  std::vector<std::vector<std::string>> grid;
  std::size_t width = 0;
  for (const HtmlRow& row : rows) {
    std::vector<std::string> cells;
    const auto take_open = [&] {
      for (auto one = open.find(cells.size()); one != open.end() && cells.size() < widest;
           one = open.find(cells.size())) {
        cells.push_back(one->second.text);
        if (--one->second.rows == 0) open.erase(one);
      }
    };
    const bool header = is_header(row);
    for (const HtmlCell& cell : row) {
      take_open();
      for (std::size_t i = 0; i == 0 || (i < cell.columns && cells.size() < widest); ++i) {
        const std::string text = i == 0 ? cell.text : "";
        if (cell.rows > 1) open[cells.size()] = {cell.rows - 1, header ? "" : text};
        cells.push_back(text);
      }
    }
    take_open();
    width = std::max(width, cells.size());
    grid.push_back(std::move(cells));
  }
  for (auto& cells : grid) cells.resize(width);
  return grid;
}

void append_row(const std::vector<std::string>& cells, std::string& out) {
  for (const std::string& cell : cells) out += "| " + cell + ' ';
  out += "|\n";
}

/// @param text  From "<table" to its end.
void append_table(std::string_view text, std::string& out) {
  const auto grid = grid_of(rows_in(text), text.size());
  out += "\n\n";
  if (const std::size_t caption = find_tags(text, {"caption"}); caption != text.npos) {
    const std::string_view behind = text.substr(std::min(text.find('>', caption), text.size() - 1));
    out += cell_text(up_to_tags(behind.substr(1), {"/caption"})) + "\n\n";
  }
  for (std::size_t i = 0; i < grid.size(); ++i) {
    append_row(grid[i], out);
    if (i > 0) continue;
    for (std::size_t column = 0; column < grid[i].size(); ++column) out += "|---";
    out += "|\n";
  }
  out += '\n';
}

using Lines = std::vector<std::string_view>;
using Cells = std::vector<std::string>;

enum class DirectiveKind { kList, kCsv };

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

bool is_blank_line(std::string_view line) { return trimmed(line).empty(); }

/// What stands in a line behind ".. list-table::" or the like: the title.
struct Directive {
  DirectiveKind kind;
  std::string_view title;
};

std::optional<Directive> directive_in(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("..")) return std::nullopt;
  line = trimmed(line.substr(2));
  struct Known {
    std::string_view word;
    DirectiveKind kind;
  };
  for (const Known& known :
       {Known{"list-table::", DirectiveKind::kList}, Known{"flat-table::", DirectiveKind::kList},
        Known{"csv-table::", DirectiveKind::kCsv}}) {
    if (line.starts_with(known.word)) {
      return Directive{known.kind, trimmed(line.substr(known.word.size()))};
    }
  }
  return std::nullopt;
}

/// The rows of a directive, each with the place of its first line.
struct DirectiveRow {
  std::size_t line;
  Cells cells;
};

/// What stands behind the mark of a list, "* text"; empty if the line begins no entry.
std::optional<std::string_view> entry_in(std::string_view line) {
  const bool marked = !line.empty() && (line[0] == '*' || line[0] == '-' || line[0] == '+');
  if (!marked || (line.size() > 1 && line[1] != ' ')) return std::nullopt;
  return trimmed(line.substr(1));
}

/// Rows that are lists of lists: "* - cell", then "  - cell".
std::vector<DirectiveRow> rows_of_lists(const Lines& lines, std::size_t begin, std::size_t end) {
  std::vector<DirectiveRow> rows;
  std::size_t outer = std::string_view::npos;  // Where rows begin.
  for (std::size_t at = begin; at < end; ++at) {
    if (is_blank_line(lines[at])) continue;
    const std::size_t indent = indent_of(lines[at]);
    auto entry = entry_in(lines[at].substr(indent));
    if (entry && outer == std::string_view::npos) outer = indent;
    if (outer == std::string_view::npos) continue;
    if (entry && indent == outer) {
      rows.push_back({at, {}});
      entry = entry_in(*entry);
    }
    if (rows.empty()) continue;
    Cells& cells = rows.back().cells;
    if (entry) {
      cells.emplace_back(*entry);
    } else if (!cells.empty()) {  // A cell goes on.
      cells.back() += (cells.back().empty() ? "" : " ") + std::string(trimmed(lines[at]));
    }
  }
  return rows;
}

/// Rows with commas, below the names that the option "header" has.
std::vector<DirectiveRow> rows_of_csv(const Lines& lines, std::size_t begin, std::size_t end) {
  constexpr std::string_view kHeader = ":header:";
  const Division commas{.kind = Division::Kind::kSeparator, .separator = ','};
  std::vector<DirectiveRow> rows;
  for (std::size_t at = begin; at < end; ++at) {
    const std::string_view line = trimmed(lines[at]);
    const bool header = line.starts_with(kHeader);
    if (line.empty() || (line.starts_with(':') && !header)) continue;
    rows.push_back({at, cells_of(header ? trimmed(line.substr(kHeader.size())) : line, commas)});
  }
  return rows;
}

std::string row_of_bars(const Cells& cells) {
  std::string row;
  for (const std::string& cell : cells) {
    row += "| ";
    for (const char c : cell) row += c == '|' ? std::string("\\|") : std::string(1, c);
    row += ' ';
  }
  return row + '|';
}

/// Whether rows make a table: several with as many cells.
bool are_table(const std::vector<DirectiveRow>& rows) {
  return rows.size() > 1 && rows.front().cells.size() > 1 &&
         std::ranges::all_of(rows, [&](const DirectiveRow& row) {
           return row.cells.size() == rows.front().cells.size();
         });
}

/// Writes the rows over the lines of a directive.
void write_rows(const std::vector<DirectiveRow>& rows, std::size_t begin, std::size_t end,
                std::vector<std::string>& out) {
  std::string rule;
  for (std::size_t i = 0; i < rows.front().cells.size(); ++i) rule += "|---";
  rule += '|';
  const std::size_t first = rows.front().line;
  for (std::size_t at = begin; at < end; ++at) out[at] = at + 1 < first ? "" : rule;
  for (const DirectiveRow& row : rows) out[row.line] = row_of_bars(row.cells);
  for (std::size_t at = rows.back().line + 1; at < end; ++at) out[at].clear();
}

}  // namespace

bool has_html_table(std::string_view text) {
  const std::size_t at = find_tags(text, {"table"});
  return at != text.npos && find_tags(text, {"tr"}, at) != text.npos;
}

std::string markdown_of_html(std::string_view text) {
  const bool is_page = trimmed(text).starts_with('<');
  std::string out;
  while (true) {
    const std::size_t begin = find_tags(text, {"table"});
    if (!is_page) out += text.substr(0, begin);
    if (begin == text.npos) return out;
    text.remove_prefix(begin);
    const std::size_t end = std::min(find_tags(text, {"/table"}), text.size());
    append_table(text.substr(0, end), out);
    text.remove_prefix(std::min(text.find('>', end), text.size() - 1) + 1);
  }
}

std::string bars_of_directives(std::string_view text) {
  if (text.find("-table::") == text.npos) return std::string(text);
  const Lines lines = lines_of(text);
  std::vector<std::string> out(lines.begin(), lines.end());
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const auto directive = directive_in(lines[at]);
    if (!directive) continue;
    const std::size_t indent = indent_of(lines[at]);
    std::size_t end = at + 1;
    while (end < lines.size() && (is_blank_line(lines[end]) || indent_of(lines[end]) > indent))
      ++end;
    const auto rows = directive->kind == DirectiveKind::kList ? rows_of_lists(lines, at + 1, end)
                                                              : rows_of_csv(lines, at + 1, end);
    if (are_table(rows)) {
      write_rows(rows, at + 1, end, out);
      out[at] = directive->title;
    }
    at = end - 1;
  }
  std::string joined;
  for (const std::string& line : out) joined += line + '\n';
  return joined;
}

}  // namespace scalelaw
