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
  /// The place of the number for all codes, and how many it may be; 0 without codes.
  std::size_t code_place() const { return code_place_; }
  std::uint64_t codes() const { return codes_; }
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
  std::size_t code_place_ = 0;
  std::uint64_t codes_ = 0;
  std::vector<const void*> words_;  ///< The dictionaries of the columns.
  std::size_t file_ = 0;
  std::array<std::array<std::uint64_t, kMostRows>, kMostColumns> numbers_;
  std::array<std::uint8_t, kMostRows> lacks_;
  std::unordered_map<std::string_view, std::uint64_t> texts_;  ///< Texts live in the table.
};

/// What rows stand for that have two numbers, one of them for codes: a memory before a RawTable,
/// small enough for the nearest cache. Other numbers have one of 64 places each, and those that
/// find theirs taken are not kept.
class KeyGrid {
 public:
  static constexpr std::uint64_t kMostCodes = 1024;
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  /// Forgets all. It keeps rows of `keys` if these have two numbers and few codes.
  void reset(const ColumnKeys& keys) {
    is_used_ = keys.count() == 2 && keys.codes() > 0 && keys.codes() <= kMostCodes;
    known_.assign(is_used_ ? keys.codes() * kPlaces : 0, kUnknown);
    taken_ = 0;
    numbers_.fill(0);
    numbers_[place_of(0)] = 1;  // Has another place.
  }
  bool is_used() const { return is_used_; }

  /// Where the meaning of a row is kept, kUnknown at first; null if it is not kept.
  [[gnu::always_inline]] std::uint32_t* find(std::uint64_t code, std::uint64_t number) {
    const std::size_t place = place_of(number);
    if (numbers_[place] != number) [[unlikely]] {
      if ((taken_ >> place & 1) != 0) return nullptr;
      taken_ |= std::uint64_t{1} << place;
      numbers_[place] = number;
    }
    return &known_[code * kPlaces + place];
  }

 private:
  static constexpr std::size_t kPlaces = 64;

  static std::size_t place_of(std::uint64_t number) {
    return number * 0x9e3779b97f4a7c15u >> 58;  // Fibonacci hashing (Knuth, volume 3, 6.4).
  }

  bool is_used_ = false;
  std::uint64_t taken_ = 0;
  std::array<std::uint64_t, kPlaces> numbers_ = {};
  std::vector<std::uint32_t> known_;
};

}  // namespace scalelaw
