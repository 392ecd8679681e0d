#include "scalelaw/study/study_options.hpp"

#include <fmt/format.h>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {

FitOptions fit_options(const StudyOptions& options) {
  refuse_few_draws(options.bootstrap.resamples, "resamples");
  FitOptions fit = options;
  fit.law = &constrained(*options.law, options.constraints);
  if (options.rate) fit.response = Response::kRate;
  return fit;
}

RunOptions row_options(const StudyOptions& options, const CallConditions& conditions) {
  RunOptions run = options;
  run.threads = conditions.threads;
  run.progress = conditions.shows_progress;
  add_units_of(options.y, run.layout);
  if (options.rate) run.told.kind = Kind::kRate;
  if (options.time) run.told.kind = Kind::kTime;
  return run;
}

RunOptions run_options(const StudyOptions& options, const FitOptions& fit,
                       const CallConditions& conditions) {
  refuse_several_x(*fit.law, "this command");
  RunOptions run = row_options(options, conditions);
  run.runs_are_clusters = is_clustered(fit.se);
  run.logarithmic_x = fit.law->logarithmic_x();
  run.logarithmic_y = fit.law->scale() == Scale::kLog;
  run.keep_points |= fit.robust != Robust::kNone || fit.bootstrap.resamples > 0;
  run.ranks = conditions.ranks;
  return run;
}

void refuse_no_input(const StudyOptions& options) {
  if (options.inputs.empty()) {
    throw DataError("no input: name a CSV file, a folder, a quoted glob, or - for standard input");
  }
}

void refuse_few_draws(std::uint32_t draws, std::string_view noun) {
  constexpr std::uint32_t kFewest = 100;
  if (draws == 0 || draws >= kFewest) return;
  throw DataError(
      fmt::format("--bootstrap {}: at least {} {} are needed for the ends of an interval", draws,
                  kFewest, noun));
}

bool takes_several_x(const StudyOptions& options) { return options.law->inputs() > 1; }

void refuse_several_x(const Law& law, std::string_view what) {
  if (law.inputs() == 1) return;
  throw DataError(
      fmt::format("the {} law takes {} x, and {} works only with laws of one x; fit{} predict{} "
                  "can use it",
                  law.name(), law.inputs() == 2 ? "two" : "three", what,
                  law.inputs() == 2 ? "," : " and", law.inputs() == 2 ? " and plot surface" : ""));
}

void refuse_without_gpus(const std::string& x, std::string_view option) {
  if (may_count_gpus(x)) return;
  throw DataError(
      fmt::format("{} needs the number of GPUs, and '{}' does not count GPUs: name a column of "
                  "GPUs with -x, or add one to the table, such as gpus",
                  option, x));
}

}  // namespace scalelaw
