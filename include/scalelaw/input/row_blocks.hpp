#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/input/csv.hpp"

namespace scalelaw {

class Progress;
class Ranks;

/// Bytes before and after the rows of a block that may be read, but not used.
inline constexpr std::size_t kBlockMargin = 64;

/// Whole rows of one table, each ending in a line feed, in memory that the next block overwrites.
struct RowBlock {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::size_t file = 0;      ///< Index into the paths.
  std::uint64_t offset = 0;  ///< Offset of `begin` in the (decompressed) table.
  std::uint64_t line = 0;    ///< Number of the line at `begin`; 0 if not counted.
};

/// A row that cannot be used. A consumer that throws it ends the reading. The earliest defect of
/// all threads is reported.
class RowDefect : public Error {
 public:
  RowDefect(const RowBlock& block, const char* row, const std::string& message);

  std::size_t file;
  std::uint64_t offset;  ///< Where the row begins.
  std::uint64_t line;    ///< Its line; 0 if not counted.
};

/// Thrown by a consumer that has to see all rows again, because they are not written as the first
/// ones. what() is the message for tables that cannot be read again.
class ReadAgain : public Error {
 public:
  using Error::Error;
};

/// The user of the rows. Blocks come in any order and from several threads. A worker has one block
/// at a time.
class RowConsumer {
 public:
  virtual ~RowConsumer() = default;
  /// Called before the first block of a table, one call at a time. `sample` holds its first rows,
  /// of which the last one may be cut.
  virtual void open_table(std::size_t file, const Header& header, std::string_view sample) = 0;
  /// The columns of an open table that matter to the consumer; empty: all. Cells of others may be
  /// empty, so that a table that is stored by columns need not be read whole.
  virtual std::vector<std::size_t> columns_used(std::size_t /*file*/) const { return {}; }
  /// Takes rows up to the first stretch with a quote. Returns where it stopped (block.end if
  /// nowhere).
  virtual const char* take_plain(const RowBlock& block, int worker) = 0;
  /// Takes rows that may have quotes.
  virtual void take_quoted(const RowBlock& block, int worker) = 0;
  /// Discards everything, because the reading starts again: a late quote was found in a table that
  /// was divided among threads.
  virtual void restart() = 0;
};

/// Reads the tables and hands every row to `consumer` exactly once, on `threads` threads.
///
/// Large plain files are cut into parts at row ends. A line feed inside quotes ends no row. Whether
/// a part begins inside quotes follows from a scan of earlier parts, which is done only for tables
/// with a quote. Compressed tables and pipes are decompressed in order and parsed in parallel. This
/// takes about 256 KiB per thread, and more only for longer rows (a row has at most 64 MiB).
///
/// @param ranks  They share the reading; nullptr: this process reads everything. Each row goes to
/// the consumer of one rank. Every rank calls open_table for the first table and for those that it
/// reads. All paths must be regular files. The leader throws all errors.
/// @throws ParseError for the first defect in file order; DataError if a table cannot be read.
void for_each_row_block(std::span<const std::string> paths, int threads, RowConsumer& consumer,
                        Progress* progress, Ranks* ranks = nullptr, const TextLayout& layout = {});

/// Where a row stands, for messages: "runs.csv:14" or "runs.json: entry 7". Lines and entries count
/// from 1.
/// @param offset  Of a byte of the row, in the text of the table.
/// @param line    Its line; 0 if it was not counted.
std::string place_of_row(const std::string& path, std::uint64_t offset, std::uint64_t line,
                         const TextLayout& layout = {});

}  // namespace scalelaw
