#include <cstring>
#include <memory>
#include <string>
#include <utility>
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

void append_csv_header(const MemoryTable& table, std::string& out) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    append_csv_cell(table.columns[i].name, table.columns.size() == 1, out);
  }
  out += '\n';
}

/// The rows of a table in memory as CSV, made as they are read.
class MemoryStream final : public ColumnStream {
 public:
  /// @param table  It must outlive the stream.
  explicit MemoryStream(const MemoryTable& table);

  std::size_t read(char* out, std::size_t count) override;
  std::uint64_t consumed() const override { return consumed_; }
  void keep_columns(std::vector<std::size_t> columns) override;

 private:
  bool write_rows();

  ColumnCursor cursor_;
  std::vector<bool> kept_;
  std::string text_;  ///< Rows that wait to be read, from at_.
  std::size_t at_ = 0;
  std::string scratch_;
  std::uint64_t consumed_ = 0;
};

MemoryStream::MemoryStream(const MemoryTable& table)
    : cursor_(table), kept_(table.columns.size(), true) {
  append_csv_header(table, text_);
}

void MemoryStream::keep_columns(std::vector<std::size_t> columns) {
  if (columns.empty()) return;
  kept_.assign(kept_.size(), false);
  for (const std::size_t column : columns) kept_[column] = true;
}

std::size_t MemoryStream::read(char* out, std::size_t count) {
  std::size_t have = 0;
  while (have < count) {
    if (at_ == text_.size() && !write_rows()) break;
    const std::size_t part = std::min(count - have, text_.size() - at_);
    std::memcpy(out + have, text_.data() + at_, part);
    at_ += part;
    have += part;
  }
  consumed_ += have;
  return have;
}

bool MemoryStream::write_rows() {
  constexpr std::int64_t kRowsAtOnce = 256;
  text_.clear();
  at_ = 0;
  ColumnRows rows = cursor_.next(kRowsAtOnce);
  for (std::int64_t i = 0; i < rows.count; ++i) {
    append_csv_row(rows.columns, kept_, scratch_, text_);
    for (ColumnPlace& place : rows.columns) ++place.row;
  }
  return rows.count > 0;
}

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

}  // namespace scalelaw
