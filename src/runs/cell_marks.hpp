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

/// What people count with scales, without its plural: "gpu" for "GPUs"; empty for other words. The
/// text is of the whole program, not of the word.
std::string_view counted_thing(std::string_view word);

/// A count with what is counted.
struct ThingCount {
  double number = 0;
  std::string_view thing;  ///< As counted_thing().
};

/// The count of a cell that tells it with nodes: 8 GPUs of "8 GPUs across 2 nodes", 16 of
/// "2 nodes x 8 GPUs". Empty for any other text.
std::optional<ThingCount> count_in_words(std::string_view text);

/// So many GPUs of one model: "8xA100", "2x8xH100", "4 x H100".
struct ModelCount {
  double number;
  std::string_view model;
};
std::optional<ModelCount> count_of_model(std::string_view text);

/// The product of the whole numbers in brackets, "(1, 4)" and "[2, 2, 2]", as of a grid of ranks;
/// empty for any other text.
std::optional<double> product_of_tuple(std::string_view text);

/// The product of "2x4" and "2 × 4 × 2"; empty for any other text.
std::optional<double> product_in(std::string_view text);

}  // namespace scalelaw
