#include "input/cell_lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "input/text_frames.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/csv.hpp"

namespace scalelaw {
namespace {

using ListCells = std::vector<std::string_view>;

/// The cells of a line; separators in brackets and quotes divide nothing.
ListCells cells_outside_lists(std::string_view line, char separator) {
  ListCells cells;
  std::size_t begin = 0;
  int depth = 0;
  bool in_quotes = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : separator;
    const bool ends = i == line.size() || (c == separator && depth == 0 && !in_quotes);
    if (c == '"') in_quotes = !in_quotes;
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (!ends) continue;
    std::string_view cell = trimmed(line.substr(begin, i - begin));
    if (cell.size() > 1 && cell.starts_with('"') && cell.ends_with('"')) {
      cell = cell.substr(1, cell.size() - 2);
    }
    cells.push_back(cell);
    begin = i + 1;
  }
  return cells;
}

/// The numbers of a cell that holds a list, perhaps behind words: "times: [0.98, 0.97]". Empty if
/// it is none.
std::vector<std::string> numbers_of_list(std::string_view cell) {
  const std::size_t open = cell.find('[');
  if (open == std::string_view::npos || !cell.ends_with(']')) return {};
  std::vector<std::string> numbers;
  for (const std::string& part : split(cell.substr(open + 1, cell.size() - open - 2), ',')) {
    const std::string_view number = trimmed(part);
    if (!parse_number(number)) return {};
    numbers.emplace_back(number);
  }
  return numbers;
}

/// The separator that divides a header and the row below it alike; empty without one.
std::optional<char> separator_beside_lists(std::string_view header, std::string_view row) {
  for (const char separator : {',', ';', '\t', '|'}) {
    const std::size_t width = split(header, separator).size();
    if (width > 1 && cells_outside_lists(row, separator).size() == width) return separator;
  }
  return std::nullopt;
}

bool is_header_above_lists(std::string_view line) {
  return !trimmed(line).empty() && line.find_first_of("[]={}") == std::string_view::npos;
}

/// Adds one row for each number of the lists in a row. A row that does not fit stays as it is, so
/// that the reader says what is wrong.
void add_repeats(const ListCells& cells, TextRecords& table, std::vector<bool>& has_lists) {
  std::vector<std::vector<std::string>> lists;
  std::size_t repeats = 0;
  bool fits = cells.size() == table.names.size();
  for (const std::string_view cell : cells) {
    lists.push_back(numbers_of_list(cell));
    const std::size_t length = lists.back().size();
    fits = fits && (length == 0 || repeats == 0 || length == repeats);
    repeats = std::max(repeats, length);
  }
  if (!fits) {
    table.rows.emplace_back(cells.begin(), cells.end());
    return;
  }
  for (std::size_t i = 0; i < std::max<std::size_t>(repeats, 1); ++i) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const bool list = !lists[column].empty();
      if (list) has_lists[column] = true;
      row.push_back(list ? lists[column][i] : std::string(cells[column]));
    }
  }
}

}  // namespace

bool begins_with_cell_lists(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !is_header_above_lists(text.substr(0, end))) return false;
  const std::string_view below = text.substr(end + 1);
  const std::string_view row = trimmed(below.substr(0, below.find('\n')));
  const auto separator = separator_beside_lists(text.substr(0, end), row);
  if (!separator) return false;
  const ListCells cells = cells_outside_lists(row, *separator);
  return std::ranges::any_of(cells,
                             [](std::string_view cell) { return !numbers_of_list(cell).empty(); });
}

std::optional<TextRecords> records_of_cell_lists(std::string_view text) {
  if (!begins_with_cell_lists(text)) return std::nullopt;
  const auto lines = lines_of(text);
  const char separator = *separator_beside_lists(lines[0], lines[1]);
  TextRecords table;
  for (const std::string_view name : cells_outside_lists(lines[0], separator)) {
    table.names.emplace_back(name);
  }
  std::vector<bool> has_lists(table.names.size());
  for (std::size_t at = 1; at < lines.size(); ++at) {
    const std::string_view line = trimmed(lines[at]);
    if (line.empty() || line.starts_with('#')) continue;
    add_repeats(cells_outside_lists(line, separator), table, has_lists);
  }
  std::vector<std::string> of_lists;
  for (std::size_t i = 0; i < has_lists.size(); ++i) {
    if (has_lists[i]) of_lists.push_back(printable(table.names[i]));
  }
  table.told = fmt::format("the lists in {} are repeats of their row: each number is a row",
                           joined(of_lists));
  return table;
}

}  // namespace scalelaw
