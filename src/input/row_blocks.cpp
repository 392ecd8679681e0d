#include "scalelaw/input/row_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "block_buffer.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/progress.hpp"
#include "scalelaw/base/ranks.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kLongestRow = std::size_t{64} << 20;
constexpr std::size_t kLongestHeader = std::size_t{32} << 20;
constexpr std::uint64_t kOverlap = 256;  // Read beyond a part, where its last row mostly ends.
constexpr std::uint64_t kLeastPart = 256 << 10;
constexpr std::uint64_t kLargestPart = 2 << 20;

void refuse_endless_row(const RowBlock& block, std::size_t pending) {
  if (pending > kLongestRow)
    throw RowDefect(block, block.begin, "the row is longer than 64 MiB: is a quote left open?");
}

const char* last_line_feed(const char* begin, const char* end) {
  return static_cast<const char*>(memrchr(begin, '\n', static_cast<std::size_t>(end - begin)));
}

const char* find_byte(const char* begin, const char* end, char byte) {
  return begin >= end ? nullptr
                      : static_cast<const char*>(
                            std::memchr(begin, byte, static_cast<std::size_t>(end - begin)));
}

/// The end of the row or comment line that begins at `row`, after its line feed; nullptr if it is
/// not in [row, end).
const char* after_row(const char* row, const char* end) {
  if (*row == '#') {
    const char* const line_feed = find_byte(row, end, '\n');
    return line_feed == nullptr ? nullptr : line_feed + 1;
  }
  const std::size_t length = row_end({row, static_cast<std::size_t>(end - row)});
  return length == std::string_view::npos ? nullptr : row + length + 1;
}

/// The end of the last whole row in [begin, end) that begins before `limit`; `begin` if there is
/// none.
const char* end_of_rows(const char* begin, const char* end, const char* limit) {
  const char* at = begin;
  while (at < end && at < limit) {
    const char* const next = after_row(at, end);
    if (next == nullptr) break;
    at = next;
  }
  return at;
}

/// Whether the text ends inside quotes if it begins with `quoted`. It begins and ends after a line
/// feed of any kind.
bool ends_quoted(const char* begin, const char* end, bool quoted) {
  for (const char* at = begin; at < end;) {
    if (quoted) {
      const char* const closing = find_byte(at, end, '"');
      if (closing == nullptr) return true;
      quoted = false;
      at = closing + 1;
      continue;
    }
    if (*at == '#' && (at == begin || at[-1] == '\n')) {
      const char* const line_feed = find_byte(at, end, '\n');
      at = line_feed == nullptr ? end : line_feed + 1;
      continue;
    }
    const char* const line_feed = find_byte(at, end, '\n');
    const char* const stop = line_feed == nullptr ? end : line_feed;
    const char* const quote = find_byte(at, stop, '"');
    quoted = quote != nullptr;
    at = quoted ? quote + 1 : std::min(stop + 1, end);
  }
  return quoted;
}

/// A plain file that is read in parts.
struct Parts {
  explicit Parts(const std::string& path) : file(path), size(file.size()) {}

  InputFile file;
  std::uint64_t size;  ///< Size when it was opened; it may have grown since.
  std::size_t index = 0;
  Header header;
  std::uint64_t part_bytes = 1;
  std::size_t count = 0;
  std::size_t next = 0;
  std::vector<char> begins_quoted;  ///< One per part, once scanned; empty before a quote is found.

  std::uint64_t begin_of(std::size_t part) const {
    return std::min(header.end + part * part_bytes, std::max(size, header.end));
  }
};

/// The begin of a part that is cut at `from`: the offset after the first line feed at or after
/// `from` - 1.
std::uint64_t aligned_begin(const Parts& parts, std::uint64_t from, BlockBuffer& buffer) {
  if (from <= parts.header.end) return parts.header.end;
  for (std::uint64_t at = from - 1;;) {
    const std::size_t got = parts.file.read_at(buffer.read_target(), kPage, at);
    if (got == 0) return at;
    const char* const found = find_byte(buffer.read_target(), buffer.read_target() + got, '\n');
    if (found != nullptr) return at + static_cast<std::uint64_t>(found - buffer.read_target()) + 1;
    at += got;
  }
}

/// Whether a part ends inside quotes, for both assumptions about its begin.
struct QuoteOutcome {
  bool from_plain = false;
  bool from_quoted = true;
};

QuoteOutcome scan_part(const Parts& parts, std::size_t part) {
  BlockBuffer buffer;
  const std::uint64_t begin = aligned_begin(parts, parts.begin_of(part), buffer);
  const std::uint64_t end = aligned_begin(parts, parts.begin_of(part + 1), buffer);
  QuoteOutcome outcome;
  char* from = buffer.read_target();
  for (std::uint64_t at = begin; at < end;) {
    const std::size_t got = parts.file.read_at(
        buffer.read_target(), std::min<std::uint64_t>(buffer.read_bytes(), end - at), at);
    if (got == 0) break;
    at += got;
    const char* const stop = buffer.read_target() + got;
    const char* const line_feed = last_line_feed(from, stop);
    const char* const whole =
        line_feed == nullptr || at >= end ? (at >= end ? stop : from) : line_feed + 1;
    outcome.from_plain = ends_quoted(from, whole, outcome.from_plain);
    outcome.from_quoted = ends_quoted(from, whole, outcome.from_quoted);
    from = buffer.carry(whole, stop);
  }
  return outcome;
}

/// Whether each part begins inside quotes.
std::vector<char> begins_of(std::span<const QuoteOutcome> outcomes) {
  std::vector<char> begins;
  bool quoted = false;
  for (const QuoteOutcome& outcome : outcomes) {
    begins.push_back(quoted ? 1 : 0);
    quoted = quoted ? outcome.from_quoted : outcome.from_plain;
  }
  return begins;
}

/// Finds whether each part begins inside quotes. The parts are scanned in parallel.
void scan_quotes(Parts& parts, int threads) {
  std::vector<QuoteOutcome> outcomes(parts.count);
  parallel_for(threads, parts.count,
               [&](std::size_t part, int) { outcomes[part] = scan_part(parts, part); });
  parts.begins_quoted = begins_of(outcomes);
}

/// A table as the leading rank found it, so that all ranks divide it alike.
struct TableShape {
  bool plain = true;  ///< Read in parts; otherwise as a whole.
  std::uint64_t size = 0;
  std::uint64_t part_bytes = 1;

  std::size_t parts() const {
    return plain ? std::max<std::size_t>(1, (size + part_bytes - 1) / part_bytes) : 1;
  }
};

/// What one of several ranks does at a time: a part of a plain file, or a whole compressed file.
struct Piece {
  std::size_t file;
  std::size_t part;
};

/// A compressed file or a pipe. Workers read it in order, one at a time.
struct Stream {
  Stream(const std::string& path, std::size_t table)
      : file(path), bytes(open_stream(file)), index(table) {}

  std::mutex mutex;
  InputFile file;
  std::unique_ptr<ByteStream> bytes;
  std::size_t index;
  std::vector<char> carry;  ///< Bytes not yet handed out; they begin with a row.
  std::uint64_t offset = 0;
  std::uint64_t line = 1;      ///< 0: not counted.
  std::uint64_t reported = 0;  ///< Bytes reported to the progress bar.
  std::atomic<bool> done{false};
};

/// Thrown if a table turns out to have quotes after parts of it were read as if it had none.
struct LateQuote {};

/// The shared state of the workers, and what each of them does.
class Reading {
 public:
  Reading(std::span<const std::string> paths, int threads, RowConsumer& consumer,
          Progress* progress, Ranks* ranks)
      : paths_(paths), threads_(threads), consumer_(consumer), progress_(progress), ranks_(ranks) {}

  void run() {
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

 private:
  struct Failure {
    std::size_t file = 0;
    std::uint64_t offset = 0;
    std::uint64_t line = 0;
    std::string message;
    std::exception_ptr error;  ///< Any error other than a RowDefect.
  };

  /// Reads plain files first: they can be read again after a late quote, but a pipe cannot.
  void read_all() {
    if (ranks_ != nullptr) return read_shares();
    run_workers([this](int worker) { read_plain_files(worker); });
    run_workers([this](int worker) { read_streams(worker); });
  }

  /// Runs `work` once on every worker, then throws the earliest failure.
  template <class Work>
  void run_workers(Work work) {
    stop_ = false;
    late_quote_ = false;
    parallel_for(threads_, static_cast<std::size_t>(threads_),
                 [&](std::size_t, int worker) { work(worker); });
    if (late_quote_) throw LateQuote{};
    throw_failure();
  }

  void throw_failure() const {
    if (!failure_) return;
    if (failure_->error) std::rethrow_exception(failure_->error);
    const std::string& path = paths_[failure_->file];
    const std::uint64_t line =
        failure_->line > 0 ? failure_->line : line_at(path, failure_->offset);
    throw ParseError(input_name(path), line, failure_->message);
  }

  void record(Failure failure) {
    const std::lock_guard lock(failure_mutex_);
    stop_ = true;
    if (!failure_ ||
        std::pair(failure.file, failure.offset) < std::pair(failure_->file, failure_->offset)) {
      failure_ = std::move(failure);
    }
  }

  /// Calls `work`, which handles data of a table from `offset` on (and may set it), and records
  /// what it throws.
  template <class Work>
  void guarded(std::size_t file, const std::uint64_t& offset, Work work) {
    try {
      work();
    } catch (const LateQuote&) {
      late_quote_ = true;
      stop_ = true;
    } catch (const RowDefect& defect) {
      record({defect.file, defect.offset, defect.line, defect.what(), nullptr});
    } catch (...) {
      record({file, offset, 0, {}, std::current_exception()});
    }
  }

  void advance(std::uint64_t bytes) {
    if (progress_ != nullptr) progress_->advance(bytes);
  }

  // ---- plain files

  struct Claim {
    std::shared_ptr<Parts> parts;  ///< Null when all are handed out.
    std::size_t part = 0;
  };

  void read_plain_files(int worker) {
    BlockBuffer buffer;
    while (!stop_) {
      const Claim claim = claim_part();
      if (!claim.parts) return;
      guarded(claim.parts->index, claim.parts->begin_of(claim.part),
              [&] { read_part(*claim.parts, claim.part, buffer, worker); });
    }
  }

  Claim claim_part() {
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

  void open_parts(std::size_t index) {
    const std::string& path = paths_[index];
    // A pipe must be opened only once, because reading it consumes it.
    if (!is_regular_file(path)) return streams_waiting_.push_back(index);
    auto parts = std::make_shared<Parts>(path);
    if (!parts->file.seekable()) return streams_waiting_.push_back(index);
    parts->index = index;
    read_header(*parts);
    const std::uint64_t bytes =
        parts->file.size() - std::min(parts->file.size(), parts->header.end);
    parts->part_bytes =
        threads_ == 1 ? std::max<std::uint64_t>(bytes, 1) : part_bytes_for(bytes, threads_);
    parts->count = static_cast<std::size_t>((bytes + parts->part_bytes - 1) / parts->part_bytes);
    if ((quotes_expected_ || quotes_in_sample_) && parts->count > 1) scan_quotes(*parts, threads_);
    advance(parts->header.end);
    current_ = std::move(parts);
  }

  static std::uint64_t part_bytes_for(std::uint64_t bytes, int threads) {
    return std::clamp(bytes / (static_cast<std::uint64_t>(threads) * 8), kLeastPart, kLargestPart);
  }

  void read_header(Parts& parts) {
    std::vector<char> text;
    std::optional<Header> header;
    for (std::size_t bytes = BlockBuffer::kReadBytes; !header; bytes *= 4) {
      refuse_endless_header(bytes, parts.file.name());
      text.resize(bytes);
      text.resize(parts.file.read_at(text.data(), bytes, 0));
      header = parse_header({text.data(), text.size()}, text.size() < bytes, parts.file.name());
    }
    parts.header = std::move(*header);
    const std::string_view sample =
        std::string_view(text.data(), text.size()).substr(parts.header.end);
    quotes_in_sample_ = sample.find('"') != std::string_view::npos;
    consumer_.open_table(parts.index, parts.header, sample);
  }

  static void refuse_endless_header(std::size_t bytes, const std::string& name) {
    if (bytes <= kLongestHeader) return;
    throw ParseError(name, 1, "the header line is longer than 32 MiB: is this a CSV file?");
  }

  /// Hands out the rows that begin in a part.
  void read_part(const Parts& parts, std::size_t part, BlockBuffer& buffer, int worker) {
    // Until a quote is found, each part is read as if no quote preceded it. A seeming error may
    // then be the inside of a quoted field.
    const bool known = parts.count == 1 || !parts.begins_quoted.empty();
    bool skip_row = part > 0 && known && parts.begins_quoted[part] != 0;
    const std::uint64_t end = parts.begin_of(part + 1);
    std::uint64_t at = aligned_begin(parts, parts.begin_of(part), buffer);
    char* rows = buffer.read_target();  // Begin of the bytes that were not yet handed out.
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
      if (got == 0) return take_rest(block, taken, limit, worker);
      rows = buffer.carry(taken, stop);
    }
  }

  static void refuse_shrunk(const InputFile& file, std::uint64_t at) {
    if (at < file.size())
      throw DataError(fmt::format("{}: became shorter while it was read", file.name()));
  }

  /// The end of a row that was entered inside quotes. If the text does not contain it, the part
  /// that must still be examined.
  struct QuotedRowEnd {
    bool ended;
    const char* at;
  };
  static QuotedRowEnd end_of_quoted_row(const char* begin, const char* end) {
    const char* const closing = find_byte(begin, end, '"');
    if (closing == nullptr) return {false, end};
    const std::size_t rest = row_end({closing + 1, static_cast<std::size_t>(end - closing - 1)});
    if (rest == std::string_view::npos) return {false, closing};
    return {true, closing + 1 + rest + 1};
  }

  /// Hands out the whole rows of a block that begin before `limit`, and returns their end.
  const char* take_rows(RowBlock block, const char* limit, bool known, int worker) {
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

  const char* take_plain_for_now(const RowBlock& block, int worker) {
    try {
      return consumer_.take_plain(block, worker);
    } catch (const RowDefect&) {
      throw LateQuote{};
    }
  }

  /// Bytes that remain before `limit` at the end of a table are a row that ends inside quotes. The
  /// consumer names its defect.
  void take_rest(const RowBlock& block, const char* taken, const char* limit, int worker) {
    if (taken < limit) consumer_.take_quoted(part_of(block, taken, block.end), worker);
  }

  static RowBlock part_of(RowBlock block, const char* begin, const char* end) {
    block.offset += static_cast<std::uint64_t>(begin - block.begin);
    if (block.line > 0)
      block.line += static_cast<std::uint64_t>(std::count(block.begin, begin, '\n'));
    block.begin = begin;
    block.end = end;
    return block;
  }

  // ---- compressed files and pipes

  void read_streams(int worker) {
    if (streams_waiting_.empty()) return;
    BlockBuffer buffer;
    while (!stop_) {
      const std::shared_ptr<Stream> stream = claim_stream();
      if (!stream) return;
      std::uint64_t offset = 0;
      guarded(stream->index, offset, [&] { read_stream_block(*stream, buffer, worker, offset); });
    }
  }

  /// The next stream from which to read a block. If there are fewer streams than workers, several
  /// workers take turns at one.
  std::shared_ptr<Stream> claim_stream() {
    const std::lock_guard lock(mutex_);
    streams_.remove_if([](const auto& stream) { return stream->done.load(); });
    while (next_stream_ < streams_waiting_.size() &&
           streams_.size() < static_cast<std::size_t>(threads_) && !stop_) {
      const std::size_t file = streams_waiting_[next_stream_++];
      guarded(file, 0, [&] { streams_.push_back(open_stream_table(file)); });
    }
    if (streams_.empty() || stop_) return nullptr;
    streams_.splice(streams_.end(), streams_, streams_.begin());
    return streams_.back();
  }

  std::shared_ptr<Stream> open_stream_table(std::size_t index) {
    auto stream = std::make_shared<Stream>(paths_[index], index);
    std::vector<char> text;
    std::optional<Header> header;
    for (std::size_t bytes = BlockBuffer::kReadBytes; !header; bytes *= 4) {
      refuse_endless_header(bytes, stream->file.name());
      const std::size_t have = text.size();
      text.resize(bytes);
      std::size_t filled = have;
      while (filled < bytes) {
        const std::size_t got = stream->bytes->read(text.data() + filled, bytes - filled);
        if (got == 0) break;
        filled += got;
      }
      text.resize(filled);
      header = parse_header({text.data(), filled}, filled < bytes, stream->file.name());
    }
    stream->carry.assign(text.begin() + static_cast<std::ptrdiff_t>(header->end), text.end());
    stream->offset = header->end;
    // If a file can be read again, its lines are counted only on demand.
    stream->line = is_regular_file(paths_[index]) ? 0 : header->lines + 1;
    consumer_.open_table(index, *header, {stream->carry.data(), stream->carry.size()});
    return stream;
  }

  void read_stream_block(Stream& stream, BlockBuffer& buffer, int worker, std::uint64_t& offset) {
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

  /// Reads until the buffer holds a whole row, and removes the whole rows from the stream. Under
  /// the stream's lock.
  RowBlock next_stream_block(Stream& stream, BlockBuffer& buffer) {
    char* rows = buffer.carry(stream.carry.data(), stream.carry.data() + stream.carry.size());
    for (;;) {
      const std::size_t got = stream.bytes->read(buffer.read_target(), buffer.read_bytes());
      advance(stream.bytes->consumed() - stream.reported);
      stream.reported = stream.bytes->consumed();
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
        // A row that ends inside quotes goes out alone, so that its defect is named.
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

  // ---- shared with other ranks

  /// Reads the pieces that this rank gets. Ends in the same way on all ranks.
  void read_shares() {
    stop_ = false;
    late_quote_ = false;
    if (shapes_.empty()) agree_on_pieces();
    open_first_table();
    if (quotes_expected_) share_quote_scan();
    std::vector<BlockBuffer> buffers(static_cast<std::size_t>(threads_));
    const auto read = [&](std::size_t piece, int worker) {
      read_piece(pieces_[piece], buffers[static_cast<std::size_t>(worker)], worker);
      return stop_ ? std::nullopt : std::optional<std::string>("");
    };
    ranks_->share(piece_sizes(pieces_.size()), threads_, read, {}, progress_);
    agree_on_outcome();
  }

  /// The leader examines the tables, and all ranks divide them as it found them.
  void agree_on_pieces() {
    shapes_.resize(paths_.size());
    ByteWriter found;
    if (ranks_->leads()) {
      parallel_for(threads_, paths_.size(),
                   [&](std::size_t file, int) { shapes_[file] = shape_of(paths_[file]); });
      for (const TableShape& shape : shapes_) {
        found.number(shape.plain ? 1 : 0);
        found.number(shape.size);
        found.number(shape.part_bytes);
      }
    }
    const std::string told = ranks_->broadcast(found.finish());
    ByteReader in(told);
    for (TableShape& shape : shapes_) {
      shape.plain = in.number() != 0;
      shape.size = in.number();
      shape.part_bytes = in.number();
    }
    add_pieces(true);
    plain_pieces_ = pieces_.size();
    add_pieces(false);
  }

  TableShape shape_of(const std::string& path) const {
    try {
      const InputFile file(path);
      return {file.seekable(), file.size(),
              part_bytes_for(file.size(), threads_ * ranks_->count())};
    } catch (const Error&) {
      return {};  // The rank that reads it will report the error.
    }
  }

  void add_pieces(bool plain) {
    for (std::size_t file = 0; file < shapes_.size(); ++file) {
      if (shapes_[file].plain != plain) continue;
      for (std::size_t part = 0; part < shapes_[file].parts(); ++part) {
        pieces_.push_back({file, part});
      }
    }
  }

  std::vector<std::uint64_t> piece_sizes(std::size_t count) const {
    std::vector<std::uint64_t> sizes;
    for (const Piece& piece : std::span(pieces_).first(count)) {
      const TableShape& shape = shapes_[piece.file];
      sizes.push_back(shape.plain ? std::min(shape.part_bytes, shape.size) : shape.size);
    }
    return sizes;
  }

  /// One table determines the columns, on every rank.
  void open_first_table() {
    const std::size_t file = pieces_.front().file;
    guarded(file, 0, [&] {
      if (shapes_[file].plain) {
        first_ = shared_parts(file);
        quotes_expected_ = quotes_expected_ || quotes_in_sample_;
      } else {
        static_cast<void>(open_stream_table(file));
      }
    });
  }

  /// A plain file, which stays open as long as a worker, first_ or current_ holds it.
  std::shared_ptr<Parts> shared_parts(std::size_t file) {
    const std::lock_guard lock(mutex_);
    if (auto open = open_parts_[file].lock()) return open;
    auto parts = std::make_shared<Parts>(paths_[file]);
    parts->index = file;
    parts->size = shapes_[file].size;
    parts->part_bytes = shapes_[file].part_bytes;
    parts->count = shapes_[file].parts();
    const auto known = headers_.find(file);
    if (known != headers_.end()) {
      parts->header = known->second;
    } else {
      read_header(*parts);
      headers_.emplace(file, parts->header);
    }
    if (const auto begins = begins_quoted_.find(file); begins != begins_quoted_.end()) {
      parts->begins_quoted = begins->second;
    }
    open_parts_[file] = parts;
    current_ = parts;
    return parts;
  }

  void read_piece(const Piece& piece, BlockBuffer& buffer, int worker) {
    if (shapes_[piece.file].plain) {
      const std::uint64_t about = piece.part * shapes_[piece.file].part_bytes;
      guarded(piece.file, about, [&] {
        const auto parts = shared_parts(piece.file);
        read_part(*parts, piece.part, buffer, worker);
      });
      return;
    }
    std::uint64_t offset = 0;
    guarded(piece.file, offset, [&] {
      std::shared_ptr<Stream> stream;
      {
        const std::lock_guard lock(mutex_);
        stream = open_stream_table(piece.file);
      }
      while (!stream->done) read_stream_block(*stream, buffer, worker, offset);
    });
  }

  /// Finds which parts begin inside quotes, on all ranks together.
  void share_quote_scan() {
    const auto scan = [&](std::size_t piece, int) -> std::optional<std::string> {
      std::optional<std::string> said;
      guarded(pieces_[piece].file, 0, [&] {
        const auto parts = shared_parts(pieces_[piece].file);
        const QuoteOutcome outcome = scan_part(*parts, pieces_[piece].part);
        said = std::string(
            1, static_cast<char>((outcome.from_plain ? 1 : 0) | (outcome.from_quoted ? 2 : 0)));
      });
      return said;
    };
    std::string outcomes(plain_pieces_, 0);
    const auto take = [&](std::size_t piece, const std::string& said) {
      outcomes[piece] = said.front();
    };
    ranks_->share(piece_sizes(plain_pieces_), threads_, scan, take, nullptr);
    agree_on_outcome();
    take_quote_scan(ranks_->broadcast(std::move(outcomes)));
  }

  void take_quote_scan(const std::string& outcomes) {
    std::map<std::size_t, std::vector<QuoteOutcome>> of_file;
    for (std::size_t index = 0; index < outcomes.size(); ++index) {
      of_file[pieces_[index].file].push_back(
          {(outcomes[index] & 1) != 0, (outcomes[index] & 2) != 0});
    }
    for (const auto& [file, of_parts] : of_file) begins_quoted_[file] = begins_of(of_parts);
    first_.reset();  // Files are opened again, with the new knowledge.
    current_.reset();
    open_parts_.clear();
  }

  /// Ends the round on all ranks if one of them found a late quote or failed. The leader throws the
  /// earliest failure.
  void agree_on_outcome() {
    const auto all = ranks_->gather(own_outcome());
    for (std::size_t rank = 1; rank < all.size(); ++rank) take_outcome(all[rank]);
    const bool again = ranks_->broadcast(late_quote_ ? "again" : "") == "again";
    if (again) throw LateQuote{};
    if (failure_ && !ranks_->leads()) ranks_->await_end();
    throw_failure();
  }

  std::string own_outcome() const {
    ByteWriter out;
    out.number(late_quote_ ? 1 : 0);
    if (!failure_) return out.finish();
    out.number(failure_->file);
    out.number(failure_->offset);
    out.number(failure_->line);
    out.number(failure_->error ? 1 : 0);
    try {
      if (failure_->error) std::rethrow_exception(failure_->error);
      out.text(failure_->message);
    } catch (const Error& error) {
      out.text(error.what());
    }
    return out.finish();
  }

  void take_outcome(std::string_view bytes) {
    ByteReader in(bytes);
    if (in.number() != 0) late_quote_ = true;
    if (in.at_end()) return;
    Failure failure;
    failure.file = in.number();
    failure.offset = in.number();
    failure.line = in.number();
    const bool is_error = in.number() != 0;
    failure.message = in.text();
    if (is_error) failure.error = std::make_exception_ptr(DataError(failure.message));
    record(std::move(failure));
  }

  std::span<const std::string> paths_;
  int threads_;
  RowConsumer& consumer_;
  Progress* progress_;
  Ranks* ranks_;  ///< nullptr if this process is alone.
  std::vector<TableShape> shapes_;
  std::vector<Piece> pieces_;  ///< Parts of plain files, then compressed files.
  std::size_t plain_pieces_ = 0;
  std::map<std::size_t, Header> headers_;                   ///< By file, like the next two.
  std::map<std::size_t, std::vector<char>> begins_quoted_;  ///< For files that needed a scan.
  std::map<std::size_t, std::weak_ptr<Parts>> open_parts_;
  std::shared_ptr<Parts> first_;
  std::mutex mutex_;  ///< Guards the members up to the next blank line.
  std::shared_ptr<Parts> current_;
  std::size_t opened_ = 0;  ///< How many paths were opened so far.
  std::vector<std::size_t> streams_waiting_;
  std::size_t next_stream_ = 0;
  std::list<std::shared_ptr<Stream>> streams_;
  bool quotes_expected_ = false;
  bool quotes_in_sample_ = false;  ///< For the table that was opened last.

  std::atomic<bool> stop_{false};
  std::atomic<bool> late_quote_{false};
  std::mutex failure_mutex_;
  std::optional<Failure> failure_;
};

}  // namespace

RowDefect::RowDefect(const RowBlock& block, const char* row, const std::string& message)
    : Error(message),
      file(block.file),
      offset(block.offset + static_cast<std::uint64_t>(row - block.begin)),
      line(block.line == 0
               ? 0
               : block.line + static_cast<std::uint64_t>(std::count(block.begin, row, '\n'))) {}

void for_each_row_block(std::span<const std::string> paths, int threads, RowConsumer& consumer,
                        Progress* progress, Ranks* ranks) {
  Reading(paths, threads, consumer, progress, ranks).run();
}

std::uint64_t line_at(const std::string& path, std::uint64_t offset) {
  const InputFile file(path);
  const auto stream = open_stream(file);
  std::vector<char> buffer(BlockBuffer::kReadBytes);
  std::uint64_t line = 1;
  while (offset > 0) {
    const std::size_t got =
        stream->read(buffer.data(), std::min<std::uint64_t>(buffer.size(), offset));
    if (got == 0) break;
    line += static_cast<std::uint64_t>(
        std::count(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got), '\n'));
    offset -= got;
  }
  return line;
}

}  // namespace scalelaw
