#include "column_keys.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

namespace scalelaw {
namespace {

using ChunkKind = MemoryChunk::Kind;

bool is_text(ChunkKind kind) {
  return kind == ChunkKind::kText32 || kind == ChunkKind::kText64 || kind == ChunkKind::kTextView ||
         kind == ChunkKind::kTexts;
}

bool is_whole(ChunkKind kind) { return kind >= ChunkKind::kInt8 && kind <= ChunkKind::kUint64; }

template <class Number>
void widen(const void* values, std::int64_t place, std::size_t count, std::uint64_t* numbers) {
  const Number* const from = static_cast<const Number*>(values) + place;
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint64_t>(from[i]);
}

void widen_whole(ChunkKind kind, const void* values, std::int64_t place, std::size_t count,
                 std::uint64_t* numbers) {
  switch (kind) {
    case ChunkKind::kInt8:
      return widen<std::int8_t>(values, place, count, numbers);
    case ChunkKind::kInt16:
      return widen<std::int16_t>(values, place, count, numbers);
    case ChunkKind::kInt32:
      return widen<std::int32_t>(values, place, count, numbers);
    case ChunkKind::kUint8:
      return widen<std::uint8_t>(values, place, count, numbers);
    case ChunkKind::kUint16:
      return widen<std::uint16_t>(values, place, count, numbers);
    case ChunkKind::kUint32:
      return widen<std::uint32_t>(values, place, count, numbers);
    default:
      return widen<std::uint64_t>(values, place, count, numbers);
  }
}

}  // namespace

bool ColumnKeys::takes(const MemoryChunk& chunk) {
  return chunk.kind == ChunkKind::kDouble || chunk.kind == ChunkKind::kDictionary ||
         is_whole(chunk.kind) || is_text(chunk.kind);
}

bool ColumnKeys::begin(const ColumnRows& rows, std::span<const std::size_t> columns) {
  std::vector<const void*> words;
  places_.clear();
  for (const std::size_t column : columns) {
    places_.push_back(rows.columns[column]);
    words.push_back(places_.back().chunk->words);
  }
  const std::vector<Slot> slots = std::exchange(slots_, {});
  place_columns();
  const bool same = words == words_ && slots == slots_ && rows.file == file_;
  words_ = std::move(words);
  file_ = rows.file;
  return same;
}

void ColumnKeys::place_columns() {
  constexpr std::uint64_t kMostPacked = std::uint64_t{1} << 62;
  count_ = 0;
  codes_ = 0;
  std::optional<std::size_t> packed;  ///< The place of codes.
  std::uint64_t room = kMostPacked;   ///< What is left of it.
  for (const ColumnPlace& column : places_) {
    const bool has_codes = column.chunk->kind == ChunkKind::kDictionary;
    // One more stands for a missing value.
    const auto base =
        has_codes ? static_cast<std::uint64_t>(column.chunk->words->rows) + 1 : std::uint64_t{0};
    const bool is_digit = has_codes && base <= room;
    if (!is_digit) {
      slots_.push_back({.place = count_++});
      continue;
    }
    slots_.push_back({.place = packed.value_or(count_), .base = base, .is_first = !packed});
    if (!packed) packed = count_++;
    room /= base;
    codes_ = std::max<std::uint64_t>(codes_, 1) * base;
  }
  code_place_ = packed.value_or(0);
}

void ColumnKeys::take(std::int64_t first, std::size_t count) {
  std::fill_n(lacks_.begin(), count, std::uint8_t{0});
  for (std::size_t c = 0; c < places_.size(); ++c) {
    const MemoryChunk& chunk = *places_[c].chunk;
    const std::int64_t row = places_[c].row + first;
    std::uint64_t* const numbers = numbers_[slots_[c].place].data();
    if (chunk.valid.bits != nullptr) {
      for (std::size_t i = 0; i < count; ++i) {
        if (!chunk.valid[row + static_cast<std::int64_t>(i)]) lacks_[i] = 1;
      }
    }
    if (chunk.kind == ChunkKind::kDouble) {
      const double* const from = static_cast<const double*>(chunk.values) + row + chunk.offset;
      for (std::size_t i = 0; i < count; ++i) numbers[i] = std::bit_cast<std::uint64_t>(from[i]);
    } else if (is_text(chunk.kind)) {
      take_texts(chunk, row, count, numbers);
    } else if (slots_[c].base > 0) {
      take_codes(chunk, row, count, slots_[c]);
    } else {
      const ChunkKind kind = chunk.kind == ChunkKind::kDictionary ? chunk.index : chunk.kind;
      widen_whole(kind, chunk.values, row + chunk.offset, count, numbers);
    }
  }
}

void ColumnKeys::take_codes(const MemoryChunk& chunk, std::int64_t row, std::size_t count,
                            const Slot& slot) {
  std::array<std::uint64_t, kMostRows> codes;
  widen_whole(chunk.index, chunk.values, row + chunk.offset, count, codes.data());
  std::uint64_t* const numbers = numbers_[slot.place].data();
  const std::uint64_t base = slot.base;
  if (slot.is_first) std::fill_n(numbers, count, std::uint64_t{0});
  for (std::size_t i = 0; i < count; ++i) {
    // A code that stands for no word is that of a missing value, -1.
    numbers[i] = numbers[i] * base + std::min(codes[i], base - 1);
  }
}

void ColumnKeys::take_texts(const MemoryChunk& chunk, std::int64_t row, std::size_t count,
                            std::uint64_t* numbers) {
  std::string scratch;
  std::string_view last;
  std::uint64_t number = 0;
  bool is_known = false;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view text = chunk.text(row + static_cast<std::int64_t>(i), scratch);
    if (!is_known || text != last) {  // Rows of one group often stand together.
      number = texts_.try_emplace(text, texts_.size()).first->second;
      last = text;
      is_known = true;
    }
    numbers[i] = number;
  }
}

}  // namespace scalelaw
