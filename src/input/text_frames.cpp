#include "input/text_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "input/header_names.hpp"
#include "input/wide_table.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/csv.hpp"

namespace scalelaw {
namespace {

using Lines = std::vector<std::string_view>;
using Cells = std::vector<std::string>;

bool is_blank(std::string_view line) { return trimmed(line).empty(); }

/// Whether a cell begins as a number does: "12.3 ms", "~8", "-".
bool begins_with_digit(std::string_view cell) {
  for (const std::string_view mark : {"~", "\u2248", "-", "+", "."}) {
    if (cell.size() > mark.size() && cell.starts_with(mark)) cell.remove_prefix(mark.size());
  }
  return !cell.empty() && cell.front() >= '0' && cell.front() <= '9';
}

bool has_letter(std::string_view cell) {
  return std::ranges::any_of(
      cell, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

std::size_t count_numbers(const Cells& cells) {
  return static_cast<std::size_t>(std::ranges::count_if(
      cells, [](const std::string& cell) { return begins_with_digit(cell); }));
}

/// Whether cells can name columns: no numbers, or numbers alone beside the name of the rows.
bool could_be_names(const Cells& cells) {
  const std::size_t numbers = count_numbers(cells);
  return numbers == 0 || numbers + 1 >= cells.size();
}

/// Puts the cells of a further line of a header behind the names.
void add_to_names(Cells& names, const Cells& more) {
  for (std::size_t i = 0; i < std::min(names.size(), more.size()); ++i) {
    if (more[i].empty()) continue;
    if (!names[i].empty()) names[i] += ' ';
    names[i] += more[i];
  }
}

Cells cells_at(const Lines& lines, std::size_t at, const Division& division) {
  return at < lines.size() ? cells_of(lines[at], division) : Cells{};
}

bool is_rule_at(const Lines& lines, std::size_t at, std::size_t least = 2) {
  return at < lines.size() && is_table_rule(lines[at], least);
}

/// Whether the bars of a line are those of LaTeX, "\begin{tabular}{c|c}", which divide no cells.
bool is_latex(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("\\begin{") || line.ends_with("\\\\") || line.ends_with("\\hline") ||
         line.find("\\multicolumn") != line.npos;
}

bool is_row_of_bars(const Lines& lines, std::size_t at) {
  return at < lines.size() && has_bar(lines[at]) && !is_table_rule(lines[at]) &&
         !is_latex(lines[at]);
}

/// How many cells a rule divides: "|---|:-:|" and "----+----" two, "------" one.
std::size_t width_of_rule(std::string_view rule) {
  if (has_bar(rule)) return bar_cells(rule).size();
  rule = trimmed(rule);
  if (rule.size() > 1 && rule.front() == '+' && rule.back() == '+') {
    rule = rule.substr(1, rule.size() - 2);
  }
  return 1 + static_cast<std::size_t>(std::ranges::count(rule, '+'));
}

/// Whether the line after a blank one is a further row of a table of bars, and no header.
bool goes_on_after_blank(const Lines& lines, std::size_t at, std::size_t width) {
  if (!is_row_of_bars(lines, at) || is_rule_at(lines, at + 1, 1)) return false;
  const Division division{.width = 0};
  const Cells cells = cells_of(lines[at], division);
  return cells.size() == width && count_numbers(cells) > 0;
}

/// The line after the last row of a table of bars.
/// @param boxed  Rules may stand between all of its rows.
std::size_t end_of_bars(const Lines& lines, const TextFrame& frame, bool boxed) {
  std::size_t end = frame.begin;
  for (std::size_t at = frame.begin; at < lines.size(); ++at) {
    if (is_blank(lines[at])) {
      if (boxed || !goes_on_after_blank(lines, at + 1, frame.names.size())) break;
      continue;
    }
    if (!has_bar(lines[at]) && !is_table_rule(lines[at])) break;
    const bool new_header = !boxed && at > frame.begin && !is_table_rule(lines[at]) &&
                            is_rule_at(lines, at + 1, 1) && is_row_of_bars(lines, at + 2) &&
                            count_numbers(cells_of(lines[at], frame.division)) == 0;
    if (new_header) break;
    end = at + 1;
  }
  return end;
}

std::size_t rows_of_bars(const Lines& lines, const TextFrame& frame) {
  std::size_t rows = 0;
  for (std::size_t at = frame.begin; at < frame.end; ++at) rows += is_row_of_bars(lines, at);
  return rows;
}

/// Takes units that stand in a row of their own under the names, or the names of columns under
/// those of merged cells.
void take_second_row(const Lines& lines, TextFrame& frame) {
  const Cells cells = cells_at(lines, frame.begin, frame.division);
  if (cells.size() != frame.names.size()) return;
  std::size_t next = frame.begin + 1;
  if (is_rule_at(lines, next)) ++next;
  if (is_row_of_units(cells)) {
    add_units_to_names(cells, frame.names);
  } else if (is_row_of_sub_names(frame.names, cells, cells_at(lines, next, frame.division))) {
    join_sub_names(cells, frame.names);
  } else {
    return;
  }
  frame.begin = next;
}

/// So many lines do not part a header from its rows.
constexpr std::size_t kLongestGap = 100;

/// The line after rules, and after the blank lines and the fence of Markdown that may part a header
/// from its rows.
std::size_t after_gap(const Lines& lines, std::size_t at) {
  const std::size_t end = std::min(lines.size(), at + kLongestGap);
  while (at < end &&
         (is_blank(lines[at]) || is_rule_at(lines, at) || trimmed(lines[at]).starts_with("```"))) {
    ++at;
  }
  return at;
}

/// Whether names without a rule below them stand above two rows with as many cells and numbers.
bool has_rows_of_numbers(const Lines& lines, const TextFrame& frame) {
  if (!could_be_names(frame.names)) return false;
  const Division any{};
  for (std::size_t row = frame.begin; row < frame.begin + 2; ++row) {
    const Cells cells = cells_at(lines, row, any);
    if (cells.size() != frame.names.size() || count_numbers(cells) == 0) return false;
  }
  return true;
}

/// A table of bars whose header or upper rule stands at a line.
std::optional<TextFrame> frame_of_bars(const Lines& lines, std::size_t at) {
  const bool boxed = is_rule_at(lines, at);
  const std::size_t header = at + (boxed ? 1 : 0);
  if (!is_row_of_bars(lines, header)) return std::nullopt;
  TextFrame frame;
  frame.first = at;
  frame.names = cells_at(lines, header, {});
  frame.division.width = frame.names.size();
  if (frame.names.size() < 2) return std::nullopt;
  std::size_t rule = header + 1;
  Cells names = frame.names;
  for (; boxed && rule < header + 4 && is_row_of_bars(lines, rule); ++rule) {
    add_to_names(names, cells_at(lines, rule, frame.division));
  }
  const bool ruled = is_rule_at(lines, rule, 1);
  frame.begin = ruled ? rule + 1 : after_gap(lines, header + 1);
  if (ruled) frame.names = std::move(names);
  const std::size_t width = ruled ? width_of_rule(lines[rule]) : frame.names.size();
  if (width != 1 && width != frame.names.size()) return std::nullopt;
  frame.counted_names = !ruled && frame.begin > header + 1;
  take_second_row(lines, frame);
  if (!ruled && !has_rows_of_numbers(lines, frame)) return std::nullopt;
  frame.end = end_of_bars(lines, frame, boxed);
  return rows_of_bars(lines, frame) >= (ruled ? 1 : 2) ? std::optional(frame) : std::nullopt;
}

/// The parts of a rule that blanks divide, "----  ---"; empty if the line is none.
std::vector<Piece> parts_of_rule(const Lines& lines, std::size_t at) {
  if (!is_rule_at(lines, at) || has_bar(lines[at]) || has_box_character(lines[at]) ||
      is_latex_rule(lines[at])) {
    return {};
  }
  std::vector<Piece> parts = blank_pieces(lines[at], 1);
  if (parts.size() < 2) parts.clear();
  return parts;
}

/// The line after the rows from `begin` on: at a rule that closes them, or at a blank line.
std::size_t end_of_columns(const Lines& lines, std::size_t begin, bool closed) {
  std::size_t at = begin;
  for (; at < lines.size() && !is_blank(lines[at]); ++at) {
    if (closed && is_table_rule(lines[at])) return at + 1;
  }
  return at;
}

/// A table whose columns are those of a rule: "=====  =====", as in reStructuredText.
std::optional<TextFrame> frame_of_ruled_columns(const Lines& lines, std::size_t at) {
  const bool closed = !parts_of_rule(lines, at).empty();
  const std::size_t header = at + (closed ? 1 : 0);
  if (header >= lines.size() || is_blank(lines[header]) || is_table_rule(lines[header])) {
    return std::nullopt;
  }
  std::size_t rule = header + 1;
  while (closed && rule < header + 4 && rule < lines.size() && !is_blank(lines[rule]) &&
         parts_of_rule(lines, rule).empty()) {
    ++rule;
  }
  const std::vector<Piece> parts = parts_of_rule(lines, rule);
  if (parts.empty()) return std::nullopt;
  TextFrame frame;
  frame.first = at;
  frame.begin = rule + 1;
  frame.division = {.kind = Division::Kind::kColumns, .width = parts.size()};
  for (const Piece& part : parts) frame.division.begins.push_back(part.begin);
  frame.names = cells_of(lines[header], frame.division);
  for (std::size_t more = header + 1; more < rule; ++more) {
    add_to_names(frame.names, cells_of(lines[more], frame.division));
  }
  take_second_row(lines, frame);
  frame.end = end_of_columns(lines, frame.begin, closed);
  return frame.end > frame.begin ? std::optional(frame) : std::nullopt;
}

/// The first rows below a header without bars. Not all: every line of a log may be a header.
Lines rows_below(const Lines& lines, std::size_t at) {
  constexpr std::size_t kMostSeen = 50;
  Lines rows;
  for (; at < lines.size() && rows.size() < kMostSeen && !is_blank(lines[at]); ++at) {
    if (!is_table_rule(lines[at])) rows.push_back(lines[at]);
  }
  return rows;
}

/// Whether a line below columns of blanks has more words than there are columns, and no columns.
bool is_sentence(std::string_view line, std::size_t width) {
  return blank_pieces(line, 2).size() == 1 && blank_pieces(line, 1).size() > width;
}

/// How many cells most rows have: at least two in the first two rows, and in one column numbers
/// alone. 0 if the division does not suit them.
std::size_t width_of_body(const Lines& body, const Division& division) {
  if (body.size() < 2) return 0;
  const std::size_t width = cells_of(body.front(), division).size();
  if (width < 2) return 0;
  std::vector<bool> numbers(width, true);
  std::size_t alike = 0;
  std::size_t divided = 0;  // Rows with all cells, and not by the places of the columns alone.
  std::size_t row = 0;
  for (; row < body.size(); ++row) {
    const bool columns = division.kind != Division::Kind::kSeparator;
    if (columns && row >= 2 && is_sentence(body[row], width)) break;
    const Cells cells = cells_of(body[row], division);
    if (cells.size() != width) {
      if (row < 2) return 0;
      continue;
    }
    ++alike;
    divided += !columns || blank_pieces(body[row], 2).size() == width ||
               blank_pieces(body[row], 1).size() == width;
    for (std::size_t i = 0; i < width; ++i) {
      numbers[i] = numbers[i] && begins_with_digit(cells[i]);
    }
    if (std::ranges::find(numbers, true) == numbers.end()) return 0;
  }
  return 2 * alike > row && 2 * divided >= row ? width : 0;
}

/// The columns in which the words of a header stand above those of the rows.
std::vector<std::size_t> begins_of_columns(const Lines& body, std::size_t width) {
  std::vector<std::size_t> begins(width, std::string_view::npos);
  std::vector<std::size_t> ends(width, 0);
  for (const std::string_view row : body) {
    const std::vector<Piece> words = blank_pieces(row, 1);
    if (words.size() != width) continue;
    for (std::size_t i = 0; i < width; ++i) {
      begins[i] = std::min(begins[i], words[i].begin);
      ends[i] = std::max(ends[i], words[i].end);
    }
  }
  for (std::size_t i = 1; i < width; ++i) {
    if (begins[i] <= ends[i - 1]) return {};
  }
  return begins;
}

/// The words of a header, each with the column of the rows below to which it stands nearest.
Cells names_by_place(std::string_view header, const std::vector<std::size_t>& begins) {
  Cells names(begins.size());
  std::size_t from = 0;
  for (const Piece& word : blank_pieces(header, 1)) {
    const auto distance = [&](std::size_t column) {
      const std::size_t begin = begins[column];
      if (word.begin > begin) return word.begin - begin;
      return word.end < begin ? begin - word.end : 0;
    };
    std::size_t best = from;
    for (std::size_t column = from; column < begins.size(); ++column) {
      if (distance(column) < distance(best)) best = column;
    }
    from = best;
    if (!names[best].empty()) names[best] += ' ';
    names[best] += word.text;
  }
  return names;
}

/// Whether rows begin with their numbers, 0, 1, 2, ..., as pandas and R print them.
bool begin_with_row_numbers(const Lines& body) {
  std::optional<double> before;
  for (const std::string_view row : body) {
    const std::vector<Piece> words = blank_pieces(row, 1);
    const auto number = words.empty() ? std::nullopt : parse_number(words.front().text);
    if (!number || !(before ? *number == *before + 1 : *number == 0 || *number == 1)) return false;
    before = number;
  }
  return before.has_value();
}

/// The names in a header above rows that are divided so; empty if it has not as many.
Cells names_above(std::string_view header, const Lines& body, const Division& division) {
  using enum Division::Kind;
  static constexpr std::array<char, 4> kSeparators{',', ';', '\t', '|'};
  std::vector<Division> ways{division, {.kind = kColumns, .width = division.width}};
  ways.push_back({.kind = kWords});
  for (const char separator : kSeparators) {
    ways.push_back({.kind = kSeparator, .separator = separator});
  }
  for (const Division& way : ways) {
    Cells names = cells_of(header, way);
    if (names.size() == division.width) return names;
  }
  if (division.kind != kWords) return {};
  Cells words = cells_of(header, division);
  if (words.size() + 1 == division.width && begin_with_row_numbers(body)) {
    words.insert(words.begin(), "index");
    return words;
  }
  const std::vector<std::size_t> begins = begins_of_columns(body, division.width);
  if (begins.empty()) return {};
  Cells names = names_by_place(header, begins);
  const bool each = std::ranges::none_of(names, [](auto& name) { return name.empty(); });
  return each ? names : Cells{};
}

/// Takes the units in the row below the names, which may lack some.
void take_units_by_place(const Lines& lines, const Lines& body, TextFrame& frame) {
  Cells units = cells_at(lines, frame.begin, frame.division);
  if (units.size() != frame.names.size()) {
    const std::vector<std::size_t> begins = begins_of_columns(body, frame.names.size());
    if (begins.empty()) return;
    units = names_by_place(lines[frame.begin], begins);
  }
  add_units_to_names(units, frame.names);
  ++frame.begin;
}

/// Columns that begin where the names do that two blanks divide.
/// @param comment  The names stood behind a "#", so that their places are not known.
Division columns_of_header(std::string_view header, bool comment) {
  const std::vector<Piece> pieces = blank_pieces(header, 2);
  Division division{.kind = Division::Kind::kColumns, .width = pieces.size()};
  for (const Piece& piece : pieces) {
    if (!comment) division.begins.push_back(piece.begin);
  }
  return division;
}

/// The line after the rows of a table, or that of the first sentence below them.
std::size_t end_of_rows(const Lines& lines, const TextFrame& frame) {
  const bool sentences = frame.division.kind != Division::Kind::kSeparator;
  const bool latex = !sentences && frame.division.separator == '&';
  std::size_t at = frame.begin;
  while (at < lines.size() && !is_blank(lines[at]) &&
         !(latex && lines[at].find('&') == std::string_view::npos && !is_rule_at(lines, at)) &&
         !(sentences && is_sentence(lines[at], frame.division.width))) {
    ++at;
  }
  return at;
}

/// Whether a line assigns a list, "gpus = [1, 2, 4]", and so is no header.
bool begins_list(std::string_view line) {
  return line.find("= [") != line.npos || line.find("=[") != line.npos;
}

/// A table without rules and bars below a header: columns of blanks, or text with separators.
std::optional<TextFrame> frame_of_columns(const Lines& lines, std::size_t at) {
  using enum Division::Kind;
  std::string_view header = lines[at];
  if (is_blank(header) || is_table_rule(header) || begins_list(header)) return std::nullopt;
  const bool comment = header.starts_with('#');
  if (comment) header.remove_prefix(std::min(header.find_first_not_of("# \t"), header.size()));
  std::size_t below = at + 1;
  while (below <= at + kLongestGap && is_rule_at(lines, below)) ++below;
  const bool apart = below < lines.size() && after_gap(lines, below) != below;
  below = after_gap(lines, below);
  const Lines body = rows_below(lines, below);
  std::vector<Division> ways;
  for (const char separator : {',', ';', '\t', '&'}) {
    if (!apart) ways.push_back({.kind = kSeparator, .separator = separator});
  }
  // Two blanks divide before one does: "1 node  12 s".
  ways.push_back(columns_of_header(header, comment));
  // Words apart from the rows may be of a sentence.
  if (apart && (ways.back().width < 2 || count_numbers(cells_of(header, ways.back())) > 0))
    return {};
  if (!apart) ways.push_back({.kind = kWords});
  for (Division& division : ways) {
    Lines rows = body;
    TextFrame frame{
        .names = {}, .counted_names = apart, .division = division, .first = at, .begin = below};
    const Cells units = cells_at(lines, below, division);
    const bool has_units = is_row_of_units(units);
    const bool has_subs =
        division.separator == '&' && !has_units && rows.size() > 1 &&
        is_row_of_sub_names(cells_of(header, division), units, cells_of(rows[1], division));
    if ((has_units || has_subs) && !rows.empty()) rows.erase(rows.begin());
    frame.division.width = width_of_body(rows, division);
    if (frame.division.width == 0) continue;
    frame.names = names_above(header, rows, frame.division);
    if (apart && frame.names.size() != ways.front().width) continue;
    if (frame.names.empty() || !could_be_names(frame.names)) continue;
    if (has_subs) {
      join_sub_names(units, frame.names);
      ++frame.begin;
    }
    if (division.separator == '&' && frame.names.front().empty())
      frame.names.front() = kNamesOfRows;
    if (has_units) take_units_by_place(lines, rows, frame);
    frame.end = end_of_rows(lines, frame);
    return frame;
  }
  return std::nullopt;
}

/// A table of numbers below one line per name, as plots label their axes:
/// "number of nodes", "time (s)", "8 41.9".
std::optional<TextFrame> frame_of_name_lines(const Lines& lines, std::size_t at) {
  if (at > 0 && !is_blank(lines[at - 1])) return std::nullopt;  // Names begin a paragraph.
  constexpr std::size_t kMostWords = 6;
  constexpr std::size_t kMostNames = 8;
  const auto is_name = [&](std::size_t line) {
    const std::size_t words = line < lines.size() ? blank_pieces(lines[line], 1).size() : 0;
    return words > 0 && words <= kMostWords && !is_table_rule(lines[line]) &&
           lines[line][0] != '#' && !begins_with_digit(trimmed(lines[line])) &&
           lines[line].find(',') == std::string_view::npos;
  };
  TextFrame frame{.names = {},
                  .counted_names = true,
                  .division = {.kind = Division::Kind::kWords},
                  .first = at,
                  .begin = at};
  while (frame.names.size() <= kMostNames && is_name(frame.begin)) {
    frame.names.emplace_back(trimmed(lines[frame.begin++]));
  }
  frame.division.width = frame.names.size();
  for (frame.end = frame.begin; frame.end < lines.size(); ++frame.end) {
    const Cells cells = cells_of(lines[frame.end], frame.division);
    if (cells.size() != frame.names.size() || count_numbers(cells) != cells.size()) break;
  }
  constexpr std::size_t kFewest = 2;
  if (frame.names.size() < kFewest || frame.end < frame.begin + kFewest) return std::nullopt;
  // The last lines may be a header of their own.
  for (std::size_t line = at + 1; line < frame.begin; ++line) {
    if (frame_of_columns(lines, line)) return std::nullopt;
  }
  return frame;
}

std::optional<TextFrame> frame_at(const Lines& lines, std::size_t at) {
  if (is_blank(lines[at])) return std::nullopt;
  if (auto frame = frame_of_bars(lines, at)) return frame;
  if (auto frame = frame_of_ruled_columns(lines, at)) return frame;
  if (auto frame = frame_of_columns(lines, at)) return frame;
  return frame_of_name_lines(lines, at);
}

/// The cells of the row in a line; none if the line holds none.
Cells row_at(const Lines& lines, std::size_t at, const TextFrame& frame) {
  const bool row = !is_blank(lines[at]) && !is_table_rule(lines[at]);
  Cells cells = row ? cells_of(lines[at], frame.division) : Cells{};
  const bool empty = std::ranges::all_of(cells, [](auto& cell) { return cell.empty(); });
  if (empty) cells.clear();
  return cells;
}

/// Whether a column of numbers rises inside each block of rows and begins anew with each name of
/// the first column, so that its empty cells mean the name above.
bool has_scales_that_restart(const Lines& lines, const TextFrame& frame) {
  constexpr std::size_t kFewestBlocks = 2;
  std::vector<double> before(frame.names.size());
  std::vector<bool> restarts(frame.names.size(), true);
  restarts.front() = false;
  std::size_t blocks = 0;
  std::size_t rows = 0;
  for (std::size_t at = frame.begin; at < frame.end; ++at) {
    const Cells cells = row_at(lines, at, frame);
    if (cells.empty()) continue;
    if (cells.size() != frame.names.size()) return false;
    const bool begins = !cells.front().empty();
    blocks += begins ? 1 : 0;
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const auto number = parse_number(cells[i]);
      const bool suits = number && (rows == 0 || begins != (*number > before[i]));
      restarts[i] = restarts[i] && suits;
      before[i] = number.value_or(0);
    }
    ++rows;
  }
  return blocks >= kFewestBlocks && rows >= 2 * blocks &&
         std::ranges::find(restarts, true) != restarts.end();
}

/// Whether the first column of a table of bars names blocks of rows: a text in the first row of
/// each, and nothing in the others.
bool names_blocks(const Lines& lines, const TextFrame& frame) {
  using enum Division::Kind;
  const bool separated = frame.division.kind == kSeparator;
  if (frame.division.kind != kBars && !separated) return false;
  const bool latex = separated && frame.division.separator == '&';
  if (separated && !latex && !has_scales_that_restart(lines, frame)) return false;
  bool named = false;
  bool any_empty = false;
  for (std::size_t at = frame.begin; at < frame.end; ++at) {
    const Cells cells = row_at(lines, at, frame);
    if (cells.empty()) continue;
    if (!cells.front().empty()) {
      if (begins_with_digit(cells.front()) && !has_letter(cells.front())) return false;
      named = true;
      continue;
    }
    // Text that goes on in the next line of a cell is no row.
    if (!named || count_numbers(cells) == 0) return false;
    any_empty = true;
  }
  return any_empty;
}

/// "line 3", "lines 3 to 7".
std::string line_range(std::size_t first, std::size_t last) {
  return first == last ? fmt::to_string(first + 1) : fmt::format("{} to {}", first + 1, last + 1);
}

/// The lines with text that are in no table: "1 to 2, 9".
std::string lines_outside(const Lines& lines, const std::vector<TextFrame>& frames) {
  constexpr std::size_t kMostRanges = 3;
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  auto frame = frames.begin();
  for (std::size_t at = 0; at < lines.size(); ++at) {
    while (frame != frames.end() && at >= frame->end) ++frame;
    const bool inside = frame != frames.end() && at >= frame->first;
    if (inside || is_blank(lines[at])) continue;
    if (!ranges.empty() && ranges.back().second + 1 == at) {
      ranges.back().second = at;
    } else {
      ranges.emplace_back(at, at);
    }
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(ranges.size(), kMostRanges); ++i) {
    texts.push_back(line_range(ranges[i].first, ranges[i].second));
  }
  if (ranges.size() > kMostRanges) texts.emplace_back("others");
  return joined(texts);
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool begins_with_ruled_bars(std::string_view text) {
  constexpr std::size_t kMostLines = 50;
  std::size_t end = 0;
  for (std::size_t i = 0; i < kMostLines && end < text.size(); ++i) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  const Lines lines = lines_of(text.substr(0, end));
  for (std::size_t at = 0; at + 2 < lines.size(); ++at) {
    if (!is_rule_at(lines, at + 1, 1) || !is_row_of_bars(lines, at)) continue;
    const std::size_t width = cells_at(lines, at, {}).size();
    const bool fits = width > 1 && width_of_rule(lines[at + 1]) == width;
    if (fits && is_row_of_bars(lines, at + 2)) return true;
  }
  return false;
}

std::vector<TextFrame> frames_in(const std::vector<std::string_view>& lines) {
  std::vector<TextFrame> frames;
  for (std::size_t at = 0; at < lines.size();) {
    auto frame = frame_at(lines, at);
    at = frame ? frame->end : at + 1;
    if (frame) frames.push_back(*std::move(frame));
  }
  return frames;
}

bool is_table_of_blocks(std::string_view text) {
  const auto begins_empty = [text](std::string_view line) { return text.find(line) != text.npos; };
  if (!begins_empty("\n,") && !begins_empty("\n;") && !begins_empty("\n\t")) return false;
  const Lines lines = lines_of(text);
  const std::vector<TextFrame> frames = frames_in(lines);
  return frames.size() == 1 && frames.front().first == 0 &&
         frames.front().division.kind == Division::Kind::kSeparator &&
         names_blocks(lines, frames.front()) && lines_outside(lines, frames).empty();
}

std::string rows_of_frame(const std::vector<std::string_view>& lines, const TextFrame& frame) {
  std::string rows(frame.begin - 1, '\n');  // The header stands above the first row.
  append_delimited_row(rows, frame.names, '\t');
  const bool blocks = names_blocks(lines, frame);
  std::string block;
  for (std::size_t at = frame.begin; at < frame.end; ++at) {
    Cells cells = row_at(lines, at, frame);
    if (blocks && !cells.empty()) {
      if (!cells.front().empty()) block = cells.front();
      cells.front() = block;
    }
    append_delimited_row(rows, cells, '\t');
  }
  return rows;
}

std::string lines_of_frame(const TextFrame& frame) {
  return line_range(frame.first, frame.end - 1);
}

std::string caption_of_frame(const std::vector<std::string_view>& lines, const TextFrame& frame) {
  constexpr std::size_t kMostBetween = 3;
  std::size_t at = std::min(frame.first, lines.size());
  for (std::size_t i = 0; i < kMostBetween && at > 0; ++i) {
    if (!is_blank(lines[--at])) return std::string(trimmed(lines[at]));
  }
  return "";
}

std::string told_of_frame(const std::vector<std::string_view>& lines,
                          const std::vector<TextFrame>& frames, std::size_t chosen) {
  const TextFrame& frame = frames[chosen];
  std::vector<std::string> parts;
  using enum Division::Kind;
  const Division::Kind kind = frame.division.kind;
  if (kind == kBars) parts.emplace_back("bars separate the columns");
  if (kind == kColumns || kind == kWords) parts.emplace_back("blanks separate the columns");
  if (names_blocks(lines, frame)) {
    const std::string& name = frame.names.front();
    parts.push_back(fmt::format("empty cells of {} are filled from the row above",
                                name.empty() ? "the first column" : "'" + printable(name) + "'"));
  }
  const std::string outside = lines_outside(lines, frames);
  if (frames.size() > 1 || !outside.empty()) {
    parts.push_back("the table is in lines " + lines_of_frame(frame));
  }
  if (!outside.empty()) parts.push_back("lines without a table are left out: " + outside);
  if (frames.size() > 1) {
    std::vector<std::string> others;
    std::vector<std::string> options;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (i == chosen) continue;
      others.push_back(lines_of_frame(frames[i]));
      options.push_back(fmt::format("--table {}", i + 1));
    }
    constexpr std::size_t kMost = 5;
    const bool many = others.size() > kMost;
    others.resize(std::min(others.size(), kMost));
    options.resize(std::min(options.size(), kMost));
    if (many) others.emplace_back("others");
    parts.push_back(fmt::format("further tables are not read, in lines {}: {} reads {}",
                                joined(others), joined(options, " or "),
                                frames.size() == 2 ? "that one" : "one of them"));
  }
  return joined(parts, "; ");
}

}  // namespace scalelaw
