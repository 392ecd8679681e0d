#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runs/cell_number.hpp"

namespace scalelaw {

/// A cell without what people write around its number, and what that was.
struct UnmarkedCell {
  std::string text;
  CellForm form = CellForm::kPlain;
};

/// Takes one of these from a cell: a spread, "12.3 ± 0.4 s" and "12.3(4)"; a remark in brackets
/// behind it, "3240 (7.2x)"; marks between thousands, "8 859"; a mark of a footnote, "12.3*";
/// "about", "~12"; a power of ten, "10³", which becomes "1e3". Empty without any. Nothing that
/// stands behind what it takes is lost.
std::optional<UnmarkedCell> cell_without_mark(std::string_view text);

/// A cell without the blanks or apostrophes between the thousands of its number: "8 859 tokens/s",
/// "8'859". Empty without any.
std::optional<std::string> without_marks_of_thousands(std::string_view text);

/// Whether a cell tells a bound and no value: ">100", "≤ 5 s".
bool is_bound(std::string_view text);

/// The length of the longest begin of a text that may be a number: digits with signs, points,
/// commas, exponent.
std::size_t numeric_length(std::string_view text);

}  // namespace scalelaw
