#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scalelaw {

/// Bits of an Arrow array: one per row, the least significant first. Rows count from `offset`.
struct RowBits {
  const std::uint8_t* bits = nullptr;  ///< Null: every bit is set.
  std::int64_t offset = 0;

  bool operator[](std::int64_t row) const {
    const std::int64_t at = row + offset;
    return bits == nullptr || ((bits[at >> 3] >> (at & 7)) & 1) != 0;
  }
};

/// A stretch of a column in memory that belongs to the caller. Nothing is copied: the memory must
/// stay as it is while a call reads it.
struct MemoryChunk {
  enum class Kind : std::uint8_t {
    kNothing,  ///< Every cell is empty.
    kDouble,   ///< values
    kFloat,
    kInt8,
    kInt16,
    kInt32,
    kInt64,
    kUint8,
    kUint16,
    kUint32,
    kUint64,
    kBool,        ///< Bits.
    kText32,      ///< Offsets of 32 bits into bytes.
    kText64,      ///< The same of 64 bits.
    kTextView,    ///< Views of 16 bytes, with buffers for long texts.
    kTexts,       ///< Pointers to texts that end in NUL; a null pointer is an empty cell.
    kDate,        ///< Days since 1970 as 32 bits,
    kInstant,     ///< or units of a second since then as 64 bits: a date and time.
    kDictionary,  ///< Indices into `words`, of the kind `index`.
  };

  Kind kind = Kind::kNothing;
  std::int64_t rows = 0;
  std::int64_t offset = 0;  ///< Of the first row in values and in the offsets of texts.
  RowBits valid = {};
  const void* values = nullptr;               ///< Numbers, indices, offsets, views or pointers.
  const char* bytes = nullptr;                ///< Of texts.
  const void* const* view_buffers = nullptr;  ///< Of views.
  std::int64_t units_per_second = 1;          ///< Of instants.
  std::int64_t ahead = 0;                     ///< Seconds that their clock is ahead of UTC.
  std::string zone = {};                      ///< Behind their texts, such as "+09:00".
  Kind index = Kind::kInt32;                  ///< Of dictionaries.
  const MemoryChunk* words = nullptr;         ///< Of dictionaries.

  /// The cell of a row as CSV has it; empty for a missing value and for what is not finite. Numbers
  /// have the fewest digits that read back as the same. A text stays where it is, all else goes to
  /// `scratch`.
  std::string_view text(std::int64_t row, std::string& scratch) const;
};

/// A column that may come in stretches, which all have the same rows as those of other columns.
struct MemoryColumn {
  std::string name;
  std::vector<MemoryChunk> chunks;

  std::int64_t rows() const;
};

/// A table of columns that a caller has in memory, which reads like a CSV file of its cells; or a
/// text, such as a document of fits, which reads like a file of its bytes, compressed or not.
struct MemoryTable {
  std::vector<MemoryColumn> columns;
  std::optional<std::string_view> text;  ///< In place of columns.
};

/// The tables of a call by the names under which it reads them as if they were files.
class MemoryTables {
 public:
  /// The table of that name, which is made if there is none yet.
  MemoryTable& at(const std::string& name);
  const MemoryTable* find(std::string_view name) const;
  std::vector<std::string> names() const;  ///< In the order in which they were made.
  /// @throws DataError if the columns of a table differ in their rows, or it has none.
  void refuse_ragged() const;

 private:
  std::deque<std::pair<std::string, MemoryTable>> tables_;
};

class ByteStream;

/// The rows of a table as CSV, made as they are read; a stream by columns
/// (input/column_stream.hpp). It must not outlive the table.
std::unique_ptr<ByteStream> open_memory_table(const MemoryTable& table);

/// The table in memory that a path means in the call of this thread; null for every other path.
const MemoryTable* memory_table(const std::string& path);

}  // namespace scalelaw
