#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/date.hpp"

namespace scalelaw {

/// One condition on a column, as in `--where`.
class RowFilter {
 public:
  /// Reads "col=value", "col=a,b,c" (any of them), "col!=a,b" (none of them), "col<64", "col<=64",
  /// "col>64", "col>=64".
  /// "col>=2026-06-01" and "col<2026-06-01T14:30" compare dates.
  /// @throws DataError if the comparison or the column is missing, or an order comparison has no
  /// number and no date.
  explicit RowFilter(std::string_view condition);

  const std::string& column() const { return column_; }
  /// The condition as it was given, and the values that it compares with.
  const std::string& text() const { return text_; }
  const std::vector<std::string>& values() const { return values_; }
  /// Whether a cell fulfils the condition. Numbers compare as numbers (64 = 64.0), quantities of
  /// one kind in one unit (90 s = 1:30), other texts as they are. A cell that is no number fulfils
  /// no order comparison, and one without a unit none with a quantity. Dates compare as dates, as
  /// finely as the condition tells: every time of a day equals that day. Zones count where both
  /// have one.
  /// @param decimal  What stands before the decimals of the cell, '.' or ','.
  /// @param header  The column's name, which may tell the unit of cells and values without one.
  bool holds(std::string_view cell, char decimal = '.', std::string_view header = {}) const;
  /// Whether the condition asks for the order of dates, and the cell has something that is none.
  bool refuses(std::string_view cell) const;

 private:
  bool is_order() const { return less_ != greater_; }
  bool allows(double above) const { return above < 0 ? less_ : above > 0 ? greater_ : equal_; }

  std::string text_;
  std::string column_;
  bool less_ = false;  ///< Whether a cell below the value fulfils the condition,
  bool equal_ = false;
  bool greater_ = false;  ///< or above it.
  std::vector<std::string> values_;
  std::optional<WrittenDate> date_;  ///< Of an order comparison with a date.
};

}  // namespace scalelaw
