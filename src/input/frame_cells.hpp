#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// What a cell of a table in LaTeX shows: without commands such as \textbf, braces and dollar
/// signs, with signs for \pm, \times and \%, and without footnotes, colours and citations.
std::string latex_text(std::string_view cell);

/// How many columns a cell takes: 2 for "\multicolumn{2}{c}{BERT}", else 1.
std::size_t latex_columns(std::string_view cell);

/// Whether a line has rules alone: "\hline", "\cmidrule(lr){2-3} \cmidrule(lr){4-5}".
bool is_latex_rule(std::string_view line);

/// The text of a Markdown cell as a page shows it: without marks of emphasis and code, links,
/// images, line breaks, footnotes and escapes.
std::string markdown_text(std::string_view cell);

/// Whether a line has a bar, '|' or one of those that boxes are drawn with, that no backslash
/// escapes.
bool has_bar(std::string_view line);

/// What stands between the bars of a line; bars at its ends enclose nothing.
std::vector<std::string_view> bar_cells(std::string_view line);

/// Whether a line draws a rule of a table and holds nothing else: "|---|:-:|", "+===+", "├──┼──┤",
/// "---- ----", "\midrule".
/// @param least  So many dashes each of its parts has at least.
bool is_table_rule(std::string_view line, std::size_t least = 2);

/// Whether a line has a character that boxes are drawn with.
bool has_box_character(std::string_view line);

/// A stretch of a line, in characters.
struct Piece {
  std::string_view text;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// What blanks divide a line into. A piece in double quotes is one.
/// @param gap  So many blanks divide two pieces; a tab always does.
std::vector<Piece> blank_pieces(std::string_view line, std::size_t gap);

/// How the rows of a table are divided into cells.
struct Division {
  enum class Kind {
    kBars,
    kSeparator,  ///< `separator`, with quotes as in CSV; '&' as in LaTeX.
    kColumns,    ///< Two blanks, or single ones, or else the places of the columns.
    kWords,      ///< Single blanks.
  };
  Kind kind = Kind::kBars;
  char separator = ',';
  std::size_t width = 0;
  std::vector<std::size_t> begins = {};  ///< Of kColumns: the first character of each column.
};

/// The cells of a row. They are as many as the table is wide, unless the row does not fit it.
std::vector<std::string> cells_of(std::string_view line, const Division& division);

}  // namespace scalelaw
