#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scalelaw/render/isoflop_report.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

/// What isoflop takes besides the columns.
struct IsoflopChoice {
  std::string budget;
  std::optional<double> within;
  std::optional<IsoflopApproach> approach;
  std::vector<double> at_compute;
};

/// Adds --budget, --within, --approach and --at-compute. @param group  Their heading in help.
void add_isoflop_options(Options& command, IsoflopChoice& choice, const char* group);

/// Runs by group, and what the judgement of them has in common.
struct IsoflopStudy {
  SurfaceStudy runs;
  IsoflopReport report;
};

/// Reads the inputs and says on stderr what was chosen and what was left out. Rows of one run share
/// errors where --run names its column.
/// @throws DataError as read_surface.
IsoflopStudy read_isoflop(const StudyOptions& asked, const SurfaceOptions& surface,
                          const IsoflopChoice& choice, const GlobalOptions& global);

}  // namespace scalelaw::cli
