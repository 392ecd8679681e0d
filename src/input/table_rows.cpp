#include "scalelaw/input/table_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "input/stream_rows.hpp"
#include "input/table_text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kLongestStreamHeader = std::size_t{32} << 20;
constexpr std::size_t kFirstBytes = std::size_t{128} << 10;

/// Whether the quotes of a text, begun outside of any, leave one open.
bool has_open_quote(std::string_view text) { return std::ranges::count(text, '"') % 2 == 1; }

}  // namespace

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

StreamRows::StreamRows(std::unique_ptr<ByteStream> bytes, std::string_view source,
                       const TextLayout& layout)
    : source_(source), rest_(std::move(bytes)) {
  std::optional<Header> header;
  for (std::size_t wanted = kFirstBytes; !header; wanted *= 4) {
    if (wanted > kLongestStreamHeader)
      throw data_error("{}: no line with the names of the columns was found", source_);
    read_to(wanted, *rest_, first_);
    header = parse_header(first_, first_.size() < wanted, source_, layout);
  }
  header_ = *std::move(header);
  first_.erase(0, header_.end);
  stream_ = stream_of(first_, rest_.get());
  lines_ = std::make_unique<LineReader>(*stream_, source_);
}

bool StreamRows::next() {
  std::string joined;
  while (const auto line = lines_->next()) {
    if (is_skipped_line(line->data(), line->data() + line->size())) continue;
    line_ = header_.lines + lines_->line_number();
    if (line->find('"') == std::string_view::npos) {
      take(*line);
      return true;
    }
    joined = *line;
    bool is_open = has_open_quote(joined);
    while (is_open) {  // A quoted field contains a line feed.
      const auto more = lines_->next();
      if (!more) throw ParseError(source_, line_, "unclosed quote");
      is_open = !has_open_quote(*more);
      joined.append(1, '\n').append(*more);
    }
    take(joined);
    return true;
  }
  return false;
}

void StreamRows::take(std::string_view row) {
  tokenize(row, header_.separator, raw_);
  if (raw_.size() != header_.names.size()) {
    throw parse_error(source_, line_, "expected {} fields, found {}", header_.names.size(),
                      raw_.size());
  }
  fields_.resize(raw_.size());
  std::string scratch;
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    if (const auto defect = field_defect(raw_[i])) {
      throw parse_error(source_, line_, "field {} '{}': {}", i + 1, header_.names[i],
                        description_of(*defect));
    }
    fields_[i] = field_text(raw_[i], scratch);
  }
}

}  // namespace scalelaw
