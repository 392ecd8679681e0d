#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "scalelaw/render/sheet.hpp"

namespace scalelaw {

/// A cell of a kept sheet: nothing, a truth, a count, a number or text.
using KeptValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// A column of a kept sheet. Groups are texts; those of numbers, such as "250", are numbers here.
struct KeptColumn {
  std::string name;
  bool is_number = false;  ///< Known even where every cell is nothing.
  bool is_key = false;     ///< It tells rows apart: a group, or a setting within it.
  std::vector<KeptValue> cells;
};

/// The rows that a call writes as CSV, with their types, where a program wants them: its call hands
/// them on as columns (docs/reference/c-interface.md).
class KeptSheet {
 public:
  /// From now on runs keep a sheet.
  void want() { is_wanted_ = true; }
  /// Forgets what it has, before another run.
  void clear();
  /// Begins to keep a sheet. Only the first one of a run is kept, and none that nobody wants.
  ///
  /// @return whether it is this one.
  bool begin(std::span<const SheetColumn> columns);
  /// Adds the next cell of a column.
  void add(std::size_t column, const Value& value);

  /// Whether a sheet was written.
  bool has_sheet() const { return has_sheet_; }
  const std::vector<KeptColumn>& columns() const { return columns_; }

 private:
  bool is_wanted_ = false;
  bool has_sheet_ = false;
  std::vector<KeptColumn> columns_;
};

}  // namespace scalelaw
