#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/cell.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "scalelaw/runs/table_profile.hpp"

namespace scalelaw {

/// A column of numbers.
struct NumberColumn {
  std::string name;
  bool needed = true;    ///< Rows without a value are left out; else the value is NaN.
  bool positive = true;  ///< Values must be > 0.
  bool whole = false;    ///< Values must be whole numbers, at most kMostWhole.
  /// Each run has one value of it (a scale, a batch size). Rows of a run are averaged only if they
  /// agree in it.
  bool setting = false;
};

/// The columns that a reading of observations uses.
struct ObservationColumns {
  std::vector<std::string> by = {};  ///< Group columns.
  /// Group columns whose values are compared. They stand last, whether or not `by` has them.
  std::vector<std::string> factors = {};
  std::vector<NumberColumn> numbers = {};
  std::string run = {};  ///< Rows of one run are averaged to one observation; empty: they are not.
  bool runs_are_clusters = false;        ///< Rows of one run stay apart, and their run is kept.
  std::vector<std::string> pooled = {};  ///< As in ChosenColumns.
};

/// Finds the columns once the first header and a sample of the rows are known.
/// @throws DataError if a needed column is missing.
using ChooseColumns = std::function<ObservationColumns(
    const Header& header, std::string_view source, const TableProfile& profile)>;

/// Rows of run tables by group, with several numbers per row. They serve judgements of several
/// responses at once (energy and time). They take about ten bytes per row and number.
class Observations {
 public:
  std::size_t size() const;  ///< Number of groups, which are in order (numbers as numbers).
  GroupKey key(std::size_t group) const;
  /// Whether two groups differ only in factors. Such groups stand together, and share their first
  /// by().size() - factors().size() values.
  bool same_but_for_factors(std::size_t group, std::size_t other) const;
  std::size_t count(std::size_t group) const;  ///< Observations of a group, at least 1.
  /// One column of a group's observations, which are sorted by their numbers, first column first.
  std::span<const double> values(std::size_t group, std::size_t number) const;

  /// The run of each observation where runs are clusters, as a number that no other run of the
  /// group has; else empty.
  std::span<const std::uint32_t> runs(std::size_t group) const;

  const std::vector<std::string>& by() const;  ///< Group columns, factors last.
  std::span<const std::string> factors() const;
  const std::vector<NumberColumn>& numbers() const;
  /// The unit of a column of numbers, from its header cell or its first row; empty without one.
  const std::string& unit(std::size_t number) const;
  const RowCounts& rows() const;
  const std::vector<std::string>& bad_rows() const;  ///< The first few, as messages.
  /// Columns of few values that vary within a group although settings agree, and are in no role, by
  /// a sample of the rows.
  std::vector<UngroupedColumn> ungrouped() const;
  /// The column by which runs at larger x do more work, as GroupedCells::growing_work().
  /// @param x, y  Places of the scale and of the time in numbers().
  std::string growing_work(std::size_t x, std::size_t y) const;
  /// Whether some run, by its column, has several rows of one group that agree in their settings.
  /// True if the table is too large to tell.
  bool has_several_rows_of_a_run(const std::string& run) const;

  struct Storage;
  explicit Observations(std::shared_ptr<const Storage> storage);

 private:
  std::shared_ptr<const Storage> storage_;
};

/// Reads run tables as read_runs does, but keeps the rows. The result does not depend on the number
/// of threads or the order of files and rows, to the last bit.
///
/// @throws ParseError, DataError as read_runs.
Observations read_observations(std::span<const std::string> inputs, const ChooseColumns& choose,
                               const RowOptions& options);

/// The observations (x[i], y[i]), all > 0, as cells for fit_law: sorted, one per different x.
std::vector<Cell> cells_of(std::span<const double> x, std::span<const double> y);

/// The mean of the observations at one x, with their range.
struct MeanAt {
  double x;
  double mean;
  double min;
  double max;
};
/// By x; observations whose y is NaN do not count.
std::vector<MeanAt> means_at(std::span<const double> x, std::span<const double> y);

}  // namespace scalelaw
