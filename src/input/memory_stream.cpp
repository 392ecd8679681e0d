#include <memory>
#include <string>
#include <vector>

#include "input/column_rows.hpp"
#include "input/column_stream.hpp"
#include "scalelaw/input/memory_table.hpp"

namespace scalelaw {
namespace {

/// Appends a cell of a row with other cells, or one that stands alone: that must not look like an
/// empty line, or like several columns.
void append_csv_cell(std::string_view text, bool is_alone, std::string& out) {
  const bool is_quoted = is_alone && text.find_first_of("\"\r\n") == std::string_view::npos;
  if (!is_quoted) return append_csv_text(text, out);
  out += '"';
  out += text;
  out += '"';
}

std::string csv_header(const MemoryTable& table) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    append_csv_cell(table.columns[i].name, table.columns.size() == 1, out);
  }
  return out + '\n';
}

/// The rows of a table in memory as CSV, made as they are read.
class MemoryStream final : public ColumnStream {
 public:
  /// @param table  It must outlive the stream.
  explicit MemoryStream(const MemoryTable& table)
      : cursor_(table), kept_(table.columns.size(), true) {
    begin_with(csv_header(table));
  }

  void keep_columns(std::vector<std::size_t> columns) override {
    if (columns.empty()) return;
    kept_.assign(kept_.size(), false);
    for (const std::size_t column : columns) kept_[column] = true;
  }

 private:
  bool append_rows(std::string& text) override {
    constexpr std::int64_t kRowsAtOnce = 256;
    ColumnRows rows = cursor_.next(kRowsAtOnce);
    for (std::int64_t i = 0; i < rows.count; ++i) {
      append_csv_row(rows.columns, kept_, scratch_, text);
      for (ColumnPlace& place : rows.columns) ++place.row;
    }
    return rows.count > 0;
  }

  ColumnCursor cursor_;
  std::vector<bool> kept_;
  std::string scratch_;
};

}  // namespace

void append_csv_row(const std::vector<ColumnPlace>& row, const std::vector<bool>& kept,
                    std::string& scratch, std::string& out) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out += ',';
    if (kept[i]) append_csv_cell(row[i].chunk->text(row[i].row, scratch), row.size() == 1, out);
  }
  out += '\n';
}

std::unique_ptr<ByteStream> open_memory_table(const MemoryTable& table) {
  return std::make_unique<MemoryStream>(table);
}

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
