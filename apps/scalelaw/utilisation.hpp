#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "scalelaw/render/energy_figures.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

/// Two columns of utilisation as ingest writes them.
struct UtilisationColumns {
  std::string_view sm;
  std::string_view memory;
};
inline constexpr UtilisationColumns kMeanUtilisation{"sm_util_mean_pct", "mem_util_mean_pct"};
inline constexpr UtilisationColumns kUtilisationVariation{"sm_util_cv", "mem_util_cv"};

/// Utilisation of runs, by group.
struct UtilisationRuns {
  StudyAxes axes;
  std::vector<GroupUtilisation> groups;
  RowCounts rows;
  std::vector<std::string> bad_rows;  ///< The first few, as messages.
};

/// Reads the runs that have both columns; says nothing.
/// @throws DataError if there is nothing to read.
UtilisationRuns read_utilisation(const StudyOptions& study, const UtilisationColumns& columns,
                                 const GlobalOptions& global);

}  // namespace scalelaw::cli
