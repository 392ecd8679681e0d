#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "input/frame_cells.hpp"

namespace scalelaw {

/// A table that stands in a text, between captions and prose: Markdown, a table that rules or
/// boxes are drawn around, columns under names with blanks in them.
struct TextFrame {
  std::vector<std::string> names;
  bool counted_names = false;  ///< Header::counted_names.
  Division division;
  std::size_t first = 0;  ///< The line of its header or of the rule above it, from 0.
  std::size_t begin = 0;  ///< The line of its first row.
  std::size_t end = 0;    ///< The line after its last one.
};

/// The lines of a text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// Whether the first lines of a text hold a table of bars with a rule below its names: nothing else
/// separates its cells, whatever stands in the lines above.
bool begins_with_ruled_bars(std::string_view text);

/// The tables in a text. Each has a header with a rule below it, or a header and two rows that have
/// as many cells; no row of one belongs to another.
std::vector<TextFrame> frames_in(const std::vector<std::string_view>& lines);

/// Whether a whole text is one table with separators whose first column has a name in the first row
/// of each block alone, while a scale rises inside each block and begins anew with the next.
bool is_table_of_blocks(std::string_view text);

/// A table as rows with tabs between the cells. Every row stands in the line in which the text has
/// it, and all other lines are empty.
std::string rows_of_frame(const std::vector<std::string_view>& lines, const TextFrame& frame);

/// What has to be told of the table that is read: "the table stands in lines 3 to 7; ...".
/// @param chosen  Its place in `frames`.
std::string told_of_frame(const std::vector<std::string_view>& lines,
                          const std::vector<TextFrame>& frames, std::size_t chosen);

/// The last line of text above a table, within a few lines; empty without one.
std::string caption_of_frame(const std::vector<std::string_view>& lines, const TextFrame& frame);

/// "3 to 7".
std::string lines_of_frame(const TextFrame& frame);

}  // namespace scalelaw
