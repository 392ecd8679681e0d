#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/cell.hpp"
#include "scalelaw/runs/quantity.hpp"

namespace scalelaw {

class TableProfile;

/// A column in which runs of one group at one x differ although it is in no role.
struct UngroupedColumn {
  std::string name;
  std::size_t values = 0;
  /// Whether it is worth to group by: it has few values, or most groups keep three scales.
  bool makes_groups = true;
};

/// What is told of such columns: not those with many values that plainly name things, such as
/// hosts.
/// @param names  The columns, as ungrouped_columns().
/// @param by     The group columns.
/// @param x      The scale; empty without one.
std::vector<UngroupedColumn> told_ungrouped(const TableProfile& profile,
                                            std::span<const std::string> names,
                                            const std::vector<std::string>& by,
                                            const std::string& x);

class Ranks;

/// What a point of the fit stands for.
enum class Points {
  kEach,    ///< Every row.
  kMean,    ///< One point per (group, x): the arithmetic mean of y.
  kMedian,  ///< One point per (group, x): the median of y.
};

/// Which rows of run tables are read, and how.
struct RowOptions {
  std::vector<std::string> where = {};  ///< Conditions "col=value", "col<=64"; all must hold.
  bool skip_bad_rows = false;
  /// Use runs although a column such as `state` says that they failed. Conditions on such a column
  /// and groups by it do the same.
  bool keep_failed = false;
  TextLayout layout = {};
  int threads = 0;        ///< 0: all processors.
  bool progress = false;  ///< Draw a progress bar on stderr if the work takes over a second.
};

/// The settings that are compared where nobody names one: power caps and clocks that vary.
struct UsualFactors {
  std::string option = {};  ///< The option that names one, for messages; empty: none is taken.
  /// Take all of them, and the scale where it varies; else several are an error that names them.
  bool all = false;
};

/// The rows and columns to read, and their use. The aliases of docs/reference/tables.md fill in
/// empty names.
struct RunOptions : RowOptions {
  bool has_x = true;            ///< Whether there is a scale; without one x is 1 in each row.
  std::string x;                ///< Column of the scale.
  std::string y;                ///< Column of the response, or a product: "it/s * global_batch".
  ToldQuantity told = {};       ///< What the user said that y is.
  std::vector<std::string> by;  ///< Group columns.
  bool by_chosen = false;       ///< `by` is final even if empty: then all rows are one group.
  /// Group columns whose levels are compared. They stand last, whether or not `by` has them.
  std::vector<std::string> factors;
  UsualFactors usual_factors = {};  ///< What is taken if `factors` is empty.
  std::string run;  ///< Column of the run, whose rows are averaged to one point or form a cluster.
  bool runs_are_clusters = false;  ///< Keep rows as points and set Cell::cluster to their run.
  std::string weights;             ///< Column of weights > 0.
  Points points = Points::kEach;
  bool logarithmic_x = true;  ///< x must be > 0.
  bool logarithmic_y = true;  ///< y must be > 0.
  bool keep_points = false;   ///< Deliver cells of count 1, as robust fits and bootstraps need.
  Ranks* ranks = nullptr;     ///< Share the reading; only the leader returns.
};

/// A column by which runs at larger scales do more work in some groups, and not in others: one that
/// grows there, or a group column whose values say so.
struct PartlyGrowingWork {
  std::string column;
  std::vector<GroupKey> groups;  ///< In which they do, in group order.

  /// "'batch' grows with nodes there", "'scaling' says so".
  std::string reason(const std::vector<std::string>& by, std::string_view x) const;
};

/// The rows that were read, by their use: read = used + missing + bad + filtered + failed + steps +
/// repeats.
struct RowCounts {
  /// Rows that lack the value of a needed column.
  struct Missing {
    std::string column;
    std::uint64_t rows = 0;
  };

  std::uint64_t read = 0;
  std::uint64_t used = 0;
  std::uint64_t missing = 0;  ///< A needed cell is empty.
  /// The same by the first column that is empty, in the order of their names.
  std::vector<Missing> missing_in = {};
  std::uint64_t bad = 0;       ///< Malformed, and left out under skip_bad_rows.
  std::uint64_t filtered = 0;  ///< A condition does not hold.
  std::uint64_t failed = 0;    ///< The run failed, as a column of states says.
  /// Of these, runs with a word of failure where a number was to be, which nothing can use.
  std::uint64_t failed_cells = 0;
  std::uint64_t steps = 0;      ///< A step of a Slurm job that has a row of its own.
  std::uint64_t repeats = 0;    ///< A Slurm job that stands in an earlier file, too.
  std::uint64_t commented = 0;  ///< Lines that begin with "#" and hold a row. They are not read.
  /// Why runs failed and are left out: "3 runs are left out: state is FAILED"; empty if there are
  /// none.
  std::string failures = {};
  /// One sentence for each way in which the table or its cells are written that may be
  /// misunderstood: "epoch: '1:23:45' is read as hours:minutes:seconds, 5025 s".
  std::vector<std::string> understood = {};
  /// One sentence per study store whose run table lacks the results of an unfinished ingest.
  std::vector<std::string> unfinished = {};
};

/// Whether RunOptions::keep_failed could use rows that were left out.
bool can_keep_failed(const RowCounts& rows);

/// "3 of 12 rows have no value of 'gpus'"; if several columns are empty it counts each.
std::string missing_sentence(const RowCounts& rows);

/// The cells of every group of a run table, with groups in order (numbers as numbers).
class GroupedCells {
 public:
  std::size_t size() const;
  GroupKey key(std::size_t group) const;
  /// The place of the group with that key; empty if there is none.
  std::optional<std::size_t> find(const GroupKey& key) const;
  /// Overwrites `out` with the cells of a group, sorted by x. Several threads may call it at once.
  void cells(std::size_t group, std::vector<Cell>& out) const;

  const std::string& x() const;  ///< The columns that were read.
  const std::string& y() const;
  /// The unit of y, from its header cell, its name or its first row; empty if none has one.
  const std::string& y_unit() const;
  const std::vector<std::string>& by() const;
  /// The last names of by(): RunOptions::factors.
  std::span<const std::string> factors() const;
  const RowCounts& rows() const;
  /// Up to five messages about bad rows that were left out, in input order.
  const std::vector<std::string>& bad_rows() const;
  /// A column `run` or `job_id` that was not used although it matters: some run has several of the
  /// used rows, or there are over a million rows, too many to check. Empty if there is none.
  const std::string& unused_run_column() const;
  /// What y is about.
  const Quantity& quantity() const;
  /// Columns of few values that vary within a group at one x and are in no role, by a sample of the
  /// rows.
  const std::vector<UngroupedColumn>& ungrouped() const;
  /// The column by which runs at larger x do more work (weak scaling), so that their times are no
  /// times of equal work; empty if none tells it. By a sample of the rows.
  const std::string& growing_work() const;
  /// The groups in which it does, where that is so in some of them alone. By a sample of the rows.
  const std::optional<PartlyGrowingWork>& partly_growing_work() const;
  /// How many GPUs each node has, where a column says it and has one value in the sampled rows.
  std::optional<double> gpus_per_node() const;
  /// Sentences on the choices made, such as "x: gpus, y: epoch_seconds, by: model, power_cap_w".
  const std::string& choice() const;

  struct Storage;
  explicit GroupedCells(std::shared_ptr<const Storage> storage);

 private:
  std::shared_ptr<const Storage> storage_;
};

/// Reads run tables (files, quoted globs, folders, "-" for standard input; gzip and zstd by
/// content) directly from bytes to cells. Memory grows with groups times distinct x, not with rows,
/// unless options ask for raw points (keep_points, weights, run, median).
///
/// Sums are exact. The result therefore does not depend, to the last bit, on the number of threads,
/// on the order of files or rows, or on the split of rows over files.
///
/// @throws ParseError naming file, line, column, value and expectation, if a row is malformed.
/// @throws DataError if an input cannot be read, holds no table or lacks a column.
GroupedCells read_runs(std::span<const std::string> inputs, const RunOptions& options);

/// The rows of one group that are at hand, such as products of columns.
struct GroupRows {
  GroupKey group;
  std::vector<double> x;        ///< At least one,
  std::vector<double> y;        ///< and as many.
  std::vector<double> weights;  ///< Likewise under RunOptions::weights; else not looked at.
};

/// The cells of such rows, as read_runs makes them of a table.
/// @param groups   Every group once, in any order.
/// @param options  The names of the columns, and how rows become points. Rows of one run are one
/// row already, so `run` is not looked at. The cells have no counts of rows.
GroupedCells cells_of_rows(std::span<const GroupRows> groups, const RunOptions& options);

}  // namespace scalelaw
