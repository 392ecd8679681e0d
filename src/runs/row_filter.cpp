#include "scalelaw/runs/row_filter.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "runs/cell_number.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

/// A cell's number less the one of a condition, in the unit of the column or the cell; empty where
/// one is no number or their units do not convert.
std::optional<double> difference(std::string_view cell, char decimal, std::string_view value,
                                 std::string_view header) {
  const auto a = loose_number(cell, decimal);
  const auto b = loose_number(value);
  if (!a || !b) return std::nullopt;
  if (a->unit.empty() && b->unit.empty()) return a->value - b->value;
  const std::string_view column = column_label(header).unit;
  const std::string_view unit_of_a = a->unit.empty() ? column : a->unit;
  const std::string_view unit_of_b = b->unit.empty() ? column : b->unit;
  // A bare value is in the unit of the cell.
  if (unit_of_b.empty() || unit_of_a == unit_of_b) return a->value - b->value;
  const auto same_unit = converted(b->value, unit_of_b, unit_of_a);
  return same_unit ? std::optional(a->value - *same_unit) : std::nullopt;
}

/// The seconds of a cell's date less those of a condition, as finely as the condition tells; empty
/// where one is no date.
std::optional<double> difference_of_dates(const std::optional<WrittenDate>& cell,
                                          const std::optional<WrittenDate>& value) {
  if (!cell || !value) return std::nullopt;
  std::int64_t seconds = cell->seconds;
  // The cell as a clock in the zone of the condition showed it.
  if (cell->ahead && value->ahead) seconds += *value->ahead - *cell->ahead;
  const std::int64_t beyond = ((seconds % value->precision) + value->precision) % value->precision;
  const double fraction =
      value->nanoseconds > 0 ? static_cast<double>(cell->nanoseconds - value->nanoseconds) : 0;
  return static_cast<double>(seconds - beyond - value->seconds) + 1e-9 * fraction;
}

}  // namespace

RowFilter::RowFilter(std::string_view condition) : text_(condition) {
  const std::size_t at = condition.find_first_of("=!<>");
  if (at == std::string_view::npos || at == 0) {
    throw data_error("--where '{}': expected COLUMN=VALUE or another comparison (!= < <= > >=)",
                     condition);
  }
  column_ = trimmed(condition.substr(0, at));
  const char sign = condition[at];
  const char next = condition.size() > at + 1 ? condition[at + 1] : '\0';
  if (sign == '=' && (next == '<' || next == '>')) {
    throw data_error("--where '{}': expected {}=, found ={}", condition, next, next);
  }
  if (sign == '!' && next != '=') {
    throw data_error("--where '{}': expected != after the column", condition);
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
  date_ = read_date(values);
  if (!date_ && !loose_number(values)) {
    throw data_error(
        "--where '{}': expected a number or a date such as 2026-06-01 after the comparison, found "
        "\"{}\"",
        condition, values);
  }
}

bool RowFilter::holds(std::string_view cell, char decimal, std::string_view header) const {
  cell = trimmed(cell);
  if (!is_order()) {
    const bool any = std::ranges::any_of(values_, [&](const std::string& value) {
      return cell == value || difference(cell, decimal, value, header) == 0.0 ||
             difference_of_dates(read_date(cell), read_date(value)) == 0.0;
    });
    return any == equal_;
  }
  const auto above = date_ ? difference_of_dates(read_date(cell), date_)
                           : difference(cell, decimal, values_.front(), header);
  return above && allows(*above);
}

bool RowFilter::refuses(std::string_view cell) const {
  cell = trimmed(cell);
  return date_ && !is_no_number(cell) && !read_date(cell);
}

}  // namespace scalelaw
