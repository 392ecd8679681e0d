#include "scalelaw/input/memory_table.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/date.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

using Kind = MemoryChunk::Kind;

template <class Number>
Number value_at(const void* values, std::int64_t place) {
  return static_cast<const Number*>(values)[place];
}

std::string_view number_text(double value, std::string& scratch) {
  scratch.clear();
  if (std::isnan(value)) return {};
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  append_exact(scratch, value);
  return scratch;
}

/// The digits of a float: as few as tell it from all other floats.
std::string_view float_text(float value, std::string& scratch) {
  if (!std::isfinite(value)) return number_text(value, scratch);
  scratch = fmt::format("{}", value);
  return scratch;
}

template <class Integer>
std::string_view whole_text(Integer value, std::string& scratch) {
  const fmt::format_int digits(value);
  scratch.assign(digits.data(), digits.size());
  return scratch;
}

template <class Offset>
std::string_view text_between(const MemoryChunk& chunk, std::int64_t place) {
  const auto begin = value_at<Offset>(chunk.values, place);
  const auto end = value_at<Offset>(chunk.values, place + 1);
  return {chunk.bytes + begin, static_cast<std::size_t>(end - begin)};
}

/// Arrow's view of a text: its length, and up to 12 bytes themselves or where more of them stand.
std::string_view viewed_text(const MemoryChunk& chunk, std::int64_t place) {
  constexpr std::int32_t kMostInside = 12;
  const char* const view = static_cast<const char*>(chunk.values) + 16 * place;
  std::array<std::int32_t, 4> parts;
  std::memcpy(parts.data(), view, sizeof parts);
  const auto length = static_cast<std::size_t>(parts[0]);
  if (parts[0] <= kMostInside) return {view + 4, length};
  return {static_cast<const char*>(chunk.view_buffers[parts[2]]) + parts[3], length};
}

std::string_view date_text(std::int64_t days, std::string& scratch) {
  return scratch = utc_text(days * kSecondsOfDay, "%Y-%m-%d");
}

/// "2026-01-31 12:00:00+09:00", with decimals where the instant has some.
std::string_view instant_text(const MemoryChunk& chunk, std::int64_t units, std::string& scratch) {
  const std::int64_t per_second = chunk.units_per_second;
  std::int64_t seconds = units / per_second;
  std::int64_t rest = units % per_second;
  if (rest < 0) {
    rest += per_second;
    --seconds;
  }
  scratch = utc_text(seconds + chunk.ahead, "%Y-%m-%d %H:%M:%S");
  if (rest > 0) {
    const int digits = per_second == 1000 ? 3 : per_second == 1000000 ? 6 : 9;
    scratch += fmt::format(".{:0{}}", rest, digits);
  }
  return scratch += chunk.zone;
}

std::int64_t index_at(const void* values, Kind kind, std::int64_t place) {
  switch (kind) {
    case Kind::kInt8:
      return value_at<std::int8_t>(values, place);
    case Kind::kUint8:
      return value_at<std::uint8_t>(values, place);
    case Kind::kInt16:
      return value_at<std::int16_t>(values, place);
    case Kind::kUint16:
      return value_at<std::uint16_t>(values, place);
    case Kind::kUint32:
      return value_at<std::uint32_t>(values, place);
    case Kind::kInt64:
    case Kind::kUint64:
      return value_at<std::int64_t>(values, place);
    default:
      return value_at<std::int32_t>(values, place);
  }
}

}  // namespace

std::string_view MemoryChunk::text(std::int64_t row, std::string& scratch) const {
  if (kind == Kind::kNothing || !valid[row]) return {};
  const std::int64_t place = row + offset;
  switch (kind) {
    case Kind::kNothing:
      return {};
    case Kind::kDouble:
      return number_text(value_at<double>(values, place), scratch);
    case Kind::kFloat:
      return float_text(value_at<float>(values, place), scratch);
    case Kind::kInt8:
    case Kind::kInt16:
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kUint8:
    case Kind::kUint16:
    case Kind::kUint32:
      return whole_text(index_at(values, kind, place), scratch);
    case Kind::kUint64:
      return whole_text(value_at<std::uint64_t>(values, place), scratch);
    case Kind::kBool:
      return RowBits{static_cast<const std::uint8_t*>(values), offset}[row] ? "true" : "false";
    case Kind::kText32:
      return text_between<std::int32_t>(*this, place);
    case Kind::kText64:
      return text_between<std::int64_t>(*this, place);
    case Kind::kTextView:
      return viewed_text(*this, place);
    case Kind::kTexts: {
      const char* const found = value_at<const char*>(values, place);
      return found == nullptr ? std::string_view() : std::string_view(found);
    }
    case Kind::kDate:
      return date_text(value_at<std::int32_t>(values, place), scratch);
    case Kind::kInstant: {
      const auto units = value_at<std::int64_t>(values, place);
      const bool is_missing = units == std::numeric_limits<std::int64_t>::min();  // NaT of pandas.
      return is_missing ? std::string_view() : instant_text(*this, units, scratch);
    }
    case Kind::kDictionary: {
      const std::int64_t word = index_at(values, index, place);
      // pandas has -1 for a missing value.
      return word < 0 || word >= words->rows ? std::string_view() : words->text(word, scratch);
    }
  }
  return {};
}

std::int64_t MemoryColumn::rows() const {
  std::int64_t sum = 0;
  for (const MemoryChunk& chunk : chunks) sum += chunk.rows;
  return sum;
}

MemoryTable& MemoryTables::at(const std::string& name) {
  for (auto& [known, table] : tables_) {
    if (known == name) return table;
  }
  return tables_.emplace_back(name, MemoryTable{}).second;
}

const MemoryTable* MemoryTables::find(std::string_view name) const {
  for (const auto& [known, table] : tables_) {
    if (known == name) return &table;
  }
  return nullptr;
}

std::vector<std::string> MemoryTables::names() const {
  std::vector<std::string> names;
  for (const auto& [name, table] : tables_) names.push_back(name);
  return names;
}

void MemoryTables::refuse_ragged() const {
  for (const auto& [name, table] : tables_) {
    if (table.text) continue;
    if (table.columns.empty()) throw DataError(fmt::format("{}: the table has no columns", name));
    const std::int64_t rows = table.columns.front().rows();
    for (const MemoryColumn& column : table.columns) {
      if (column.rows() == rows) continue;
      throw DataError(fmt::format("{}: the column '{}' has {} rows, and '{}' has {}", name,
                                  column.name, column.rows(), table.columns.front().name, rows));
    }
  }
}

const MemoryTable* memory_table(const std::string& path) {
  const CallContext* const call = current_call();
  if (call == nullptr) return nullptr;
  for (const MemoryTables* const tables : {call->tables(), call->held()}) {
    const MemoryTable* const table = tables == nullptr ? nullptr : tables->find(path);
    if (table != nullptr) return table;
  }
  return nullptr;
}

}  // namespace scalelaw
