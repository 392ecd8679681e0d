#include "scalelaw/runs/row_filter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

std::optional<double> number_in(std::string_view text) {
  if (const auto quantity = parse_quantity(text)) return quantity->value;
  return std::nullopt;
}

bool same_value(std::string_view cell, std::string_view value) {
  if (cell == value) return true;
  const auto a = number_in(cell);
  const auto b = number_in(value);
  return a && b && *a == *b;
}

}  // namespace

RowFilter::RowFilter(std::string_view condition) : text_(condition) {
  const std::size_t at = condition.find_first_of("=!<>");
  if (at == std::string_view::npos || at == 0) {
    throw DataError(fmt::format(
        "--where '{}': expected COLUMN=VALUE or another comparison (!= < <= > >=)", condition));
  }
  column_ = trimmed(condition.substr(0, at));
  const char sign = condition[at];
  const char next = condition.size() > at + 1 ? condition[at + 1] : '\0';
  if (sign == '=' && (next == '<' || next == '>')) {
    throw DataError(fmt::format("--where '{}': expected {}=, found ={}", condition, next, next));
  }
  if (sign == '!' && next != '=') {
    throw DataError(fmt::format("--where '{}': expected != after the column", condition));
  }
  less_ = sign == '<' || sign == '!';
  greater_ = sign == '>' || sign == '!';
  equal_ = sign == '=' || (sign != '!' && next == '=');
  const std::string_view values = trimmed(condition.substr(at + (next == '=' ? 2 : 1)));
  if (!is_order()) {
    values_ = split(values, ',');
    if (values_.empty()) values_.emplace_back();
    return;
  }
  values_.emplace_back(values);
  if (!number_in(values)) {
    throw DataError(fmt::format(
        "--where '{}': expected a number after the comparison, found \"{}\"", condition, values));
  }
}

bool RowFilter::holds(std::string_view cell) const {
  cell = trimmed(cell);
  if (!is_order()) {
    const bool any = std::any_of(values_.begin(), values_.end(),
                                 [&](const std::string& value) { return same_value(cell, value); });
    return any == equal_;
  }
  const auto number = number_in(cell);
  if (!number) return false;
  const double bound = *number_in(values_.front());
  return *number < bound ? less_ : *number > bound ? greater_ : equal_;
}

}  // namespace scalelaw
