#include "runs/cell_marks.hpp"

#include <algorithm>

#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

bool is_plain_digit(char c) { return c >= '0' && c <= '9'; }

/// "12.3 ± 0.4 s", "(12.3 +/- 0.4) ms".
std::optional<UnmarkedCell> without_spread(std::string_view text) {
  for (const std::string_view mark : {"\u00B1", "+/-", "+-"}) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos || at == 0) continue;
    std::string_view value = trimmed(text.substr(0, at));
    std::string_view spread = trimmed(text.substr(at + mark.size()));
    const bool bracket = value.starts_with('(');
    if (bracket) value = trimmed(value.substr(1));
    spread.remove_prefix(numeric_length(spread));
    if (bracket && trimmed(spread).starts_with(')')) spread = trimmed(spread).substr(1);
    const bool has_unit = numeric_length(value) < value.size();
    std::string whole(value);
    if (!has_unit && !trimmed(spread).empty()) whole += " " + std::string(trimmed(spread));
    return UnmarkedCell{std::move(whole), CellForm::kSpread};
  }
  return std::nullopt;
}

/// "12.3(4)": digits of the spread directly behind the number.
std::optional<UnmarkedCell> without_digits_of_spread(std::string_view text) {
  const std::size_t length = numeric_length(text);
  if (length == 0 || length >= text.size() || text[length] != '(') return std::nullopt;
  const std::size_t close = text.find(')', length);
  if (close == std::string_view::npos || close == length + 1) return std::nullopt;
  const std::string_view digits = text.substr(length + 1, close - length - 1);
  if (!std::all_of(digits.begin(), digits.end(), is_plain_digit)) return std::nullopt;
  return UnmarkedCell{std::string(text.substr(0, length)) + std::string(text.substr(close + 1)),
                      CellForm::kSpread};
}

/// "3240 (7.2x)", "12.3 s [12.1, 12.6]".
std::optional<UnmarkedCell> without_remark(std::string_view text) {
  const bool round = text.ends_with(')');
  if (!round && !text.ends_with(']')) return std::nullopt;
  const std::size_t open = text.find(round ? '(' : '[');
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  return UnmarkedCell{std::string(trimmed(text.substr(0, open))), CellForm::kRemark};
}

std::optional<UnmarkedCell> without_footnote(std::string_view text) {
  for (const std::string_view mark : {"*", "\u2020", "\u2021", "\u00A7", "\u00B9", "\u00B2",
                                      "\u00B3", "\u2074", "\u1D43", "\u1D47", "\u1D9C"}) {
    if (text.size() <= mark.size() || !text.ends_with(mark)) continue;
    return UnmarkedCell{std::string(trimmed(text.substr(0, text.size() - mark.size()))),
                        CellForm::kFootnote};
  }
  return std::nullopt;
}

std::optional<UnmarkedCell> without_about(std::string_view text) {
  for (const std::string_view mark : {"~", "\u2248", "\u223C", "ca. ", "about "}) {
    if (text.starts_with(mark)) {
      return UnmarkedCell{std::string(trimmed(text.substr(mark.size()))), CellForm::kAbout};
    }
  }
  return std::nullopt;
}

}  // namespace

std::size_t numeric_length(std::string_view text) {
  std::size_t length = std::min(text.find_first_not_of("0123456789.,+-"), text.size());
  const bool exponent =
      length + 1 < text.size() && length > 0 && (text[length] == 'e' || text[length] == 'E') &&
      (is_plain_digit(text[length + 1]) || text[length + 1] == '-' || text[length + 1] == '+');
  if (exponent) length = std::min(text.find_first_not_of("0123456789", length + 2), text.size());
  return length;
}

std::optional<UnmarkedCell> cell_without_mark(std::string_view text) {
  if (auto cell = without_about(text)) return cell;
  if (auto cell = without_spread(text)) return cell;
  if (auto cell = without_digits_of_spread(text)) return cell;
  if (auto cell = without_remark(text)) return cell;
  return without_footnote(text);
}

bool is_bound(std::string_view text) {
  for (const std::string_view mark : {">=", "<=", ">", "<", "\u2265", "\u2264"}) {
    if (text.starts_with(mark)) return numeric_length(trimmed(text.substr(mark.size()))) > 0;
  }
  return false;
}

}  // namespace scalelaw
