#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runs/cell_number.hpp"
#include "runs/run_state.hpp"
#include "scalelaw/input/row_blocks.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "scalelaw/runs/row_filter.hpp"

namespace scalelaw {

struct RowTally;

/// Thrown where the first rows do not tell what a comma in a number is, and others may.
class CommaIsOpen : public ReadAgain {
 public:
  using ReadAgain::ReadAgain;
};

/// A cell that nothing in the table explains. It is no bad row that could be left out.
class UndecidedCell : public RowDefect {
 public:
  using RowDefect::RowDefect;
};

/// Why a field is not valid text for a name, for messages; empty if it is valid.
std::string text_defect(std::string_view text);

/// Whether the fields of a row are the names of the columns: a header that stands among the rows
/// again.
bool repeat_names(std::span<const std::string_view> fields, std::span<const std::string> names);

/// The fields of one row at a time, split by the tokenizer and checked.
class RowFields {
 public:
  /// Splits the row at [begin, end) of the block. `names` are the names of the table's columns.
  /// @throws RowDefect if a quote is broken or the number of fields is wrong.
  void read(const RowBlock& block, const char* begin, const char* end, char separator,
            std::span<const std::string> names);

  bool repeat_names() const { return scalelaw::repeat_names(fields_, names_); }
  /// The text of a field, unquoted and trimmed; valid until the next call.
  std::string_view text(std::size_t column);
  bool missing(std::size_t column);
  /// How many fields say something; 0 does not, as where Slurm measured no energy.
  std::size_t count_filled();
  bool lacks_number(std::size_t column, RowTally& tally);
  /// Whether one of the columns says that the run failed; notes that in the tally.
  bool failed(std::span<const StateColumn> states, RowTally& tally);
  /// Whether a word in place of a needed number says so.
  bool failed_in_place_of(std::size_t column, RowTally& tally);
  /// Whether all conditions hold; columns[i] is the column of filters[i].
  bool fulfils(std::span<const RowFilter> filters, std::span<const std::size_t> columns,
               char decimal);
  /// Notes in the tally how the cell was understood.
  /// @throws RowDefect naming the field; ReadAgain if the column mixes units.
  double number(std::size_t column, const NumberFormat& format, bool positive, RowTally& tally);
  /// The same for a number that must be whole.
  double whole_number(std::size_t column, const NumberFormat& format, bool positive,
                      RowTally& tally);
  /// Text that names a group. @throws RowDefect naming the field.
  std::string_view name(std::size_t column);

 private:
  [[noreturn]] void refuse(std::size_t column, const std::string& defect) const;
  [[noreturn]] void refuse_open_comma(std::size_t column, const std::string& defect,
                                      CommaState state) const;

  const RowBlock* block_ = nullptr;
  const char* row_ = nullptr;
  std::span<const std::string> names_;
  std::vector<std::string_view> fields_;
  std::string scratch_;
};

/// Calls take(begin, end) for the lines of a block that are rows, without their line feed, and
/// pass(begin, end) for the others.
template <class Take, class Pass>
void for_each_row(const char* begin, const char* end, Take take, Pass pass) {
  while (begin < end) {
    const std::string_view rest(begin, static_cast<std::size_t>(end - begin));
    const std::size_t found = *begin == '#' ? rest.find('\n') : row_end(rest);
    const char* const stop = found == std::string_view::npos ? end : begin + found;
    is_skipped_line(begin, stop) ? pass(begin, stop) : take(begin, stop);
    begin = stop + 1;
  }
}

/// Calls take(fields) for whole rows of a table's sample with `width` fields, up to a few hundred.
void for_each_sample_row(std::string_view sample, char separator, std::size_t width,
                         const std::function<void(std::span<const std::string_view>)>& take);

/// What an earlier reading of the same tables left open.
struct Reading {
  bool base_units = false;  ///< Cells of one column have different units: take s, J or W.
  bool all_rows = false;    ///< All rows are to tell what commas in numbers are.
};

/// How the numbers of a table's columns are written, by its header and its first rows.
/// @param path  The table, for a reading in which all rows tell.
std::vector<NumberFormat> number_formats(const Header& header, std::string_view sample,
                                         std::span<const std::size_t> columns,
                                         const RowOptions& options, const Reading& reading,
                                         const std::string& path);

/// Whether columns with a role count things, so that their numbers are whole.
bool counts_things(ColumnRole role);

/// How the numbers of each column are written, of all columns by itself.
std::vector<NumberFormat> formats_of_columns(const Header& header, std::string_view sample,
                                             const TextLayout& layout);

/// Adds what has to be told of the layout of a table: "runs.txt: semicolons separate the columns".
void tell_layout(const Header& header, const NumberFormat& format, std::string_view source,
                 std::span<const std::string> inputs, std::vector<std::string>& sentences);

/// The name of a column, which may tell its unit; empty for a "min" that is no minute.
std::string_view name_with_unit(const Header& header, std::size_t column);

/// @throws DataError if a table's header cell has another unit than the column in earlier tables.
void refuse_other_unit(std::string_view header, std::string_view unit, std::string_view source);

/// A row that was left out, and the reason.
struct BadRow {
  std::size_t file;
  std::uint64_t offset;
  std::uint64_t line;  ///< 0 if it was not counted.
  std::string message;
};

/// How many rows are of a kind, and the first of their names in natural order.
struct NamedCount {
  std::uint64_t count = 0;
  std::string first = {};

  void add(const std::string& name);
  void merge(const NamedCount& other);
};

/// How many rows one worker, or all workers, used or left out.
struct RowTally {
  RowCounts counts;
  std::vector<BadRow> bad_rows;       ///< The first few, in input order.
  std::vector<CellReading> readings;  ///< How unusual cells were understood.
  std::vector<Failure> failures;      ///< Why runs were left out.
  std::string step = {};              ///< The first job step that was left out.
  std::string repeat = {};            ///< The first job that stands in an earlier file, too.
  NamedCount earlier = {};     ///< Of `repeats`, rows with other cells than that which counts.
  NamedCount unlike = {};      ///< Rows of jobs that may have another one in an earlier file.
  std::string commented = {};  ///< The first row in natural order that a "#" leaves out.
  std::uint64_t headers = 0;   ///< Rows that repeat the header. They are left out.

  /// Reads a row to those fields; under `skip_bad`, a row with a defect is counted and left out.
  template <class Read>
  void take(bool skip_bad, RowFields& fields, Read read) {
    ++counts.read;
    try {
      read();
    } catch (const RowDefect& defect) {
      if (fields.repeat_names()) {
        --counts.read;
        ++headers;
        return;
      }
      if (!skip_bad || dynamic_cast<const UndecidedCell*>(&defect) != nullptr) throw;
      ++counts.bad;
      add_bad_row({defect.file, defect.offset, defect.line, defect.what()});
    }
  }
  void add_bad_row(BadRow row);
  void note_reading(std::string_view column, std::string_view text, const CellNumber& cell,
                    const NumberFormat& format);
  /// Counts a line that is no row, if it is a row behind a "#".
  void note_comment(const char* begin, const char* end, char separator, std::size_t width);
  /// Rows that lack the value of a column.
  void note_missing(std::string_view column, std::uint64_t rows = 1);
  void merge(const RowTally& other);
  /// Puts what was noted into words of the counts.
  /// @param overlap  As TableProfile::overlap(); told unless such rows were left out as repeats.
  /// @throws DataError if the cells of a column count different things.
  void tell(std::vector<std::string> layouts, std::string overlap);
};

/// Hands every row of the tables to `consumer`, with a progress bar on request.
/// @param ranks  As in for_each_row_block.
void scan_tables(std::span<const std::string> paths, int threads, const RowOptions& options,
                 RowConsumer& consumer, Ranks* ranks = nullptr);

/// Calls scan(reading) until no reading leaves anything open to the next one: at most three times.
/// @throws DataError if a table cannot be read again.
template <class Scan>
auto scan_as_written(std::span<const std::string> paths, const Ranks* ranks, Scan scan) {
  Reading reading;
  for (;;) {
    try {
      return scan(reading);
    } catch (const ReadAgain& again) {
      bool& known = dynamic_cast<const CommaIsOpen*>(&again) != nullptr ? reading.all_rows
                                                                        : reading.base_units;
      const bool readable = std::ranges::all_of(paths, is_regular_file);
      if (known || ranks != nullptr || !readable) throw DataError(again.what());
      known = true;
    }
  }
}

/// "runs.csv:7: ...", one message per bad row.
std::vector<std::string> messages_of(std::span<const BadRow> rows,
                                     std::span<const std::string> paths, const TextLayout& layout);

/// @param x  The column of the scale; empty if there may be several.
/// @throws DataError if no row was read, or no row can be used.
void refuse_nothing(const RowCounts& rows, std::span<const std::string> paths,
                    std::span<const std::string> where, std::string_view x);

/// Why the conditions leave no row of the tables: for each that no row fulfils by itself, the
/// nearest values that its column has. Reads the beginning of the files again; empty where they
/// cannot be read twice.
std::string where_clues(std::span<const std::string> where, std::span<const std::string> paths);

}  // namespace scalelaw
