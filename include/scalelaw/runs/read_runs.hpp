#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/runs/cell.hpp"

namespace scalelaw {

class Ranks;

/// What one point of the fit is.
enum class Points {
  kEach,    ///< Every row.
  kMean,    ///< One point a (group, x): the arithmetic mean of y.
  kMedian,  ///< One point a (group, x): the median of y.
};

/// Which rows and columns to read, and what becomes of them. Empty names are chosen by the aliases
/// of docs/cli.md.
struct RunOptions {
  bool has_x = true;            ///< Whether there is a scale; read_runs needs one.
  std::string x;                ///< Column of the scale.
  std::string y;                ///< Column of the response.
  std::vector<std::string> by;  ///< Group columns.
  bool by_chosen = false;       ///< `by` is final even if empty (one group of all rows).
  /// Group columns that stand last, whether or not `by` or its choice has them: the settings whose
  /// levels are compared.
  std::vector<std::string> factors;
  std::vector<std::string> where;  ///< Conditions "col=value", "col<=64"; all must hold.
  std::string run;  ///< Column of the run: its rows are averaged to one point, or name clusters.
  bool runs_are_clusters = false;  ///< Keep rows as points and mark their run in Cell::cluster.
  std::string weights;             ///< Column of weights > 0.
  Points points = Points::kEach;
  bool logarithmic_x = true;  ///< x must be > 0.
  bool logarithmic_y = true;  ///< y must be > 0.
  bool keep_points =
      false;  ///< Deliver cells of count 1: robust fits and bootstraps need raw points.
  bool skip_bad_rows = false;
  int threads = 0;         ///< 0: all processors.
  bool progress = false;   ///< Draw a progress bar on stderr when the work outlasts a second.
  Ranks* ranks = nullptr;  ///< Share the reading. Only the leader returns.
};

/// How many rows were read and what became of them: read = used + missing + bad + filtered.
struct RowCounts {
  std::uint64_t read = 0;
  std::uint64_t used = 0;
  std::uint64_t missing = 0;   ///< A needed cell holds no value.
  std::uint64_t bad = 0;       ///< Malformed, left out under skip_bad_rows.
  std::uint64_t filtered = 0;  ///< A condition did not hold.
  /// A sentence a study store whose run table lacks what an unfinished ingest has kept.
  std::vector<std::string> unfinished = {};
};

/// The cells of every group of a run table, groups in order (numbers as numbers).
class GroupedCells {
 public:
  std::size_t size() const;
  GroupKey key(std::size_t group) const;
  /// The cells of a group, sorted by x; `out` is overwritten. Safe to call from several threads at
  /// once.
  void cells(std::size_t group, std::vector<Cell>& out) const;

  const std::string& x() const;  ///< The columns that were read.
  const std::string& y() const;
  /// The unit of y: in its header cell, its name or its first row; empty if none tells.
  const std::string& y_unit() const;
  const std::vector<std::string>& by() const;
  /// The last of by(): RunOptions::factors.
  std::span<const std::string> factors() const;
  const RowCounts& rows() const;
  /// Up to five messages about bad rows that were left out, in input order.
  const std::vector<std::string>& bad_rows() const;
  /// The name of a column `run` or `job_id` that was not used although some run has several of the
  /// rows that were, or there are more than a million rows, too many to tell; empty if none.
  const std::string& unused_run_column() const;
  /// Sentences on what was chosen, such as "x: gpus, y: epoch_seconds, by: model, power_cap_w".
  const std::string& choice() const;

  struct Storage;
  explicit GroupedCells(std::shared_ptr<const Storage> storage);

 private:
  std::shared_ptr<const Storage> storage_;
};

/// Reads run tables (files, quoted globs, folders, "-" for standard input; gzip and zstd by
/// content) straight from bytes to cells, without a table in between: memory grows with groups
/// times distinct x, not with rows, unless options ask for raw points (keep_points, weights, run,
/// median).
///
/// The result is the same to the last bit for any number of threads, any order of files or rows and
/// any split of the rows over files, because sums are kept exactly.
///
/// @throws ParseError naming file, line, column, value and what was expected, if a row is
/// malformed.
/// @throws DataError if an input cannot be read, holds no table or lacks a column.
GroupedCells read_runs(std::span<const std::string> inputs, const RunOptions& options);

}  // namespace scalelaw
