#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scalelaw/base/units.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "scalelaw/runs/row_filter.hpp"

namespace scalelaw {

struct CommaEvidence;
struct NumberFormat;

/// What the sampled rows hold in one column.
struct ColumnProfile {
  /// At most so many different values have codes of their own; this is the code of all others.
  static constexpr std::uint32_t kMostValues = 1000;
  static constexpr std::uint32_t kFewValues = 64;  ///< Enough to find what could tell groups apart.
  static constexpr std::uint32_t kMissing = kMostValues + 1;  ///< The code of a cell without value.

  std::string name;  ///< The header cell.
  ColumnMeaning meaning;
  std::string unit = {};  ///< From the header or the first cell that has one; empty: none.
  std::uint64_t missing = 0;
  std::uint64_t failed = 0;  ///< Of these, cells that say that the run failed, such as OOM.
  std::uint64_t numbers = 0;
  std::uint64_t texts = 0;
  bool whole = true;       ///< All numbers are whole.
  bool durations = false;  ///< Some are written as durations: 1:23:45, 3m20s.
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  std::vector<std::string> values = {};   ///< Different values, in the order of the rows.
  std::vector<std::uint32_t> codes = {};  ///< By row: the place in `values`, or a larger number.
  std::vector<double> quantities = {};    ///< By row: the number, or NaN.
  bool has_many_values = false;           ///< There are more than `values` has.
  std::size_t counts = 0;      ///< How many of `values` count GPUs, nodes or the like: "8 GPUs".
  std::size_t sizes = 0;       ///< How many of `values` are of millions or more: "125M", "7B".
  bool comma_is_open = false;  ///< Nothing in the table tells if "1,234" is 1234 or 1.234.

  /// The name without its unit.
  std::string label() const { return std::string(column_label(name).name); }
  bool is_number() const { return numbers > 0 && texts == 0; }
  bool counts_devices() const { return is_number() && counts == values.size(); }
};

using ColumnProfiles = std::vector<const ColumnProfile*>;

/// The columns of a table as a bounded sample of its rows shows them: whole small tables; of large
/// ones the first rows, and stretches of rows over the whole file where it can be read at any
/// place. Values are read as read_runs() reads them, and runs that failed are left out as there.
class TableProfile {
 public:
  /// @param options  Conditions on rows, failed runs, the layout, and columns that the user chose.
  /// @param most_values  How many different values of a column get codes of their own.
  explicit TableProfile(const RunOptions& options = {},
                        std::uint32_t most_values = ColumnProfile::kMostValues);
  ~TableProfile();
  TableProfile(TableProfile&&) noexcept;
  TableProfile& operator=(TableProfile&&) noexcept;

  /// Adds rows. The first table tells the columns; those of others are found by their names.
  /// @param text  Rows under `header`, from the beginning of a row; the last one may be cut.
  void take(const Header& header, std::string_view text, std::string_view source);
  /// Adds up to `bytes` bytes of rows in stretches over the rest of a file, if it can be read at
  /// any place.
  /// @param from  The offset up to which its rows were added.
  void take_stretches(const std::string& path, const Header& header, std::uint64_t from,
                      std::size_t bytes);
  /// The first comment that stands between two rows and is none of them, so that it may say what
  /// the rows below it are: "# length 4096"; empty without one.
  const std::string& parting_comment() const { return parting_comment_; }
  /// Adds a part of one of several tables that is so small that it costs no time.
  /// @param file  The place of the table in `paths`.
  /// @param sample  Its first rows.
  void take_sample(std::span<const std::string> paths, std::size_t file, const Header& header,
                   std::string_view sample);

  const std::vector<ColumnProfile>& columns() const { return columns_; }
  const ColumnProfile* column(std::string_view name) const;  ///< By header cell or label.
  /// Those of these names that the table has.
  ColumnProfiles columns(std::span<const std::string> names) const;
  std::size_t rows() const { return rows_; }
  /// Whether every row of the tables that were added is in the sample.
  bool is_complete() const { return complete_; }
  /// "7 rows have not as many fields as the header, the first: ..."; empty if all have.
  std::string misfits() const;
  /// "20 rows of s2.csv stand in s1.csv, too: ..." of two tables that seem to overlap, as exports
  /// of one store do: five rows at least, and a tenth of those of the later table. Empty else.
  std::string overlap() const;
  /// Whether rows are of steps of Slurm jobs that have rows of their own.
  bool has_job_steps() const;
  /// "3 runs are left out: state is FAILED": the failed runs in the sample; empty without any.
  std::string failures() const;

 private:
  /// The values of a column that were met, to read none of them twice.
  struct KnownValues {
    struct Hash {
      using is_transparent = void;
      std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>{}(text);
      }
    };
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> places;
    std::vector<double> quantities;  ///< By place.
    std::uint32_t last = 0;          ///< Neighbouring rows often agree.
  };

  struct Places;
  struct LeftOut;
  struct Tables;

  /// Rows whose fields are more or fewer than those of the header.
  struct Misfits {
    std::uint64_t rows = 0;
    std::string first;  ///< Where the first one stands, and what it is.
  };

  void add_cell(std::size_t column, std::string_view text);
  /// Takes "1xA100", "8xA100" for numbers, where all cells of a column count GPUs of one model.
  void take_counts_of_model(std::size_t column);
  void adopt(const Header& header, std::string_view text);
  Places places_in(const Header& header, std::string_view source) const;
  /// Whether conditions keep a row whose run did not fail.
  bool keeps(std::span<const std::string_view> fields, const Places& places);
  void take_row(std::span<const std::string_view> fields, const Places& places);
  /// @param place  The table and the line of the first row, or 0 if it is not known.
  void take_rows(const Header& header, const Places& places, std::string_view text,
                 std::pair<std::string_view, std::uint64_t> place);

  RunOptions options_;
  std::vector<RowFilter> filters_;
  std::vector<NumberFormat> formats_;  ///< By column.
  std::vector<CommaEvidence> commas_;  ///< By column; empty where it is known what commas are.
  std::unique_ptr<LeftOut> left_out_;
  std::unique_ptr<Tables> tables_;
  Misfits misfits_;
  std::string parting_comment_;
  std::vector<ColumnProfile> columns_;
  std::vector<KnownValues> known_;  ///< By column.
  std::uint32_t most_values_;
  std::size_t rows_ = 0;
  bool complete_ = true;
};

/// A profile of files: up to `bytes` bytes of the first few.
/// @param paths  Files, as expand_inputs() lists them.
/// @param header  Gets the header of the first file.
/// @throws ParseError, DataError if there is no header or a file cannot be read.
TableProfile profile_of_files(std::span<const std::string> paths, const RunOptions& options,
                              std::size_t bytes, Header& header);

/// The codes of one row in these columns.
std::vector<std::uint32_t> codes_at(std::span<const ColumnProfile* const> columns, std::size_t row);

/// Whether `column` has several values in rows that agree in all of `fixed`.
bool varies_within(const ColumnProfile& column, std::span<const ColumnProfile* const> fixed);

/// Whether `column` has several values beside each value of `fixed`.
bool each_varies(const ColumnProfile& column, const ColumnProfile& fixed);

/// Whether several rows agree in all of these columns, as far as their values are told apart.
bool have_equal_rows(std::span<const ColumnProfile* const> columns);

/// The first three values in their order.
std::vector<std::string> first_values(const ColumnProfile& column);

/// Whether a column that is in no role could tell groups apart: it has few values, which are texts
/// or settings, and it is no number of a run, a repeat or an epoch.
bool could_be_group(const ColumnProfile& column);

}  // namespace scalelaw
