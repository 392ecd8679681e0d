#include "scalelaw/input/table_rows.hpp"

#include <fmt/format.h>

#include "input/table_text.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kLongestHeader = std::size_t{32} << 20;

}  // namespace

TableRows::TableRows(const std::string& path, const TextLayout& layout)
    : source_(input_name(path)), file_(std::make_unique<InputFile>(path)) {
  TableText text = table_text(*file_, layout);
  stream_ = std::move(text.bytes);
  read_header(text.layout);
  header_.of_blanks = text.kind == TableKind::kBlankRuns;
}

TableRows::TableRows(std::string_view text, std::string_view source)
    : source_(source), stream_(stream_of(text)) {
  read_header({});
}

void TableRows::read_header(const TextLayout& layout) {
  std::string first;
  std::optional<Header> header;
  for (std::size_t bytes = kTableBegin; !header; bytes *= 4) {
    if (bytes > kLongestHeader)
      throw DataError(fmt::format("{}: no line with the names of the columns was found", source_));
    read_to(bytes, *stream_, first);
    header = parse_header(first, first.size() < bytes, source_, layout);
  }
  header_ = *std::move(header);
  stream_ = continued(first.substr(header_.end), std::move(stream_));
  lines_ = std::make_unique<LineReader>(*stream_, source_);
}

bool TableRows::next() {
  std::string joined;
  while (const auto line = lines_->next()) {
    if (is_skipped_line(line->data(), line->data() + line->size())) continue;
    line_ = header_.lines + lines_->line_number();
    if (line->find('"') == std::string_view::npos) {
      take(*line);
      return true;
    }
    joined = *line;
    joined += '\n';
    while (row_end(joined) == std::string_view::npos) {  // A quoted field contains a line feed.
      const auto more = lines_->next();
      if (!more) throw ParseError(source_, line_, "unclosed quote");
      joined += *more;
      joined += '\n';
    }
    take(std::string_view(joined).substr(0, joined.size() - 1));
    return true;
  }
  return false;
}

void TableRows::take(std::string_view row) {
  tokenize(row, header_.separator, raw_);
  if (raw_.size() != header_.names.size()) {
    throw ParseError(
        source_, line_,
        fmt::format("expected {} fields, found {}", header_.names.size(), raw_.size()));
  }
  fields_.resize(raw_.size());
  std::string scratch;
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    if (const auto defect = field_defect(raw_[i])) {
      throw ParseError(
          source_, line_,
          fmt::format("field {} '{}': {}", i + 1, header_.names[i], description_of(*defect)));
    }
    fields_[i] = field_text(raw_[i], scratch);
  }
}

}  // namespace scalelaw
