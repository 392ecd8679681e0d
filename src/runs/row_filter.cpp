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

RowFilter::RowFilter(std::string_view condition) {
  const std::size_t at = condition.find_first_of("=!<>");
  if (at == std::string_view::npos || at == 0) {
    throw DataError(fmt::format(
        "--where '{}': expected COLUMN=VALUE or another comparison (!= < <= > >=)", condition));
  }
  column_ = trimmed(condition.substr(0, at));
  const bool two = condition.size() > at + 1 && condition[at + 1] == '=';
  switch (condition[at]) {
    case '=':
      if (condition.size() > at + 1 && (condition[at + 1] == '<' || condition[at + 1] == '>')) {
        throw DataError(fmt::format("--where '{}': expected {}=, found ={}", condition,
                                    condition[at + 1], condition[at + 1]));
      }
      comparison_ = Comparison::kEqual;
      break;
    case '!':
      if (!two)
        throw DataError(fmt::format("--where '{}': expected != after the column", condition));
      comparison_ = Comparison::kNotEqual;
      break;
    case '<':
      comparison_ = two ? Comparison::kLessEqual : Comparison::kLess;
      break;
    default:
      comparison_ = two ? Comparison::kGreaterEqual : Comparison::kGreater;
  }
  const std::string_view values = trimmed(condition.substr(at + (two ? 2 : 1)));
  if (comparison_ == Comparison::kEqual || comparison_ == Comparison::kNotEqual) {
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
  if (comparison_ == Comparison::kEqual || comparison_ == Comparison::kNotEqual) {
    const bool any = std::any_of(values_.begin(), values_.end(),
                                 [&](const std::string& value) { return same_value(cell, value); });
    return any == (comparison_ == Comparison::kEqual);
  }
  const auto number = number_in(cell);
  if (!number) return false;
  const double bound = *number_in(values_.front());
  switch (comparison_) {
    case Comparison::kLess:
      return *number < bound;
    case Comparison::kLessEqual:
      return *number <= bound;
    case Comparison::kGreater:
      return *number > bound;
    default:
      return *number >= bound;
  }
}

}  // namespace scalelaw
