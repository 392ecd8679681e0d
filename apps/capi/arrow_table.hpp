#pragma once

#include <deque>

#include "scalelaw/input/memory_table.hpp"
#include "scalelaw/render/kept_sheet.hpp"
#include "scalelaw/scalelaw.h"

namespace scalelaw::capi {

/// Makes a chunk one of the type that Arrow's format says.
/// @throws DataError if it is no type of numbers or instants.
void set_type(MemoryChunk& chunk, const char* format);
/// The kind of whole numbers. @throws DataError if the format is none of these.
MemoryChunk::Kind whole_kind(const char* format);

/// Arrow arrays that a call took over, and the columns that they are.
class ArrowTables {
 public:
  ArrowTables() = default;
  ~ArrowTables();
  ArrowTables(const ArrowTables&) = delete;
  ArrowTables& operator=(const ArrowTables&) = delete;

  /// Adds the rows of a struct array to a table. It takes both over, also where it throws.
  /// @throws DataError if it is no struct array, or has other columns than the rows before.
  void add(MemoryTable& table, ArrowSchema& schema, ArrowArray& array);
  /// The same for all arrays of a stream.
  void add(MemoryTable& table, ArrowArrayStream& stream);

 private:
  void add_rows(MemoryTable& table, const ArrowSchema& schema, const ArrowArray& array);
  MemoryChunk chunk_of(const ArrowSchema& schema, const ArrowArray& array);

  // Their places stay, because columns point to what they hold.
  std::deque<ArrowSchema> schemas_;
  std::deque<ArrowArray> arrays_;
  std::deque<MemoryChunk> words_;  ///< Of dictionaries.
};

/// Makes a stream of one batch with a copy of a sheet. It needs nothing of the sheet afterwards.
void export_sheet(const KeptSheet& sheet, ArrowArrayStream& out);

}  // namespace scalelaw::capi
