#include "arrow_table.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "scalelaw/base/date.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw::capi {
namespace {

using Kind = MemoryChunk::Kind;

/// Moves a structure of Arrow, which marks what was moved away by a null release.
template <class Struct>
Struct taken(Struct& from) {
  Struct own = from;
  from.release = nullptr;
  return own;
}

template <class Struct>
void release(Struct& own) {
  if (own.release != nullptr) own.release(&own);
}

/// Releases a stream at the end of a scope.
struct StreamGuard {
  ArrowArrayStream own;
  ~StreamGuard() { release(own); }
};

/// Units per second of "tsm:UTC" and the like; 0 for other formats.
std::int64_t units_of_instant(std::string_view format) {
  if (!format.starts_with("ts") || format.size() < 4 || format[3] != ':') return 0;
  switch (format[2]) {
    case 's':
      return 1;
    case 'm':
      return 1000;
    case 'u':
      return 1'000'000;
    case 'n':
      return 1'000'000'000;
    default:
      return 0;
  }
}

Kind kind_of(std::string_view format) {
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"g", Kind::kDouble}, {"f", Kind::kFloat},     {"c", Kind::kInt8},  {"C", Kind::kUint8},
      {"s", Kind::kInt16},  {"S", Kind::kUint16},    {"i", Kind::kInt32}, {"I", Kind::kUint32},
      {"l", Kind::kInt64},  {"L", Kind::kUint64},    {"b", Kind::kBool},  {"u", Kind::kText32},
      {"U", Kind::kText64}, {"vu", Kind::kTextView}, {"tdD", Kind::kDate}};
  for (const auto& [letter, kind] : kKinds) {
    if (letter == format) return kind;
  }
  return units_of_instant(format) > 0 ? Kind::kInstant : Kind::kNothing;
}

/// The zone of "tsm:+09:00" in a chunk of instants. The library knows no clocks of named zones,
/// whose texts are no dates, so that nothing takes them for those of another day.
void set_zone(MemoryChunk& chunk, std::string_view format) {
  const std::string zone(format.substr(4));
  if (zone.empty()) return;
  const auto date = read_date("1970-01-01 00:00" + (zone == "Etc/UTC" ? "UTC" : zone));
  if (!date || !date->ahead) {
    chunk.zone = " UTC, shown in " + zone;
    return;
  }
  chunk.ahead = *date->ahead;
  chunk.zone = chunk.ahead == 0 ? "+00:00" : zone;
}

void set_kind(MemoryChunk& chunk, std::string_view format) {
  chunk.kind = kind_of(format);
  if (chunk.kind != Kind::kInstant) return;
  chunk.units_per_second = units_of_instant(format);
  set_zone(chunk, format);
}

bool is_whole(Kind kind) { return kind >= Kind::kInt8 && kind <= Kind::kUint64; }

/// Whether a column is one of a run table. A column of nulls ("n") is, with empty cells.
bool is_usable(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  if (schema.dictionary != nullptr) {
    return is_whole(kind_of(format)) && schema.dictionary->dictionary == nullptr &&
           kind_of(schema.dictionary->format) != Kind::kNothing;
  }
  return format == "n" || kind_of(format) != Kind::kNothing;
}

const void* buffer_at(const ArrowArray& array, std::int64_t place) {
  return place < array.n_buffers ? array.buffers[place] : nullptr;
}

void refuse_no_table(const ArrowSchema& schema, const ArrowArray& array) {
  const bool is_struct = schema.format != nullptr && std::string_view(schema.format) == "+s";
  if (!is_struct) throw DataError("the Arrow array is no table: it has to be a struct array");
  if (schema.n_children != array.n_children) {
    throw DataError("the Arrow array has another number of columns than its schema");
  }
}

}  // namespace

void set_type(MemoryChunk& chunk, const char* format) {
  const std::string_view type = format == nullptr ? "" : format;
  set_kind(chunk, type);
  const bool is_number =
      chunk.kind == Kind::kDouble || chunk.kind == Kind::kFloat || is_whole(chunk.kind);
  if (is_number || chunk.kind == Kind::kInstant) return;
  throw DataError(fmt::format("there is no type of numbers '{}'", type));
}

MemoryChunk::Kind whole_kind(const char* format) {
  MemoryChunk chunk;
  set_type(chunk, format);
  if (!is_whole(chunk.kind)) throw DataError("codes have to be whole numbers");
  return chunk.kind;
}

ArrowTables::~ArrowTables() {
  for (ArrowArray& array : arrays_) release(array);
  for (ArrowSchema& schema : schemas_) release(schema);
}

void ArrowTables::add(MemoryTable& table, ArrowSchema& schema, ArrowArray& array) {
  const ArrowSchema& own_schema = schemas_.emplace_back(taken(schema));
  const ArrowArray& own_array = arrays_.emplace_back(taken(array));
  add_rows(table, own_schema, own_array);
}

void ArrowTables::add(MemoryTable& table, ArrowArrayStream& stream) {
  StreamGuard guard{taken(stream)};
  ArrowArrayStream& own = guard.own;
  const auto refuse_error = [&own](int error) {
    if (error == 0) return;
    const char* const message = own.get_last_error(&own);
    throw DataError(fmt::format("the Arrow stream ends with an error: {}",
                                message == nullptr ? "no reason given" : message));
  };
  ArrowSchema& schema = schemas_.emplace_back();
  refuse_error(own.get_schema(&own, &schema));
  // A stream without rows has columns all the same.
  ArrowArray none{};
  std::vector<ArrowArray> children(static_cast<std::size_t>(schema.n_children));
  std::vector<ArrowArray*> pointers;
  for (ArrowArray& child : children) pointers.push_back(&child);
  none.n_children = schema.n_children;
  none.children = pointers.data();
  add_rows(table, schema, none);
  for (;;) {
    ArrowArray& array = arrays_.emplace_back();
    refuse_error(own.get_next(&own, &array));
    if (array.release == nullptr) return;
    add_rows(table, schema, array);
  }
}

void ArrowTables::add_rows(MemoryTable& table, const ArrowSchema& schema, const ArrowArray& array) {
  refuse_no_table(schema, array);
  const bool is_first = table.columns.empty();
  std::size_t place = 0;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& child = *schema.children[i];
    if (!is_usable(child)) continue;
    const std::string name = child.name == nullptr ? "" : child.name;
    if (is_first) table.columns.push_back({name, {}});
    if (place >= table.columns.size() || table.columns[place].name != name) {
      throw DataError("the Arrow array has other columns than the rows before it");
    }
    MemoryChunk chunk = chunk_of(child, *array.children[i]);
    // A slice of a struct array shifts its columns.
    chunk.offset += array.offset;
    chunk.valid.offset += array.offset;
    chunk.rows = array.length;
    if (chunk.rows > 0) table.columns[place].chunks.push_back(chunk);
    ++place;
  }
  if (place != table.columns.size()) {
    throw DataError("the Arrow array has fewer columns than the rows before it");
  }
}

MemoryChunk ArrowTables::chunk_of(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string_view format = schema.format;
  MemoryChunk chunk{.rows = array.length, .offset = array.offset};
  set_kind(chunk, format);
  if (array.null_count != 0) {
    chunk.valid = {static_cast<const std::uint8_t*>(buffer_at(array, 0)), array.offset};
  }
  chunk.values = buffer_at(array, 1);
  chunk.bytes = static_cast<const char*>(buffer_at(array, 2));
  if (chunk.kind == Kind::kTextView && array.n_buffers > 2) chunk.view_buffers = array.buffers + 2;
  if (schema.dictionary != nullptr && array.dictionary != nullptr) {
    chunk.index = std::exchange(chunk.kind, Kind::kDictionary);
    chunk.words = &words_.emplace_back(chunk_of(*schema.dictionary, *array.dictionary));
  }
  return chunk;
}

}  // namespace scalelaw::capi
