#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/fit/constraints.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "scalelaw/study/conditions.hpp"

namespace scalelaw {

/// The texts of --fix, --tie and --bound.
struct ConstraintOptions {
  std::vector<std::string> fix;
  std::vector<std::string> tie;
  std::vector<std::string> bound;

  bool empty() const { return fix.empty() && tie.empty() && bound.empty(); }
};

/// The law under the constraints that were asked for.
/// @throws DataError for texts that are none, with the option, and as constrained() does.
const Law& constrained(const Law& law, const ConstraintOptions& options);

/// What a study of a run table asks for: its inputs, rows and columns, and how laws are fitted.
struct StudyOptions : RunOptions, FitOptions {
  std::vector<std::string> inputs;
  bool rate = false;  ///< The response is a rate,
  bool time = false;  ///< or a time, whatever its name says.
  /// Which way single responses get better, by their names in `y`.
  std::vector<std::pair<std::string, Better>> better_of = {};
  ConstraintOptions constraints;
};

/// How the fits are to be made.
/// @throws DataError if resamples are too few for an interval.
FitOptions fit_options(const StudyOptions& options);

/// Which rows and columns are read, as far as all readings of runs share that.
RunOptions row_options(const StudyOptions& options, const CallConditions& conditions);
/// The same as a fit needs them. @param fit  Of a law of one x.
RunOptions run_options(const StudyOptions& options, const FitOptions& fit,
                       const CallConditions& conditions);

/// @throws DataError if no input is named.
void refuse_no_input(const StudyOptions& options);

/// @param draws  0 for no bootstrap. @param noun  What --bootstrap counts, such as "draws".
/// @throws DataError if they are too few for the ends of an interval.
void refuse_few_draws(std::uint32_t draws, std::string_view noun);

/// Whether the law takes several x.
bool takes_several_x(const StudyOptions& options);

/// @throws DataError if the law takes several x, and the command can only use laws of one.
void refuse_several_x(const Law& law, std::string_view what);

/// @throws DataError if x counts nodes, tasks or the like, but the option needs GPUs.
void refuse_without_gpus(const std::string& x, std::string_view option);

}  // namespace scalelaw
