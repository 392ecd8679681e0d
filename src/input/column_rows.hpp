#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scalelaw/input/memory_table.hpp"

namespace scalelaw {

/// Where a row of a column stands.
struct ColumnPlace {
  const MemoryChunk* chunk = nullptr;
  std::int64_t row = 0;

  /// Goes on to the chunk that has the row.
  void settle() {
    while (row == chunk->rows) {
      ++chunk;
      row = 0;
    }
  }
};

/// Rows of a table in memory, in one chunk of every column.
struct ColumnRows {
  std::size_t file = 0;     ///< Index into the paths.
  std::uint64_t first = 0;  ///< The number of the first row in the table, from 0.
  std::int64_t count = 0;
  std::vector<ColumnPlace> columns = {};  ///< Of the first row.
};

/// Appends a row of a CSV file with the cells of these places. Cells of columns that are not kept
/// are empty.
void append_csv_row(const std::vector<ColumnPlace>& row, const std::vector<bool>& kept,
                    std::string& scratch, std::string& out);

/// Hands out the rows of a table in memory.
class ColumnCursor {
 public:
  /// @param table  It must outlive the cursor.
  explicit ColumnCursor(const MemoryTable& table);

  std::int64_t rows() const { return rows_; }
  /// The next rows, at most `most`; none at the end.
  ColumnRows next(std::int64_t most);

 private:
  std::vector<ColumnPlace> places_;
  std::int64_t rows_;
  std::int64_t taken_ = 0;
};

/// A consumer of rows that can take those of tables in memory without their text.
class ColumnConsumer {
 public:
  virtual ~ColumnConsumer() = default;
  /// Whether it takes the rows of an open table so; if not, it gets their text.
  virtual bool takes_columns(std::size_t file, const MemoryTable& table) const = 0;
  /// Takes rows; from several threads, as blocks of text.
  virtual void take_columns(const ColumnRows& rows, int worker) = 0;
};

}  // namespace scalelaw
