#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "scalelaw/input/table_rows.hpp"

namespace scalelaw {

/// The cells of a small table by column. Errors name file, line, column and value.
class TraceColumns {
 public:
  /// @throws DataError if a column is missing, naming the nearest and the list.
  TraceColumns(TableRows& rows, const std::vector<std::string_view>& names);

  /// Moves to the next row; false at the end. @throws DataError if there is none at all.
  bool next();
  /// The text of the i-th of `names` in the current row.
  const std::string& text(std::size_t i) const { return rows_.fields()[places_[i]]; }
  /// The same, but it must not be empty.
  const std::string& name(std::size_t i) const;
  double number(std::size_t i) const;
  /// A quantity: from 1e-30 to 1e30.
  double positive(std::size_t i) const;
  std::int64_t count(std::size_t i) const;
  bool missing(std::size_t i) const;

 private:
  [[noreturn]] void refuse(std::size_t i, std::string_view expected) const;

  TableRows& rows_;
  bool has_rows_ = false;
  std::vector<std::size_t> places_;
};

}  // namespace scalelaw
