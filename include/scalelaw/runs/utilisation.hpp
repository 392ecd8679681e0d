#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// Two columns of utilisation as `scalelaw ingest` writes them.
struct UtilisationColumns {
  std::string_view sm;      ///< Of streaming multiprocessors.
  std::string_view memory;  ///< Of memory.
};
inline constexpr UtilisationColumns kMeanUtilisation{"sm_util_mean_pct", "mem_util_mean_pct"};
inline constexpr UtilisationColumns kUtilisationVariation{"sm_util_cv", "mem_util_cv"};

/// Utilisation in the runs of a group: columns in percent, or coefficients of variation.
struct GroupUtilisation {
  GroupKey group;
  std::vector<double> x;
  std::vector<double> sm;      ///< Of streaming multiprocessors,
  std::vector<double> memory;  ///< of memory.
};

/// Utilisation of runs, by group.
struct UtilisationRuns {
  std::string x;                ///< Column of the scale.
  std::vector<std::string> by;  ///< Group columns.
  std::vector<GroupUtilisation> groups;
  RowCounts rows;
  std::vector<std::string> bad_rows;  ///< The first few, as messages.
};

/// Reads the runs that have both columns of utilisation.
/// @param options  The scale, groups and conditions on rows; y and run are not used.
/// @throws DataError if a column is missing.
UtilisationRuns read_utilisation(const std::vector<std::string>& inputs, const RunOptions& options,
                                 const UtilisationColumns& columns);

}  // namespace scalelaw
