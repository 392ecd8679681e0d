#pragma once

#include <memory>
#include <string>
#include <vector>

#include "group_store.hpp"
#include "row_reading.hpp"
#include "run_ids.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// The rows of run tables.
struct ScannedRuns {
  ChosenColumns columns;
  std::string y_unit;
  std::vector<UngroupedColumn> ungrouped = {};                ///< As GroupedCells::ungrouped().
  std::string growing_work = {};                              ///< As GroupedCells::growing_work(),
  std::optional<PartlyGrowingWork> partly_growing_work = {};  ///< and partly_growing_work().
  std::optional<double> gpus_per_node = {};                   ///< As GroupedCells::gpus_per_node().
  RowTally tally = {};
  std::vector<std::string> layouts = {};  ///< What is told of unusual layouts.
  std::string overlap = {};  ///< As TableProfile::overlap(), of rows that would count twice.
  std::vector<std::unique_ptr<GroupStore>> stores = {};  ///< One per worker.
  /// The runs of the used rows, if there is an unused column of runs.
  std::unique_ptr<RunIds> run_ids;
};

/// Reads the rows of run tables.
/// @param ranks  As in for_each_row_block.
/// @throws ParseError, DataError as read_runs.
ScannedRuns scan_runs(const std::vector<std::string>& paths, const RunOptions& options, int threads,
                      Ranks* ranks);

}  // namespace scalelaw
