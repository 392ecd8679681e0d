#include "arrow_table.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "scalelaw/base/number.hpp"

namespace scalelaw::capi {
namespace {

enum class Type { kBool, kCount, kNumber, kText };

/// A column in the memory layout of Arrow.
struct Column {
  std::string name;
  const char* format = "u";
  std::int64_t nulls = 0;
  std::vector<std::uint8_t> valid;   ///< A bit per row.
  std::vector<std::uint8_t> truths;  ///< A bit per row.
  std::vector<std::int64_t> counts;
  std::vector<double> numbers;
  std::vector<std::int32_t> offsets;  ///< Of texts.
  std::string bytes;

  std::array<const void*, 3> buffers() const {
    const void* const validity = nulls > 0 ? valid.data() : nullptr;
    if (format[0] == 'u') return {validity, offsets.data(), bytes.data()};
    const void* const values = format[0] == 'b'   ? static_cast<const void*>(truths.data())
                               : format[0] == 'l' ? static_cast<const void*>(counts.data())
                                                  : static_cast<const void*>(numbers.data());
    return {validity, values, nullptr};
  }
  std::int64_t buffer_count() const { return format[0] == 'u' ? 3 : 2; }
};

struct Batch {
  std::int64_t rows = 0;
  std::vector<Column> columns;
};

using SharedBatch = std::shared_ptr<const Batch>;

// ---- from cells to columns

std::optional<std::int64_t> count_in(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_plain = error == std::errc() && end == text.data() + text.size();
  return is_plain && std::to_string(count) == text ? std::optional(count) : std::nullopt;
}

/// A number that is written as this program writes it.
std::optional<double> number_in(std::string_view text) {
  const auto number = parse_number(text);
  if (!number) return std::nullopt;
  std::string plain;
  append_exact(plain, *number);
  return plain == text ? number : std::nullopt;
}

bool is_nothing(const KeptValue& cell) {
  const auto* const text = std::get_if<std::string>(&cell);
  return std::holds_alternative<std::monostate>(cell) || (text != nullptr && text->empty());
}

/// Whether every cell that says something holds a value of a kind.
template <class Holds>
bool all_hold(const KeptColumn& column, Holds holds) {
  return std::ranges::all_of(
      column.cells, [&](const KeptValue& cell) { return is_nothing(cell) || holds(cell); });
}

/// The count or number of a cell; texts count in columns of keys, which are texts throughout.
std::optional<std::int64_t> count_of(const KeptValue& cell) {
  if (const auto* const count = std::get_if<std::int64_t>(&cell)) return *count;
  const auto* const text = std::get_if<std::string>(&cell);
  return text != nullptr ? count_in(*text) : std::nullopt;
}

std::optional<double> number_of(const KeptValue& cell) {
  if (const double* const number = std::get_if<double>(&cell)) return *number;
  if (const auto* const count = std::get_if<std::int64_t>(&cell)) {
    return static_cast<double>(*count);
  }
  const auto* const text = std::get_if<std::string>(&cell);
  return text != nullptr ? number_in(*text) : std::nullopt;
}

Type type_of(const KeptColumn& column) {
  const auto is_text = [](const KeptValue& cell) {
    return std::holds_alternative<std::string>(cell);
  };
  const bool is_empty = all_hold(column, [](const KeptValue&) { return false; });
  if (is_empty) return column.is_number ? Type::kNumber : Type::kText;
  if (!column.is_key && std::ranges::any_of(column.cells, is_text)) {
    return Type::kText;
  }
  if (all_hold(column, [](const KeptValue& cell) { return std::holds_alternative<bool>(cell); })) {
    return Type::kBool;
  }
  if (all_hold(column, [](const KeptValue& cell) { return count_of(cell).has_value(); })) {
    return Type::kCount;
  }
  const bool is_number =
      all_hold(column, [](const KeptValue& cell) { return number_of(cell).has_value(); });
  return is_number ? Type::kNumber : Type::kText;
}

void set_bit(std::vector<std::uint8_t>& bits, std::size_t row) {
  bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | (1U << (row % 8)));
}

std::string text_of(const KeptValue& cell) {
  if (const auto* const text = std::get_if<std::string>(&cell)) return *text;
  if (const bool* const truth = std::get_if<bool>(&cell)) return *truth ? "true" : "false";
  if (const auto* const count = std::get_if<std::int64_t>(&cell)) return std::to_string(*count);
  std::string text;
  if (const double* const number = std::get_if<double>(&cell)) append_exact(text, *number);
  return text;
}

Column column_of(const KeptColumn& kept) {
  const std::size_t rows = kept.cells.size();
  const Type type = type_of(kept);
  Column column;
  column.name = kept.name;
  column.valid.resize(rows / 8 + 1);
  if (type == Type::kBool) column.truths.resize(rows / 8 + 1);
  if (type == Type::kText) column.offsets.push_back(0);
  column.format = type == Type::kBool     ? "b"
                  : type == Type::kCount  ? "l"
                  : type == Type::kNumber ? "g"
                                          : "u";
  for (std::size_t row = 0; row < rows; ++row) {
    const KeptValue& cell = kept.cells[row];
    const bool is_there = !is_nothing(cell);
    if (is_there) {
      set_bit(column.valid, row);
    } else {
      ++column.nulls;
    }
    if (type == Type::kBool && is_there && std::get<bool>(cell)) set_bit(column.truths, row);
    if (type == Type::kCount) column.counts.push_back(count_of(cell).value_or(0));
    if (type == Type::kNumber) column.numbers.push_back(number_of(cell).value_or(0));
    if (type == Type::kText) {
      column.bytes += text_of(cell);
      column.offsets.push_back(static_cast<std::int32_t>(column.bytes.size()));
    }
  }
  // No buffer is a null pointer, also without rows.
  column.counts.reserve(1);
  column.numbers.reserve(1);
  return column;
}

SharedBatch batch_of(const KeptSheet& sheet) {
  auto batch = std::make_shared<Batch>();
  for (const KeptColumn& column : sheet.columns()) batch->columns.push_back(column_of(column));
  if (!sheet.columns().empty()) {
    batch->rows = static_cast<std::int64_t>(sheet.columns().front().cells.size());
  }
  return batch;
}

// ---- structures of Arrow, which free what they hold when they are released

struct HeldSchema {
  SharedBatch batch;
  std::vector<ArrowSchema> children = {};
  std::vector<ArrowSchema*> pointers = {};
};

struct HeldArray {
  SharedBatch batch;
  std::array<const void*, 3> buffers = {};
  std::vector<ArrowArray> children = {};
  std::vector<ArrowArray*> pointers = {};
};

/// Releases a structure: its children, unless they were moved away, and what it holds.
template <class Held, class Struct>
void release(Struct* own) {
  const std::unique_ptr<Held> held(static_cast<Held*>(own->private_data));
  for (Struct& child : held->children) {
    if (child.release != nullptr) child.release(&child);
  }
  own->release = nullptr;
}

template <class Held, class Struct>
void hold(Struct& out, std::unique_ptr<Held> held) {
  for (Struct& child : held->children) held->pointers.push_back(&child);
  out.n_children = static_cast<std::int64_t>(held->children.size());
  out.children = held->pointers.data();
  out.release = release<Held, Struct>;
  out.private_data = held.release();
}

void make_schema(const SharedBatch& batch, ArrowSchema& out) {
  auto held = std::make_unique<HeldSchema>(HeldSchema{batch});
  held->children.reserve(batch->columns.size());
  held->pointers.reserve(batch->columns.size());
  for (const Column& column : batch->columns) {
    ArrowSchema child{};
    child.format = column.format;
    child.name = column.name.c_str();
    child.flags = 2;  // Cells may be null.
    hold(child, std::make_unique<HeldSchema>(HeldSchema{batch}));
    held->children.push_back(child);
  }
  out = {};
  out.format = "+s";
  out.name = "";
  hold(out, std::move(held));
}

void make_array(const SharedBatch& batch, ArrowArray& out) {
  auto held = std::make_unique<HeldArray>(HeldArray{batch});
  held->children.reserve(batch->columns.size());
  held->pointers.reserve(batch->columns.size());
  for (const Column& column : batch->columns) {
    auto own = std::make_unique<HeldArray>(HeldArray{batch, column.buffers()});
    ArrowArray child{};
    child.length = batch->rows;
    child.null_count = column.nulls;
    child.n_buffers = column.buffer_count();
    child.buffers = own->buffers.data();
    hold(child, std::move(own));
    held->children.push_back(child);
  }
  out = {};
  out.length = batch->rows;
  out.n_buffers = 1;
  out.buffers = held->buffers.data();
  hold(out, std::move(held));
}

struct HeldStream {
  SharedBatch batch;
  bool is_read = false;
};

HeldStream& held_by(ArrowArrayStream* stream) {
  return *static_cast<HeldStream*>(stream->private_data);
}

/// Fills a structure for another program, which takes no exceptions.
template <class Fill>
int guarded(Fill fill) noexcept {
  try {
    fill();
    return 0;
  } catch (...) {
    return ENOMEM;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return guarded([&] { make_schema(held_by(stream).batch, *out); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  return guarded([&] {
    *out = {};
    if (!std::exchange(held_by(stream).is_read, true)) make_array(held_by(stream).batch, *out);
  });
}

const char* get_last_error(ArrowArrayStream*) { return "there is not enough memory"; }

void release_stream(ArrowArrayStream* stream) {
  delete &held_by(stream);
  stream->release = nullptr;
}

}  // namespace

void export_sheet(const KeptSheet& sheet, ArrowArrayStream& out) {
  auto held = std::make_unique<HeldStream>(HeldStream{batch_of(sheet)});
  out = {};
  out.get_schema = get_schema;
  out.get_next = get_next;
  out.get_last_error = get_last_error;
  out.release = release_stream;
  out.private_data = held.release();
}

}  // namespace scalelaw::capi
