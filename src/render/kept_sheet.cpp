#include "scalelaw/render/kept_sheet.hpp"

#include <cmath>
#include <string_view>

namespace scalelaw {

void KeptSheet::clear() {
  has_sheet_ = false;
  columns_.clear();
}

bool KeptSheet::begin(std::span<const SheetColumn> columns) {
  if (!is_wanted_ || has_sheet_) return false;
  has_sheet_ = true;
  for (const SheetColumn& column : columns) {
    columns_.push_back(
        {.name = column.name, .is_number = column.is_number, .is_key = column.is_key, .cells = {}});
  }
  return true;
}

void KeptSheet::add(std::size_t column, const Value& value) {
  std::vector<KeptValue>& cells = columns_[column].cells;
  if (const auto* const text = std::get_if<std::string_view>(&value)) {
    cells.emplace_back(std::string(*text));
  } else if (const double* const number = std::get_if<double>(&value)) {
    cells.push_back(std::isfinite(*number) ? KeptValue(*number) : KeptValue());
  } else if (const auto* const count = std::get_if<std::int64_t>(&value)) {
    cells.emplace_back(*count);
  } else if (const bool* const truth = std::get_if<bool>(&value)) {
    cells.emplace_back(*truth);
  } else {
    cells.emplace_back();
  }
}

}  // namespace scalelaw
