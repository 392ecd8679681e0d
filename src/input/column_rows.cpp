#include "input/column_rows.hpp"


namespace scalelaw {

ColumnCursor::ColumnCursor(const MemoryTable& table) : rows_(table.columns.front().rows()) {
  for (const MemoryColumn& column : table.columns) places_.push_back({column.chunks.data()});
}

ColumnRows ColumnCursor::next(std::int64_t most) {
  ColumnRows rows{.first = static_cast<std::uint64_t>(taken_),
                  .count = std::min(most, rows_ - taken_)};
  if (rows.count == 0) return rows;
  for (ColumnPlace& place : places_) {
    place.settle();
    rows.count = std::min(rows.count, place.chunk->rows - place.row);
  }
  rows.columns = places_;
  for (ColumnPlace& place : places_) place.row += rows.count;
  taken_ += rows.count;
  return rows;
}

}  // namespace scalelaw
