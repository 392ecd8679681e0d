#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// Whether the cells of a row are units alone, "(s)", "[ms]", as under the names of columns.
bool is_row_of_units(std::span<const std::string> cells);

/// Puts the cells of a row of units behind the names above them: "time (s)".
void add_units_to_names(std::span<const std::string> units, std::vector<std::string>& names);

/// Whether a row below merged names names the columns in a second line, and is no row of values: it
/// holds words alone, and the row below it has numbers.
bool is_row_of_sub_names(std::span<const std::string> names, std::span<const std::string> cells,
                         std::span<const std::string> next_row);

/// Puts the names of a second line behind those of the first. An empty name is that of the merged
/// cell to its left: "argon,,krypton," above "s,speedup,s,speedup".
void join_sub_names(std::span<const std::string> sub_names, std::vector<std::string>& names);

/// Puts the words of the line above a header before its names where these repeat, from the last
/// one on, as the first name may have none. Leaves the names as they are where there are not as
/// many words or these do not tell them apart.
void join_words_above(std::span<const std::string> words, std::vector<std::string>& names);

/// The names in a comment above a table with a column per scale, where the word before the scales
/// is the name of them all: "#Size Thread 1 2 4" above four columns. Empty if it is none.
/// @param width  How many columns the table has.
std::vector<std::string> names_of_matrix(std::span<const std::string_view> words,
                                         std::size_t width);

/// The names of a header whose separator also stands inside of one of them, "N=10,000": those
/// that are as many as the rows have fields, with digits in thousands and brackets as one. Empty if
/// there are none.
std::optional<std::vector<std::string>> names_of_width(std::span<const std::string> fields,
                                                       char separator, std::size_t width);

/// How a cell of a row is written: "#" for a number, "# s" for one with a unit, "#:" with a colon;
/// any other text as it is.
std::string form_of_cell(std::string_view cell);

/// The names that the rows themselves write before their numbers, "threads,4,time,1.2": each column
/// of numbers behind one of constant text has that for a name, without a colon or a sign of
/// equality. The other columns are "c1", "c2", ... by their places. Empty if a number has no name
/// before it or a text no number behind it, but for units behind numbers; if two names are the
/// same; and if fewer than two columns have one.
/// @param cells  Those of the first row.
std::optional<std::vector<std::string>> names_in_row(std::span<const std::string> cells);

/// The texts of the fields of one line, without quotes and blanks around them.
using FieldTexts = std::vector<std::string>;

/// Whether the first line of a table holds values as the rows below it do, and no names. It holds
/// numbers alone, unless these may be the scales of a wide table above a row of other numbers; or
/// texts and numbers in the same columns as all rows, of which a text returns in its column, as no
/// name does.
/// @param rows  The first rows below it.
bool is_row_of_values(const FieldTexts& first, const std::vector<FieldTexts>& rows);

}  // namespace scalelaw
