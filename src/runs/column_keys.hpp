#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "input/column_rows.hpp"
#include "raw_table.hpp"

namespace scalelaw {

/// Numbers for the cells of key columns in memory: equal ones stand for equal cells, and one number
/// for those of all columns of codes. A batch of rows is done column by column, so that the type of
/// a column is looked at once.
class ColumnKeys {
 public:
  static constexpr std::size_t kMostRows = 256;
  static constexpr std::size_t kMostColumns = 2 * kMostKeyVectors;

  /// Whether cells of such a chunk have numbers.
  static bool takes(const MemoryChunk& chunk);

  /// Prepares for the rows of a table. Returns whether numbers mean what they meant before.
  bool begin(const ColumnRows& rows, std::span<const std::size_t> columns);
  /// Finds the numbers of `count` rows from the `first` of them on.
  void take(std::int64_t first, std::size_t count);

  /// How many numbers a row has.
  std::size_t count() const { return count_; }
  /// A number of a row in the batch.
  std::uint64_t at(std::size_t place, std::size_t row) const { return numbers_[place][row]; }
  /// Whether a key cell of a row has no value.
  bool lacks(std::size_t row) const { return lacks_[row] != 0; }

 private:
  /// Where the numbers of a column go. Columns of codes are the digits of one number.
  struct Slot {
    std::size_t place;
    std::uint64_t base = 0;  ///< Of the digit; 0: the column has the place for itself.
    bool is_first = true;    ///< At its place.

    bool operator==(const Slot&) const = default;
  };

  void place_columns();
  void take_codes(const MemoryChunk& chunk, std::int64_t row, std::size_t count, const Slot& slot);
  void take_texts(const MemoryChunk& chunk, std::int64_t row, std::size_t count,
                  std::uint64_t* numbers);

  std::vector<ColumnPlace> places_;
  std::vector<Slot> slots_;
  std::size_t count_ = 0;
  std::vector<const void*> words_;  ///< The dictionaries of the columns.
  std::size_t file_ = 0;
  std::array<std::array<std::uint64_t, kMostRows>, kMostColumns> numbers_;
  std::array<std::uint8_t, kMostRows> lacks_;
  std::unordered_map<std::string_view, std::uint64_t> texts_;  ///< Texts live in the table.
};

}  // namespace scalelaw
