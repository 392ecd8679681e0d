#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scalelaw/render/isoflop_report.hpp"
#include "scalelaw/study/surface_study.hpp"

namespace scalelaw {

/// What best splits of a compute take besides the columns.
struct IsoflopChoice {
  std::string budget;  ///< Column that tells the runs of one budget; empty: by their compute.
  std::optional<double> within;
  std::optional<IsoflopApproach> approach;
  std::vector<double> at_compute;
};

/// Runs by group, and what the judgement of them has in common.
struct IsoflopStudy {
  SurfaceStudy runs;
  IsoflopReport report;
};

/// Reads the inputs and says what was chosen and what was left out. Rows of one run share errors
/// where a column names it.
/// @throws DataError as read_surface.
IsoflopStudy read_isoflop(const StudyOptions& asked, const SurfaceOptions& surface,
                          const IsoflopChoice& choice, const CallConditions& conditions);

/// The best value of a setting over sizes and tokens, with the head of a report on it.
struct SettingOptimaStudy {
  SettingReport report;
  std::vector<GroupSettingOptima> groups;
};

/// Reads the inputs as read_isoflop does, and finds these values. @param setting  Its column.
SettingOptimaStudy read_setting_optima(StudyOptions study, const SurfaceOptions& surface,
                                       const std::string& setting,
                                       const CallConditions& conditions);

}  // namespace scalelaw
