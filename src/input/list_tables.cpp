#include "input/list_tables.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "input/frame_cells.hpp"
#include "input/text_frames.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

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
