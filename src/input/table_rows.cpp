#include "scalelaw/input/table_rows.hpp"

#include "input/stream_rows.hpp"
#include "input/table_text.hpp"

namespace scalelaw {

TableRows::TableRows(const std::string& path, const TextLayout& layout)
    : file_(std::make_unique<InputFile>(path)) {
  TableText text = table_text(*file_, layout);
  rows_ = std::make_unique<StreamRows>(std::move(text.bytes), input_name(path), text.layout);
  header_ = rows_->header();
  text.note_origin(header_);
}

TableRows::TableRows(std::string_view text, std::string_view source)
    : rows_(std::make_unique<StreamRows>(stream_of(text), source, TextLayout{})),
      header_(rows_->header()) {}

TableRows::~TableRows() = default;
TableRows::TableRows(TableRows&&) noexcept = default;
TableRows& TableRows::operator=(TableRows&&) noexcept = default;

bool TableRows::next() { return rows_->next(); }
const std::vector<std::string>& TableRows::fields() const { return rows_->fields(); }
std::uint64_t TableRows::line() const { return rows_->line(); }
const std::string& TableRows::source() const { return rows_->source(); }

}  // namespace scalelaw
