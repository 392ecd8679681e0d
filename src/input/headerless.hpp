#pragma once

#include <string>
#include <vector>

namespace scalelaw {

/// The texts of the fields of one line, without quotes and blanks around them.
using FieldTexts = std::vector<std::string>;

/// Whether the first line of a table holds values as the rows below it do, and no names. It holds
/// numbers alone, unless these may be the scales of a wide table above a row of other numbers; or
/// texts and numbers in the same columns as all rows, of which a text returns in its column, as no
/// name does.
/// @param rows  The first rows below it.
bool is_row_of_values(const FieldTexts& first, const std::vector<FieldTexts>& rows);

}  // namespace scalelaw
