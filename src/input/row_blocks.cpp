#include "scalelaw/input/row_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "input/block_reading.hpp"
#include "input/wide_table.hpp"
#include "scalelaw/input/memory_table.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kLongestRow = std::size_t{64} << 20;
constexpr std::size_t kLongestHeader = std::size_t{32} << 20;
constexpr std::uint64_t kOverlap = 256;  // Read beyond a part: the last row mostly ends there.
constexpr std::uint64_t kLeastPart = 256 << 10;
constexpr std::uint64_t kLargestPart = 2 << 20;
constexpr std::int64_t kRowsAtOnce = std::int64_t{1} << 16;

void refuse_endless_row(const RowBlock& block, std::size_t pending) {
  if (pending > kLongestRow)
    throw RowDefect(block, block.begin, "the row is longer than 64 MiB: is a quote left open?");
}

/// The header of a table. fill(bytes) makes `text` its first bytes, as many as there are.
template <class Fill>
Header header_of(const std::string& name, const std::string& text, const TextLayout& layout,
                 Fill fill) {
  std::optional<Header> header;
  for (std::size_t bytes = BlockBuffer::kReadBytes; !header; bytes *= 4) {
    if (bytes > kLongestHeader) {
      throw ParseError(name, 1, "the header line is longer than 32 MiB: is this a CSV file?");
    }
    fill(bytes);
    header = parse_header(text, text.size() < bytes, name, layout);
  }
  return *std::move(header);
}

void refuse_shrunk(const InputFile& file, std::uint64_t at) {
  if (at < file.size())
    throw DataError(fmt::format("{}: the file became shorter while it was read", file.name()));
}

/// The end of a row in a text that begins inside quotes. If the row goes on beyond the text, the
/// search continues at `at`.
struct QuotedRowEnd {
  bool ended;
  const char* at;
};
QuotedRowEnd end_of_quoted_row(const char* begin, const char* end) {
  const char* const closing = find_byte(begin, end, '"');
  if (closing == nullptr) return {false, end};
  const std::size_t rest = row_end({closing + 1, static_cast<std::size_t>(end - closing - 1)});
  if (rest == std::string_view::npos) return {false, closing};
  return {true, closing + 1 + rest + 1};
}

/// Calls take(c) for each byte of a stream before an offset.
template <class Take>
void for_each_byte_before(std::uint64_t offset, ByteStream& stream, Take take) {
  std::vector<char> buffer(BlockBuffer::kReadBytes);
  while (offset > 0) {
    const std::size_t got =
        stream.read(buffer.data(), std::min<std::uint64_t>(buffer.size(), offset));
    if (got == 0) return;
    std::for_each(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got), take);
    offset -= got;
  }
}

std::uint64_t lines_before(std::uint64_t offset, ByteStream& stream) {
  std::uint64_t lines = 0;
  for_each_byte_before(offset, stream, [&](char c) { lines += c == '\n' ? 1 : 0; });
  return lines;
}

/// As lines_before, but a row with line feeds in its fields counts once.
std::uint64_t rows_before(std::uint64_t offset, ByteStream& stream) {
  std::uint64_t rows = 0;
  bool quoted = false;
  for_each_byte_before(offset, stream, [&](char c) {
    if (c == '"') quoted = !quoted;
    rows += c == '\n' && !quoted ? 1 : 0;
  });
  return rows;
}

RowBlock part_of(RowBlock block, const char* begin, const char* end) {
  block.offset += static_cast<std::uint64_t>(begin - block.begin);
  if (block.line > 0)
    block.line += static_cast<std::uint64_t>(std::count(block.begin, begin, '\n'));
  block.begin = begin;
  block.end = end;
  return block;
}

/// Whether a table is read before another thread has begun.
bool is_small_table(const std::string& path) {
  constexpr std::uint64_t kSmallFile = 64 << 10;
  if (const MemoryTable* const table = memory_table(path)) {
    if (table->text) return table->text->size() <= kSmallFile;
    return table->columns.empty() || table->columns.front().rows() <= kRowsAtOnce;
  }
  const auto state = is_regular_file(path) ? state_of_file(path) : std::nullopt;
  return state && state->bytes <= kSmallFile;
}

int threads_worth(std::span<const std::string> paths, int threads) {
  int worth = 0;
  for (std::size_t i = 0; i < paths.size() && worth < threads; ++i) {
    worth += is_small_table(paths[i]) ? 1 : threads;
  }
  return std::clamp(worth, 1, std::max(threads, 1));
}

}  // namespace

void BlockReading::run() {
  try {
    read_all();
  } catch (const LateQuote&) {
    quotes_expected_ = true;
    opened_ = 0;
    current_.reset();
    failure_.reset();
    streams_waiting_.clear();
    consumer_.restart();
    read_all();
  }
}

void BlockReading::read_all() {
  run_workers([this](int worker) { read_plain_files(worker); });
  run_workers([this](int worker) { read_streams(worker); });
  throw_failure();
}

void BlockReading::throw_failure() const {
  if (!failure_) return;
  if (failure_->error) std::rethrow_exception(failure_->error);
  const std::string place =
      place_of_row(paths_[failure_->file], failure_->offset, failure_->line, layout_);
  throw ParseError(place, failure_->message);
}

void BlockReading::record(Failure failure) {
  const std::lock_guard lock(failure_mutex_);
  stop_ = true;
  if (!failure_ ||
      std::pair(failure.file, failure.offset) < std::pair(failure_->file, failure_->offset)) {
    failure_ = std::move(failure);
  }
}

bool BlockReading::is_after_failure(std::size_t file) {
  const std::lock_guard lock(failure_mutex_);
  return failure_ && file >= failure_->file;
}

void BlockReading::read_plain_files(int worker) {
  BlockBuffer buffer;
  while (!stop_) {
    const Claim claim = claim_part();
    if (!claim.parts) return;
    guarded(claim.parts->index, claim.parts->begin_of(claim.part),
            [&] { read_part(*claim.parts, claim.part, buffer, worker); });
  }
}

BlockReading::Claim BlockReading::claim_part() {
  const std::lock_guard lock(mutex_);
  while (!stop_) {
    if (current_ && current_->next < current_->count) return {current_, current_->next++};
    current_.reset();
    if (opened_ == paths_.size()) break;
    const std::size_t file = opened_++;
    guarded(file, 0, [&] { open_parts(file); });
  }
  return {};
}

void BlockReading::open_parts(std::size_t index) {
  const std::string& path = paths_[index];
  // A pipe must be opened once only: what is read of it is gone.
  if (!is_regular_file(path)) return streams_waiting_.push_back(index);
  auto parts = std::make_shared<Parts>(path);
  if (!is_divisible(parts->file)) return streams_waiting_.push_back(index);
  parts->index = index;
  read_header(*parts);
  const std::uint64_t bytes = parts->file.size() - std::min(parts->file.size(), parts->header.end);
  parts->part_bytes =
      threads_ == 1 ? std::max<std::uint64_t>(bytes, 1) : part_bytes_for(bytes, threads_);
  parts->count = static_cast<std::size_t>((bytes + parts->part_bytes - 1) / parts->part_bytes);
  if ((quotes_expected_ || quotes_in_sample_) && parts->count > 1) {
    std::vector<QuoteOutcome> outcomes(parts->count);
    parallel_for(threads_, parts->count,
                 [&](std::size_t part, int) { outcomes[part] = scan_part(*parts, part); });
    parts->begins_quoted = begins_of(outcomes);
  }
  advance(parts->header.end);
  current_ = std::move(parts);
}

std::uint64_t BlockReading::part_bytes_for(std::uint64_t bytes, int threads) {
  return std::clamp(bytes / (static_cast<std::uint64_t>(threads) * 8), kLeastPart, kLargestPart);
}

bool BlockReading::is_divisible(const InputFile& file) const {
  if (!file.seekable()) return false;
  std::string text(kTableBegin, '\0');
  text.resize(file.read_at(text.data(), text.size(), 0));
  const bool complete = text.size() < kTableBegin;
  return table_kind(text, complete, file.name(), layout_) == TableKind::kDelimited;
}

void BlockReading::read_header(Parts& parts) {
  std::string text;
  parts.header = header_of(parts.file.name(), text, layout_, [&](std::size_t bytes) {
    text.resize(bytes);
    text.resize(parts.file.read_at(text.data(), bytes, 0));
  });
  const std::string_view sample = std::string_view(text).substr(parts.header.end);
  quotes_in_sample_ = sample.find('"') != std::string_view::npos;
  consumer_.open_table(parts.index, parts.header, sample);
}

void BlockReading::read_part(const Parts& parts, std::size_t part, BlockBuffer& buffer,
                             int worker) {
  // Until a quote is met, each part is read as if no quote stood before it. What looks wrong then
  // may be the inside of a quoted field.
  const bool known = parts.count == 1 || !parts.begins_quoted.empty();
  bool skip_row = part > 0 && known && parts.begins_quoted[part] != 0;
  const std::uint64_t end = parts.begin_of(part + 1);
  std::uint64_t at = aligned_begin(parts, parts.begin_of(part), buffer);
  char* rows = buffer.read_target();  // Begin of what was read and not handed out.
  for (;;) {
    const std::uint64_t offset = at - static_cast<std::uint64_t>(buffer.read_target() - rows);
    if (!skip_row && offset >= end) return;
    const auto pending = static_cast<std::size_t>(buffer.read_target() - rows);
    refuse_endless_row({rows, rows, parts.index, offset, 0}, pending);
    const std::uint64_t want =
        std::max<std::uint64_t>(at < end ? end - at + kOverlap : kPage, pending);
    const std::size_t got = parts.file.read_at(
        buffer.read_target(), std::min<std::uint64_t>(want, buffer.read_bytes()), at);
    if (at < end) advance(std::min<std::uint64_t>(got, end - at));
    at += got;
    char* stop = buffer.read_target() + got;
    if (got == 0) {
      refuse_shrunk(parts.file, at);
      if (rows == stop) return;
      *stop++ = '\n';  // The last row lacks its line feed.
    }
    if (skip_row) {
      const QuotedRowEnd found = end_of_quoted_row(rows, stop);
      skip_row = !found.ended;
      if (skip_row && (got == 0 || at >= end)) return;  // No row begins in this part.
      rows = buffer.carry(found.at, stop);
      continue;
    }
    const RowBlock block{rows, stop, parts.index, offset, 0};
    const char* const limit =
        end - offset < static_cast<std::uint64_t>(stop - rows) ? rows + (end - offset) : stop;
    const char* const taken = take_rows(block, limit, known, worker);
    if (got == 0) {
      // What is left at the end of a table is a row that ends inside quotes. Its defect is named.
      if (taken < limit) consumer_.take_quoted(part_of(block, taken, block.end), worker);
      return;
    }
    rows = buffer.carry(taken, stop);
  }
}

const char* BlockReading::take_rows(RowBlock block, const char* limit, bool known, int worker) {
  const char* const stop = block.end;
  const char* line_feed =
      limit < stop ? find_byte(std::max(block.begin, limit - 1), stop, '\n') : nullptr;
  if (line_feed == nullptr) line_feed = last_line_feed(block.begin, stop);
  block.end = line_feed == nullptr ? block.begin : line_feed + 1;
  const char* const plain =
      known ? consumer_.take_plain(block, worker) : take_plain_for_now(block, worker);
  if (plain == block.end) return plain;
  if (!known) throw LateQuote{};
  const RowBlock rest = part_of(block, plain, end_of_rows(plain, stop, limit));
  if (rest.begin < rest.end) consumer_.take_quoted(rest, worker);
  return rest.end;
}

const char* BlockReading::take_plain_for_now(const RowBlock& block, int worker) {
  try {
    return consumer_.take_plain(block, worker);
  } catch (const RowDefect&) {
    throw LateQuote{};
  } catch (const ReadAgain&) {
    throw LateQuote{};
  }
}

void BlockReading::read_streams(int worker) {
  if (streams_waiting_.empty()) return;
  BlockBuffer buffer;
  while (const std::shared_ptr<Stream> stream = claim_stream()) {
    std::uint64_t offset = 0;
    guarded(stream->index, offset, [&] { read_stream_block(*stream, buffer, worker, offset); });
  }
}

std::shared_ptr<Stream> BlockReading::claim_stream() {
  const std::lock_guard lock(mutex_);
  // After a failure the tables before it are read on: theirs comes first, whatever the threads.
  streams_.remove_if(
      [&](const auto& stream) { return stream->done.load() || is_after_failure(stream->index); });
  while (next_stream_ < streams_waiting_.size() &&
         streams_.size() < static_cast<std::size_t>(threads_) &&
         !is_after_failure(streams_waiting_[next_stream_])) {
    const std::size_t file = streams_waiting_[next_stream_++];
    guarded(file, 0, [&] { streams_.push_back(open_stream_table(file)); });
  }
  if (streams_.empty()) return nullptr;
  streams_.splice(streams_.end(), streams_, streams_.begin());
  return streams_.back();
}

std::shared_ptr<Stream> BlockReading::open_stream_table(std::size_t index) {
  auto stream = std::make_shared<Stream>(paths_[index], index, layout_);
  std::string& text = stream->carry;
  Header header = header_of(stream->file.name(), text, stream->text.layout,
                            [&](std::size_t bytes) { read_to(bytes, *stream->text.bytes, text); });
  stream->text.note_origin(header);
  text.erase(0, header.end);
  stream->offset = header.end;
  // Lines of a file that can be read again are counted only if one is asked for.
  // The "lines" of JSON are its entries, those of a wide table its long rows, from 1.
  const bool counts_rows = has_entries(stream->text.kind) || stream->text.kind == TableKind::kWide;
  // Columns are left out of what is read now, so that offsets are not those of another reading.
  ColumnStream* const columns = stream->text.columns;
  const bool can_be_counted_later = is_regular_file(paths_[index]) && columns == nullptr;
  stream->line = can_be_counted_later ? 0 : counts_rows ? 1 : header.lines + 1;
  consumer_.open_table(index, header, text);
  if (columns != nullptr) columns->keep_columns(consumer_.columns_used(index));
  open_columns(*stream, header);
  return stream;
}

void BlockReading::open_columns(Stream& stream, const Header& header) {
  const MemoryTable* const table = memory_table(paths_[stream.index]);
  const auto* const consumer = dynamic_cast<const ColumnConsumer*>(&consumer_);
  if (table == nullptr || table->text || consumer == nullptr) return;
  const bool is_as_written = stream.text.kind == TableKind::kDelimited && !header.headerless &&
                             header.names.size() == table->columns.size();
  if (is_as_written && consumer->takes_columns(stream.index, *table))
    stream.columns.emplace(*table);
}

void BlockReading::read_column_rows(Stream& stream, int worker, std::uint64_t& offset) {
  advance(0);
  ColumnRows rows;
  {
    const std::lock_guard lock(stream.mutex);
    rows = stream.columns->next(kRowsAtOnce);
    if (rows.count == 0) stream.done = true;
  }
  rows.file = stream.index;
  offset = rows.first;
  if (rows.count > 0) dynamic_cast<ColumnConsumer&>(consumer_).take_columns(rows, worker);
}

void BlockReading::read_stream_block(Stream& stream, BlockBuffer& buffer, int worker,
                                     std::uint64_t& offset) {
  if (stream.columns) return read_column_rows(stream, worker, offset);
  RowBlock block;
  {
    const std::lock_guard lock(stream.mutex);
    if (stream.done) return;
    offset = stream.offset;
    block = next_stream_block(stream, buffer);
  }
  const char* const plain = consumer_.take_plain(block, worker);
  if (plain != block.end) consumer_.take_quoted(part_of(block, plain, block.end), worker);
}

RowBlock BlockReading::next_stream_block(Stream& stream, BlockBuffer& buffer) {
  char* rows = buffer.carry(stream.carry.data(), stream.carry.data() + stream.carry.size());
  for (;;) {
    const std::size_t got = stream.text.bytes->read(buffer.read_target(), buffer.read_bytes());
    advance(stream.text.bytes->consumed() - stream.reported);
    stream.reported = stream.text.bytes->consumed();
    char* stop = buffer.read_target() + got;
    if (got == 0 && rows < stop && stop[-1] != '\n')
      *stop++ = '\n';  // The last row lacks its line feed.
    const char* whole = rows;
    if (find_byte(rows, stop, '"') != nullptr) {
      whole = end_of_rows(rows, stop, stop);
    } else if (const char* const line_feed = last_line_feed(rows, stop)) {
      whole = line_feed + 1;
    }
    if (got == 0) {
      // A row that ends inside quotes goes out by itself, so that its defect is named.
      if (whole == rows) whole = stop;
      stream.done = whole == stop;
    }
    if (whole > rows || got == 0) {
      const RowBlock block{rows, whole, stream.index, stream.offset, stream.line};
      stream.offset += static_cast<std::uint64_t>(whole - rows);
      if (stream.line > 0)
        stream.line += static_cast<std::uint64_t>(std::count(block.begin, whole, '\n'));
      stream.carry.assign(whole, static_cast<const char*>(stop));
      return block;
    }
    rows = buffer.carry(rows, stop);
    refuse_endless_row({rows, rows, stream.index, stream.offset, stream.line},
                       static_cast<std::size_t>(buffer.read_target() - rows));
  }
}

RowDefect::RowDefect(const RowBlock& block, const char* row, const std::string& message)
    : Error(message),
      file(block.file),
      offset(block.offset + static_cast<std::uint64_t>(row - block.begin)),
      line(block.line == 0
               ? 0
               : block.line + static_cast<std::uint64_t>(std::count(block.begin, row, '\n'))) {}

void for_each_row_block(std::span<const std::string> paths, int threads, RowConsumer& consumer,
                        Progress* progress, Ranks* ranks, const TextLayout& layout) {
  if (ranks != nullptr) {
    return reading_of_shares(paths, threads, consumer, progress, *ranks, layout)->run();
  }
  BlockReading(paths, threads_worth(paths, threads), consumer, progress, layout).run();
}

std::string place_of_row(const std::string& path, std::uint64_t offset, std::uint64_t line,
                         const TextLayout& layout) {
  if (line > 0) return fmt::format("{}:{}", input_name(path), line);
  const InputFile file(path);
  const TableText text = table_text(file, layout);
  if (has_entries(text.kind)) {
    return fmt::format("{}: entry {}", input_name(path), rows_before(offset, *text.bytes));
  }
  auto* const wide = dynamic_cast<WideTable*>(text.bytes.get());
  return fmt::format(
      "{}:{}", input_name(path),
      wide != nullptr ? wide->line_at(offset) : 1 + lines_before(offset, *text.bytes));
}

}  // namespace scalelaw
