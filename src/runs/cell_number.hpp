#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// Whether it is known what "1,234" is: a whole number in thousands, or one with decimals.
enum class CommaState : std::uint8_t {
  kTold,
  kOpen,         ///< The first rows do not tell.
  kOpenForGood,  ///< No row tells.
};

/// How the numbers of a column are written.
struct NumberFormat {
  std::string unit;            ///< What values are in; empty: no unit.
  bool unit_in_cells = false;  ///< The header names no unit, so that each cell has its own.
  char decimal = '.';
  bool decimal_chosen = false;  ///< The user said what the decimal point is.
  bool products = false;        ///< "2x4" is 8: processes of so many threads.
  CommaState comma = CommaState::kTold;

  friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};

/// Ways of writing a number that have to be told, because they can be misunderstood.
enum class CellForm : std::uint8_t {
  kPlain,
  kClock,         ///< 1:23:45
  kShortClock,    ///< 3:20
  kDayClock,      ///< 1-02:03:04
  kDuration,      ///< 3m20s
  kThousands,     ///< 1,024
  kDecimalComma,  ///< 12,5
  kMagnitude,     ///< 44M
  kTimes,         ///< 8x
  kCounted,       ///< 8 GPUs
  kConverted,     ///< 54000 ms among seconds
  kAbout,         ///< ~12
  kSpread,        ///< 12.3 ± 0.4
  kRemark,        ///< 3240 (7.2x)
  kFootnote,      ///< 12.3*
  kBound,         ///< >100, which is no value
  kProduct,       ///< 2x4, 8 GPUs on 2 nodes
};

/// The number in a cell, or the reason why it cannot be used.
struct CellNumber {
  double value = 0;
  std::string defect = {};
  CellForm form = CellForm::kPlain;
  std::string_view counted = {};  ///< What is counted, as "gpu" in "8 GPUs".
  /// The cell has another unit than those before, although each cell has its own.
  bool mixed = false;
  bool comma_is_open = false;  ///< The defect is that nothing tells what its comma is.
};

/// Reads a number as people write it (docs/reference/tables.md, "Values"); -0 becomes 0.
CellNumber number_in_cell(std::string_view text, const NumberFormat& format, bool positive);

/// A number as a condition compares it.
struct LooseNumber {
  double value = 0;
  std::string unit = {};  ///< Canonical, "s" of clocks; empty without one.
};

/// The number in a text by itself, for comparisons.
std::optional<LooseNumber> loose_number(std::string_view text, char decimal = '.');

/// `value` of one unit of time, energy, power or rate in another; empty where it does not convert.
std::optional<double> converted(double value, std::string_view from, std::string_view to);

/// The number in a cell; empty if it cannot be used. It is quicker than number_in_cell() about
/// texts, as it does not say why.
std::optional<CellNumber> number_if_any(std::string_view text, const NumberFormat& format);

/// How the numbers of a column are written, by its header cell and its first cells.
/// @param base_units  Values are to be in s, J or W if their cells have units.
NumberFormat number_format(std::string_view header, std::span<const std::string> cells,
                           NumberFormat table, bool base_units);

/// Whether a cell of a column of numbers holds none: as is_missing(), and dashes.
bool is_no_number(std::string_view text);

/// What cells of a column, or of a table, say about its commas.
struct CommaEvidence {
  bool decimals = false;   ///< Some can only have a decimal comma: "12,5", "1.234,5".
  bool thousands = false;  ///< Some have a decimal point, "12.5", or commas in whole numbers.
  bool open = false;       ///< Some may be either: "1,234".
  bool points = false;     ///< Some have a decimal point unless others have a comma: "33.055".
  bool hundreds = false;   ///< Some are whole numbers of three digits: "781".
  bool texts = false;      ///< Some are no numbers: "abc", "0,1,2".

  /// Whether it is known what commas are.
  bool is_told() const { return decimals || thousands; }
  /// Whether nothing tells what commas are.
  bool is_open() const { return open && !is_told(); }
  /// @param counts  The column counts things, so that its numbers are whole.
  void add(std::string_view cell, bool counts);
};

/// What all columns of numbers of a table say about its commas together: either `decimals` or
/// `thousands`, or neither where they disagree or are silent.
CommaEvidence evidence_of_table(std::span<const CommaEvidence> columns);

/// What is known of the commas in some columns of a table. Their own cells tell first, then the
/// table, and last whole numbers of three digits beside "1,834": such a column has thousands.
/// @param columns  One entry per column of the table.
CommaEvidence evidence_of_columns(std::span<const CommaEvidence> columns,
                                  std::span<const std::size_t> used, const CommaEvidence& table);

/// One way in which cells of a column were understood.
struct CellReading {
  std::string column;
  CellForm form = CellForm::kPlain;
  std::string counted;
  std::string example;  ///< The shortest cell, and of several the first in alphabetical order.
  double value = 0;     ///< The number that was read.
  std::string unit;
};

/// Adds a reading to those of a table, in an order that does not depend on that of the rows.
void add_reading(std::vector<CellReading>& readings, CellReading reading);

/// "epoch: '1:23:45' is read as hours:minutes:seconds, 5025 s", one sentence per reading.
std::vector<std::string> sentences_of(std::span<const CellReading> readings);

/// @throws DataError if cells of one column count different things ("8 GPUs", "2 nodes").
void refuse_different_counts(std::span<const CellReading> readings);

/// A unit of work per time, or of time per work, as cells have it: "tok/s", "GB/s", "ms/step".
struct RateUnit {
  std::string unit;   ///< "tok/s", with the usual spelling of the time.
  std::string base;   ///< What units of the same kind convert to: "token/s", "B/s", "s/step".
  double factor = 1;  ///< So many of `base` are one `unit`.
};

/// The unit that words behind a number tell; empty if they are none.
std::optional<RateUnit> rate_unit(std::string_view words);

}  // namespace scalelaw
