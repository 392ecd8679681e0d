#include <map>
#include <tuple>

#include "base/bytes.hpp"
#include "input/block_reading.hpp"

namespace scalelaw {
namespace {

/// A table as the leading rank found it. All ranks divide it in the same way.
struct TableShape {
  bool plain = true;  ///< Read in parts; else as a whole.
  std::uint64_t size = 0;
  std::uint64_t part_bytes = 1;

  std::size_t parts() const {
    return plain ? std::max<std::size_t>(1, (size + part_bytes - 1) / part_bytes) : 1;
  }
};

template <class Shape>
auto parts_of(Shape& of) {
  return std::tie(of.plain, of.size, of.part_bytes);
}

/// The work that a rank takes at a time: a part of a plain file, or a compressed file.
struct SharedPiece {
  std::size_t file;
  std::size_t part;
};

class SharedReading final : public BlockReading {
 public:
  SharedReading(std::span<const std::string> paths, int threads, RowConsumer& consumer,
                Progress* progress, Ranks& ranks, const TextLayout& layout)
      : BlockReading(paths, threads, consumer, progress, layout), ranks_(ranks) {}

 private:
  /// Reads what this rank is handed. It ends on all ranks in the same way.
  void read_all() override {
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
    ranks_.share(piece_sizes(pieces_.size()), threads_, read, {}, progress_);
    agree_on_outcome();
  }

  /// The leader looks at the tables. All ranks divide them as it found them.
  void agree_on_pieces() {
    shapes_.resize(paths_.size());
    if (ranks_.leads()) {
      parallel_for(threads_, paths_.size(),
                   [&](std::size_t file, int) { shapes_[file] = shape_of(paths_[file]); });
    }
    shapes_ = read_from<std::vector<TableShape>>(ranks_.broadcast(written(shapes_)));
    add_pieces(true);
    plain_pieces_ = pieces_.size();
    add_pieces(false);
  }

  TableShape shape_of(const std::string& path) const {
    try {
      const InputFile file(path);
      return {is_divisible(file), file.size(),
              part_bytes_for(file.size(), threads_ * ranks_.count())};
    } catch (const Error&) {
      return {.plain = false};  // The rank that reads it will say what is wrong.
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
    for (const SharedPiece& piece : std::span(pieces_).first(count)) {
      const TableShape& shape = shapes_[piece.file];
      sizes.push_back(shape.plain ? std::min(shape.part_bytes, shape.size) : shape.size);
    }
    return sizes;
  }

  /// The columns are chosen by one table, on every rank.
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

  /// A plain file, open as long as a worker or first_ or current_ has it.
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

  void read_piece(const SharedPiece& piece, BlockBuffer& buffer, int worker) {
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

  /// Which parts begin inside quotes, found by all ranks together.
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
    ranks_.share(piece_sizes(plain_pieces_), threads_, scan, take, nullptr);
    agree_on_outcome();
    take_quote_scan(ranks_.broadcast(std::move(outcomes)));
  }

  void take_quote_scan(const std::string& outcomes) {
    std::map<std::size_t, std::vector<QuoteOutcome>> of_file;
    for (std::size_t index = 0; index < outcomes.size(); ++index) {
      of_file[pieces_[index].file].push_back(
          {(outcomes[index] & 1) != 0, (outcomes[index] & 2) != 0});
    }
    for (const auto& [file, of_parts] : of_file) begins_quoted_[file] = begins_of(of_parts);
    first_.reset();  // Files are opened anew, with what is known now.
    current_.reset();
    open_parts_.clear();
  }

  /// Ends the round on all ranks if one met a late quote or a failure; the leader throws the
  /// earliest failure.
  void agree_on_outcome() {
    const auto all = ranks_.gather(own_outcome());
    for (std::size_t rank = 1; rank < all.size(); ++rank) take_outcome(all[rank]);
    const bool again = ranks_.broadcast(late_quote_ ? "again" : "") == "again";
    if (again) throw LateQuote{};
    if (failure_ && !ranks_.leads()) ranks_.await_end();
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

  Ranks& ranks_;
  std::vector<TableShape> shapes_;
  std::vector<SharedPiece> pieces_;  ///< Of plain files, then of compressed ones.
  std::size_t plain_pieces_ = 0;
  std::map<std::size_t, Header> headers_;                   ///< By file, as the next two.
  std::map<std::size_t, std::vector<char>> begins_quoted_;  ///< Where a scan was needed.
  std::map<std::size_t, std::weak_ptr<Parts>> open_parts_;
  std::shared_ptr<Parts> first_;
};

}  // namespace

std::unique_ptr<BlockReading> reading_of_shares(std::span<const std::string> paths, int threads,
                                                RowConsumer& consumer, Progress* progress,
                                                Ranks& ranks, const TextLayout& layout) {
  return std::make_unique<SharedReading>(paths, threads, consumer, progress, ranks, layout);
}

}  // namespace scalelaw
