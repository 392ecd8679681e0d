#include "scalelaw/study/study_options.hpp"

#include <fmt/format.h>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {
namespace {

/// What --pool does not go with, each with the reason.
void check_pool(const StudyOptions& options) {
  if (options.pool == Pool::kNone || options.pool == Pool::kLaws) return;
  const auto refuse = [&options](const std::string& why) {
    throw DataError(fmt::format("--pool {} {}", name_of(options.pool), why));
  };
  const Law& law = *options.law;
  if (!options.constraints.empty()) {
    refuse("goes with a law whose parameters are all free: leave out --fix, --tie and --bound");
  }
  if (!law.linear() || law.scale() != Scale::kLog) {
    refuse(fmt::format("works with the power and lognormal laws, not with {}", law.name()));
  }
  if (options.pool == Pool::kSlopes && law.name() != "power") {
    refuse(fmt::format("works with the power law, not with {}", law.name()));
  }
  if (options.errors != Errors::kLognormal)
    refuse("pools the scatter of ln y, so it does not go with --errors normal");
  if (options.robust != Robust::kNone) {
    refuse(fmt::format("works with least squares: leave out --robust {}", name_of(options.robust)));
  }
  if (options.se != StandardError::kClassic) {
    refuse(fmt::format(
        "assumes one scatter for all points, and --se {} does not: leave out one of them",
        name_of(options.se)));
  }
  if (options.bootstrap.resamples > 0) {
    refuse(
        "assumes one scatter for all groups, and --bootstrap draws inside each: leave out one of "
        "them");
  }
}

bool folds_points(const StudyOptions& options) {
  return options.points != Points::kEach || (!options.run.empty() && !is_clustered(options.se));
}

/// Combinations that have no meaning, each with what to do about it.
void check_combination(const StudyOptions& options) {
  if (is_clustered(options.se) && options.run.empty()) {
    throw DataError(
        fmt::format("--se {} needs --run COL: the column that says which rows belong together",
                    name_of(options.se)));
  }
  if (options.robust != Robust::kNone && options.se != StandardError::kClassic) {
    throw DataError(
        fmt::format("--robust {} has standard errors of its own: leave out --se {}, or --robust",
                    name_of(options.robust), name_of(options.se)));
  }
  if (is_clustered(options.se) && options.bootstrap.resamples > 0) {
    throw DataError(fmt::format(
        "--bootstrap draws rows, not the runs of --se {}: leave one of them out, or average the "
        "rows of a run to one point (--run without --se {})",
        name_of(options.se), name_of(options.se)));
  }
  check_pool(options);
  if (!options.constraints.empty() && options.robust != Robust::kNone) {
    throw DataError(
        fmt::format("--robust {} is for free parameters: leave it out, or --fix, --tie and --bound",
                    name_of(options.robust)));
  }
  refuse_few_draws(options.bootstrap.resamples, "resamples");
  if (is_clustered(options.se) && options.points != Points::kEach) {
    throw DataError(fmt::format("--se {} needs the rows themselves: leave out --points {}",
                                name_of(options.se), name_of(options.points)));
  }
  if (!options.weights.empty() && folds_points(options)) {
    throw DataError(
        "--weights are weights of rows, so they do not go with --points mean or median, or with a "
        "--run that averages rows");
  }
}

}  // namespace

FitOptions fit_options(const StudyOptions& options) {
  check_combination(options);
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
