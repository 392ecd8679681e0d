#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/fit/surface.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

/// What laws of two x take besides the options of all laws.
struct SurfaceOptions {
  std::string flops;  ///< Column of the training compute that gives the second scale; empty: none.
  std::optional<double> flops_per_parameter_token;  ///< K; empty: by the names of the scales.
  double huber_delta = 1e-3;
};

/// Adds --flops and --flops-per-parameter-token. `options` must outlive the parsing.
void add_surface_options(Options& command, SurfaceOptions& options);

/// Runs over two scales, by group, and the head of a report on them.
struct SurfaceStudy {
  StudyReport report;
  std::vector<SurfaceRuns> groups;
  std::string unused_run_column;  ///< One that seems to name runs and is not used; empty: none.
};

/// Whether the law that the user named takes two x.
bool takes_two_x(const StudyOptions& options);

/// @throws DataError if the law takes two x, and the command can only use laws of one.
void refuse_two_x(const Law& law, std::string_view what);

/// @throws DataError if the law takes one x, and the user gave an option of laws of two.
void refuse_surface_options(const Options& command, const StudyOptions& options);

/// How a law of two x is fitted: by Huber's loss, unless the user said --robust none.
/// @throws DataError if the user gave an option that such fits have no use for.
FitOptions surface_fit_options(const Options& command, const StudyOptions& options,
                               const SurfaceOptions& surface);

/// Reads the inputs and says on stderr what was chosen and what was left out.
/// @throws DataError if the columns are not two scales and a response, or there is nothing to fit.
SurfaceStudy read_surface(const StudyOptions& options, const SurfaceOptions& surface,
                          const GlobalOptions& global);

}  // namespace scalelaw::cli
