#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/runs/observations.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// Which columns a reading of runs over two scales takes.
struct SurfaceColumns {
  std::string n;  ///< Column of the first scale; empty: columns of losses are found by their words.
  std::string d;  ///< Column of the second scale; empty if the compute gives it.
  /// Column of the training compute c, which gives the second scale, tokens = c / (K * n).
  std::string compute = {};
  /// K, so that c = K * n * d. If empty, 6 for scales whose names are those of parameters and
  /// tokens, else 1: the product alone.
  std::optional<double> flops_per_parameter_token = {};
  bool takes_unique = false;  ///< Whether unique tokens are the third scale.
  /// Column of unique tokens, or of epochs = tokens / unique tokens; empty: found by its words.
  std::string unique = {};
  /// Whether a table will do in which no column tells unique tokens: then SurfaceRuns::unique is
  /// empty.
  bool fresh_if_untold = false;
  std::string budget = {};  ///< Column of numbers that tells runs of one budget; empty: none.
  /// Whether columns that their names give in millions, billions or PFLOP-days are read as single
  /// parameters, tokens and FLOP even if not both names say that they count these.
  bool in_ones = false;
  /// Whether one x will do, as where a setting is looked at in each size: then d is n.
  bool one_will_do = false;
  /// Finds further columns of numbers that are read beside these; empty: none are.
  std::function<std::vector<NumberColumn>(const Header& header, std::string_view source,
                                          const TableProfile& profile)>
      more = {};
};

/// The runs of one group, or rows of them.
struct SurfaceRuns {
  GroupKey group;
  std::vector<double> n;
  std::vector<double> d;
  std::vector<double> y;
  std::vector<std::uint32_t> cluster = {};     ///< Where runs are clusters: the run of each row.
  std::vector<double> budget = {};             ///< Where a column tells it.
  std::vector<std::vector<double>> more = {};  ///< Values of SurfaceColumns::more, NaN if missing.
  std::vector<double> unique = {};             ///< Unique tokens, where they are read.
};

/// Runs over two scales, by group.
struct SurfaceTable {
  std::vector<std::string> scales;  ///< Names of both scales, and of unique tokens if read.
  double flops_per_parameter_token = 6;
  std::string y;
  std::string y_unit;                   ///< Empty if it is not known.
  std::vector<std::string> more_units;  ///< Of SurfaceColumns::more; empty where not known.
  std::vector<std::string> by;
  std::vector<SurfaceRuns> groups;
  RowCounts rows;
  std::vector<std::string> bad_rows;  ///< The first few, as messages.
  std::string choice;                 ///< Sentences on what was chosen.
  /// One that seems to name runs of several rows and is not used, or empty.
  std::string unused_run_column;
  std::vector<UngroupedColumn> ungrouped;  ///< As Observations::ungrouped().
};

/// Whether the words of a column's name say that it has unique tokens, as of a data set.
bool counts_unique_tokens(std::string_view column);

/// Reads run tables row by row.
/// @param options  Rows and the other columns; x is that of `columns`.
/// @throws ParseError, DataError as read_runs.
SurfaceTable read_surface_runs(std::span<const std::string> inputs, SurfaceColumns columns,
                               const RunOptions& options);

}  // namespace scalelaw
