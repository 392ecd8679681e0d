#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "scalelaw/base/error.hpp"
#include "scalelaw/input/csv.hpp"

namespace scalelaw {

class Progress;
class Ranks;

/// Bytes that may be read (not used) before and after the rows of a block.
inline constexpr std::size_t kBlockMargin = 64;

/// Whole rows of one table, each ended by a line feed, in memory that is overwritten by the next
/// block.
struct RowBlock {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::size_t file = 0;      ///< Index into the paths.
  std::uint64_t offset = 0;  ///< Of `begin` in the (decompressed) table.
  std::uint64_t line = 0;    ///< Number of the line at `begin`; 0 where it was not counted.
};

/// A row that cannot be used. Thrown by a consumer, it ends the reading; the earliest one of all
/// threads is reported.
class RowDefect : public Error {
 public:
  RowDefect(const RowBlock& block, const char* row, const std::string& message);

  std::size_t file;
  std::uint64_t offset;  ///< Where the row begins.
  std::uint64_t line;    ///< Its line, or 0 where it was not counted.
};

/// What is done with the rows. Blocks come in no set order and from several threads; a worker has
/// one block at a time.
class RowConsumer {
 public:
  virtual ~RowConsumer() = default;
  /// Before the first block of a table; `sample` holds its first rows, the last one maybe cut. One
  /// call at a time.
  virtual void open_table(std::size_t file, const Header& header, std::string_view sample) = 0;
  /// Takes rows up to the first stretch that holds a quote; returns where it stopped (block.end if
  /// nowhere).
  virtual const char* take_plain(const RowBlock& block, int worker) = 0;
  /// Takes rows that may hold quotes.
  virtual void take_quoted(const RowBlock& block, int worker) = 0;
  /// Forgets everything: the reading begins again (a quote was met late in a table that was cut for
  /// several threads).
  virtual void restart() = 0;
};

/// Reads the tables and hands every row to `consumer` exactly once, on `threads` threads.
///
/// Large plain files are cut into parts at row ends. A line feed inside quotes ends no row; whether
/// a part begins inside quotes is found by a scan of the parts before it, done only for tables that
/// hold a quote. Compressed tables and pipes are decompressed in order and parsed side by side.
/// Memory: about 256 KiB a thread, more only for longer rows (a row has at most 64 MiB).
///
/// @param ranks  Share the reading: each row goes to the consumer of one rank, and open_table is
///               called on every rank for the first table and for those that it reads. All paths
///               must be regular files. What is thrown is thrown by the leader. nullptr: this
///               process reads everything.
/// @throws ParseError for the first defect in file order; DataError if a table cannot be read.
void for_each_row_block(std::span<const std::string> paths, int threads, RowConsumer& consumer,
                        Progress* progress, Ranks* ranks = nullptr);

/// The line (from 1) in which the byte at `offset` of a table stands.
std::uint64_t line_at(const std::string& path, std::uint64_t offset);

}  // namespace scalelaw
