#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/input/row_blocks.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "scalelaw/runs/row_filter.hpp"

namespace scalelaw {

/// The number in a cell, or the reason why it cannot be used.
struct CellNumber {
  double value = 0;
  std::string defect;
};

/// Reads a number, which may be followed by its column's unit; -0 becomes 0.
CellNumber number_in_cell(std::string_view text, std::string_view unit, bool positive);

/// Why a field is not valid text for a name, for messages; empty if it is valid.
std::string text_defect(std::string_view text);

/// The fields of one row at a time, split by the tokenizer and checked.
class RowFields {
 public:
  /// Splits the row at [begin, end) of the block. `names` are the names of the table's columns.
  /// @throws RowDefect if a quote is broken or the number of fields is wrong.
  void read(const RowBlock& block, const char* begin, const char* end, char separator,
            std::span<const std::string> names);

  /// The text of a field, unquoted and trimmed; valid until the next call.
  std::string_view text(std::size_t column);
  bool missing(std::size_t column);
  /// Whether all conditions hold; columns[i] is the column of filters[i].
  bool fulfils(std::span<const RowFilter> filters, std::span<const std::size_t> columns);
  /// @throws RowDefect naming the field.
  double number(std::size_t column, std::string_view unit, bool positive);
  /// The same for a number that must be whole.
  double whole_number(std::size_t column, std::string_view unit, bool positive);
  /// Text that names a group. @throws RowDefect naming the field.
  std::string_view name(std::size_t column);

 private:
  [[noreturn]] void refuse(std::size_t column, const std::string& defect) const;

  const RowBlock* block_ = nullptr;
  const char* row_ = nullptr;
  std::span<const std::string> names_;
  std::vector<std::string_view> fields_;
  std::string scratch_;
};

/// Calls take(begin, end) for the lines of a block that are rows, without their line feed.
template <class Take>
void for_each_row(const char* begin, const char* end, Take take) {
  while (begin < end) {
    const std::string_view rest(begin, static_cast<std::size_t>(end - begin));
    const std::size_t found = *begin == '#' ? rest.find('\n') : row_end(rest);
    const char* const stop = found == std::string_view::npos ? end : begin + found;
    if (!is_skipped_line(begin, stop)) take(begin, stop);
    begin = stop + 1;
  }
}

/// Calls take(fields) for whole rows of a table's sample with `width` fields, up to a few hundred.
void for_each_sample_row(std::string_view sample, char separator, std::size_t width,
                         const std::function<void(std::span<const std::string_view>)>& take);

/// The unit of a column: from its header cell, else from a first cell such as "153.2 W".
std::string unit_of_column(std::string_view header, std::string_view first_cell);

/// @throws DataError if a table's header cell has another unit than the column in earlier tables.
void refuse_other_unit(std::string_view header, std::string_view unit, std::string_view source);

/// A row that was left out, and the reason.
struct BadRow {
  std::size_t file;
  std::uint64_t offset;
  std::uint64_t line;  ///< 0 if it was not counted.
  std::string message;
};

/// How many rows one worker, or all workers, used or left out.
struct RowTally {
  RowCounts counts;
  std::vector<BadRow> bad_rows;  ///< The first few, in input order.

  /// Reads a row; under `skip_bad`, a row with a defect is counted and left out.
  template <class Read>
  void take(bool skip_bad, Read read) {
    ++counts.read;
    if (!skip_bad) return read();
    try {
      read();
    } catch (const RowDefect& defect) {
      ++counts.bad;
      add_bad_row({defect.file, defect.offset, defect.line, defect.what()});
    }
  }
  void add_bad_row(BadRow row);
  void merge(const RowTally& other);
};

/// Hands every row of the tables to `consumer`, with a progress bar on request.
/// @param ranks  As in for_each_row_block.
void scan_tables(std::span<const std::string> paths, int threads, bool progress,
                 RowConsumer& consumer, Ranks* ranks = nullptr);

/// "runs.csv:7: ...", one message per bad row.
std::vector<std::string> messages_of(std::span<const BadRow> rows,
                                     std::span<const std::string> paths);

/// @throws DataError if no row was read, or no row can be used.
void refuse_nothing(const RowCounts& rows, std::span<const std::string> paths,
                    std::span<const std::string> where);

}  // namespace scalelaw
