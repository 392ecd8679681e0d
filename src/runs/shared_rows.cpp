#include "runs/shared_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

/// How many rows have a number in both columns; empty if not all rows are known, or a column has
/// no numbers.
std::optional<std::size_t> rows_with_both(const TableProfile* profile, const std::string& cell,
                                          const std::string& x) {
  if (profile == nullptr || !profile->is_complete() || x.empty()) return std::nullopt;
  const ColumnProfile* const column = profile->column(cell);
  const ColumnProfile* const scale = profile->column(x);
  if (column == nullptr || scale == nullptr || column->numbers * scale->numbers == 0) {
    return std::nullopt;
  }
  std::size_t both = 0;
  const std::size_t rows = std::min(column->quantities.size(), scale->quantities.size());
  for (std::size_t row = 0; row < rows; ++row) {
    both += !std::isnan(column->quantities[row]) && !std::isnan(scale->quantities[row]) ? 1 : 0;
  }
  return both;
}

}  // namespace

bool has_few_rows(const Header& header, const TableProfile* profile, const std::string& cell,
                  const std::string& x, ColumnRole role) {
  const ColumnProfile* const column = profile == nullptr ? nullptr : profile->column(cell);
  if (column == nullptr || column->numbers == column->codes.size()) return false;
  const auto own = rows_with_both(profile, cell, x);
  if (!own) return false;
  std::size_t most = 1;
  for (const std::string& other : header.names) {
    const ColumnMeaning meaning = meaning_of(other);
    if (meaning.role != role || meaning.last_resort) continue;
    most = std::max(most, rows_with_both(profile, other, x).value_or(0));
  }
  return 2 * *own < most;
}

}  // namespace scalelaw
