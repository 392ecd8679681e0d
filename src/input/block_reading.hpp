#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "input/column_rows.hpp"
#include "input/file_parts.hpp"
#include "input/table_text.hpp"
#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/progress.hpp"
#include "scalelaw/base/ranks.hpp"
#include "scalelaw/input/row_blocks.hpp"

namespace scalelaw {

/// A compressed file, a pipe, or a table that is translated. Workers take turns at reading it in
/// order.
struct Stream {
  Stream(const std::string& path, std::size_t table, const TextLayout& layout)
      : file(path), text(table_text(file, layout)), index(table) {}

  std::mutex mutex;
  InputFile file;
  TableText text;
  std::size_t index;
  std::string carry;  ///< Read already, not yet handed out; begins with a row.
  std::uint64_t offset = 0;
  std::uint64_t line = 1;               ///< 0: not counted.
  std::uint64_t reported = 0;           ///< Bytes told to the progress bar.
  std::optional<ColumnCursor> columns;  ///< In place of the text of a table in memory.
  std::atomic<bool> done{false};
};

/// Thrown when a table turns out to hold quotes after parts of it were taken as if it held none.
struct LateQuote {};

/// The state that workers share, and what each does.
class BlockReading {
 public:
  BlockReading(std::span<const std::string> paths, int threads, RowConsumer& consumer,
               Progress* progress, const TextLayout& layout)
      : paths_(paths),
        threads_(threads),
        consumer_(consumer),
        progress_(progress),
        layout_(layout) {}
  virtual ~BlockReading() = default;
  BlockReading(const BlockReading&) = delete;
  BlockReading& operator=(const BlockReading&) = delete;

  /// Reads all tables, and again with a scan for quotes if a late quote was met.
  void run();

 protected:
  struct Failure {
    std::size_t file = 0;
    std::uint64_t offset = 0;
    std::uint64_t line = 0;
    std::string message;
    std::exception_ptr error;  ///< Anything that is no RowDefect.
  };

  /// Plain files first: they can be read again if a late quote is met, a pipe cannot.
  virtual void read_all();

  void throw_failure() const;
  void record(Failure failure);
  /// Whether a table, or one before it, has failed.
  bool is_after_failure(std::size_t file);

  /// Calls `work`, which handles data of a table from `offset` on (it may set it), and records what
  /// it throws.
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

  static std::uint64_t part_bytes_for(std::uint64_t bytes, int threads);
  /// Whether a table can be read in parts: a file that is neither compressed nor translated.
  bool is_divisible(const InputFile& file) const;
  void read_header(Parts& parts);
  /// Hands out the rows that begin in one part.
  void read_part(const Parts& parts, std::size_t part, BlockBuffer& buffer, int worker);
  std::shared_ptr<Stream> open_stream_table(std::size_t index);
  /// Lets the consumer take a table in memory by its columns, if it does.
  void open_columns(Stream& stream, const Header& header);
  void read_column_rows(Stream& stream, int worker, std::uint64_t& offset);
  void read_stream_block(Stream& stream, BlockBuffer& buffer, int worker, std::uint64_t& offset);

  std::span<const std::string> paths_;
  int threads_;
  RowConsumer& consumer_;
  Progress* progress_;
  TextLayout layout_;
  std::mutex mutex_;  ///< Guards the members down to the next blank line.
  std::shared_ptr<Parts> current_;
  std::size_t opened_ = 0;  ///< Paths looked at so far.
  std::vector<std::size_t> streams_waiting_;
  std::size_t next_stream_ = 0;
  std::list<std::shared_ptr<Stream>> streams_;
  bool quotes_expected_ = false;
  bool quotes_in_sample_ = false;  ///< The sample of the table that was opened last.

  std::atomic<bool> stop_{false};
  std::atomic<bool> late_quote_{false};
  std::mutex failure_mutex_;
  std::optional<Failure> failure_;

 private:
  struct Claim {
    std::shared_ptr<Parts> parts;  ///< nullptr when all are handed out.
    std::size_t part = 0;
  };

  /// Runs `work` once on every worker.
  template <class Work>
  void run_workers(Work work) {
    stop_ = false;
    late_quote_ = false;
    parallel_for(threads_, static_cast<std::size_t>(threads_),
                 [&](std::size_t, int worker) { work(worker); });
    if (late_quote_) throw LateQuote{};
  }

  void advance(std::uint64_t bytes) {
    refuse_cancelled();
    if (progress_ != nullptr) progress_->advance(bytes);
  }

  void read_plain_files(int worker);
  Claim claim_part();
  void open_parts(std::size_t index);
  /// Hands out the whole rows of a block that begin before `limit`; returns where they end.
  const char* take_rows(RowBlock block, const char* limit, bool known, int worker);
  const char* take_plain_for_now(const RowBlock& block, int worker);
  void read_streams(int worker);
  /// The stream whose next block is to be read. If there are fewer streams than workers, several
  /// workers take turns at one.
  std::shared_ptr<Stream> claim_stream();
  /// Reads until the buffer holds a whole row, and takes the whole rows out of the stream. The
  /// caller holds the stream's lock.
  RowBlock next_stream_block(Stream& stream, BlockBuffer& buffer);
};

/// Reads, as one of several processes, the pieces that it is handed.
std::unique_ptr<BlockReading> reading_of_shares(std::span<const std::string> paths, int threads,
                                                RowConsumer& consumer, Progress* progress,
                                                Ranks& ranks, const TextLayout& layout);

}  // namespace scalelaw
