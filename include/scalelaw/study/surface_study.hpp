#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/render/isoflop_report.hpp"
#include "scalelaw/runs/surface_runs.hpp"
#include "scalelaw/study/study_options.hpp"

namespace scalelaw {

/// What laws of several x take besides the options of all laws.
struct SurfaceOptions {
  std::string flops;  ///< Column of the training compute that gives the second scale; empty: none.
  std::optional<double> flops_per_parameter_token;  ///< K; empty: by the names of the scales.
  std::string budget = {};       ///< Column that tells runs of one budget; empty: none.
  bool in_ones = false;          ///< As SurfaceColumns::in_ones,
  bool one_will_do = false;      ///< and SurfaceColumns::one_will_do,
  bool fresh_if_untold = false;  ///< and SurfaceColumns::fresh_if_untold.
  std::string sharing =
      "--se cr2 --run";  ///< The options that allow for errors of one size; or empty.
  decltype(SurfaceColumns::more) more = {};  ///< As SurfaceColumns::more.
};

/// Runs over two scales, by group, and the head of a report on them.
struct SurfaceStudy {
  StudyReport report;
  std::vector<SurfaceRuns> groups;
  std::vector<std::string> more_units;  ///< As SurfaceTable::more_units.
  std::string unused_run_column;  ///< One that seems to name runs and is not used; empty: none.
};

/// How a law of several x is fitted.
/// @param least_squares  Not by Huber's loss, which is usual.
FitOptions surface_fit_options(const StudyOptions& options, bool least_squares = false);

/// Reads the inputs and says what was chosen and what was left out.
/// @throws DataError if the columns are not two scales and a response, or there is nothing to fit.
SurfaceStudy read_surface(const StudyOptions& options, const SurfaceOptions& surface,
                          const CallConditions& conditions);

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
