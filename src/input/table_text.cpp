#include "input/table_text.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "input/container.hpp"
#include "input/foreign_files.hpp"
#include "input/json_table.hpp"
#include "input/wide_table.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

/// A stream of which the first bytes were read already.
class ContinuedStream final : public ByteStream {
 public:
  ContinuedStream(std::string first, std::unique_ptr<ByteStream> rest)
      : first_(std::move(first)), rest_(std::move(rest)), both_(stream_of(first_, rest_.get())) {}

  std::size_t read(char* out, std::size_t count) override { return both_->read(out, count); }
  std::uint64_t consumed() const override { return rest_->consumed(); }

 private:
  std::string first_;
  std::unique_ptr<ByteStream> rest_;
  std::unique_ptr<ByteStream> both_;
};

/// Lines of words with one tab for each run of blanks between them, and none at the ends. Blanks
/// inside quotes stay. The lines stay the same lines.
class BlanksAsTabs final : public ByteStream {
 public:
  explicit BlanksAsTabs(std::unique_ptr<ByteStream> in) : in_(std::move(in)) {}

  std::size_t read(char* out, std::size_t count) override {
    while (begin_ == ready_.size()) {
      ready_.clear();
      begin_ = 0;
      block_.resize(count);
      const std::size_t got = in_->read(block_.data(), count);
      if (got == 0) return 0;
      for (const char c : std::string_view(block_.data(), got)) put(c);
    }
    const std::size_t part = std::string_view(ready_).substr(begin_).copy(out, count);
    begin_ += part;
    return part;
  }
  std::uint64_t consumed() const override { return in_->consumed(); }

 private:
  void put(char c) {
    if (c == '\n' && !quoted_) {
      ready_ += c;
      in_line_ = comment_ = pending_ = false;
    } else if ((c == ' ' || c == '\t' || c == '\r') && !quoted_) {
      pending_ = in_line_;
    } else {
      if (!in_line_ && c == '#') comment_ = true;
      const bool begins_word = !in_line_ || pending_;
      if (std::exchange(pending_, false)) ready_ += '\t';
      if (c == '"' && !comment_ && (quoted_ || begins_word)) quoted_ = !quoted_;
      in_line_ = true;
      ready_ += c;
    }
  }

  std::unique_ptr<ByteStream> in_;
  std::vector<char> block_;
  std::string ready_;  ///< Translated and not yet read, from begin_.
  std::size_t begin_ = 0;
  bool in_line_ = false;  ///< The line has a word already.
  bool pending_ = false;  ///< Blanks were met behind it.
  bool comment_ = false;
  bool quoted_ = false;
};

std::string whole(ByteStream& stream, std::string text) {
  for (std::size_t bytes = 4 * text.size();; bytes *= 4) {
    read_to(bytes, stream, text);
    if (text.size() < bytes) return text;
  }
}

std::string_view no_table_of(const InputFile& file) {
  return file.container() != nullptr
             ? file.container()->no_table
             : "saved fits, where a table of runs is wanted: name the runs, or give the file to "
               "gate or predict";
}

/// What the bytes of a table are before anything is translated.
TableKind kind_as_written(std::string_view text, bool complete, std::string_view source,
                          const TextLayout& layout) {
  refuse_foreign_file(text, source);
  if (begins_as_json(text)) return TableKind::kJson;
  const auto header = parse_header(text, complete, source, {.delimiter = layout.delimiter});
  return header && header->separator == kBlanks ? TableKind::kBlankRuns : TableKind::kDelimited;
}

TableText text_as_written(const InputFile& file, const TextLayout& layout) {
  auto stream = open_stream(file);
  std::string first;
  read_to(kTableBegin, *stream, first);
  TableText table;
  table.layout = layout;
  table.kind = kind_as_written(first, first.size() < kTableBegin, file.name(), layout);
  if (table.kind == TableKind::kJson) {
    table.bytes = csv_of_json(whole(*stream, std::move(first)), file.name(), no_table_of(file));
    table.layout.delimiter = ',';
    return table;
  }
  if (table.kind == TableKind::kDelimited) {
    table.columns = dynamic_cast<ColumnStream*>(stream.get());
  }
  table.bytes = continued(std::move(first), std::move(stream));
  if (table.kind == TableKind::kBlankRuns) {
    table.bytes = std::make_unique<BlanksAsTabs>(std::move(table.bytes));
    table.layout.delimiter = '\t';
  }
  return table;
}

}  // namespace

TableKind table_kind(std::string_view text, bool complete, std::string_view source,
                     const TextLayout& layout) {
  const TableKind kind = kind_as_written(text, complete, source, layout);
  return layout.wide.empty() ? kind : TableKind::kWide;
}

std::unique_ptr<ByteStream> continued(std::string first, std::unique_ptr<ByteStream> rest) {
  return std::make_unique<ContinuedStream>(std::move(first), std::move(rest));
}

TableText table_text(const InputFile& file, const TextLayout& layout) {
  TableText table = text_as_written(file, layout);
  if (layout.wide.empty()) return table;
  auto wide = std::make_unique<WideTable>(std::move(table.bytes), file.name(), table.layout);
  table.kind = TableKind::kWide;
  table.layout.delimiter = wide->separator();
  table.bytes = std::move(wide);
  table.columns = nullptr;  // They are columns of another table now.
  return table;
}

}  // namespace scalelaw
