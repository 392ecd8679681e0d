#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "scalelaw/base/option_rules.hpp"
#include "scalelaw/study/budget.hpp"
#include "scalelaw/study/level_changes.hpp"
#include "scalelaw/study/measures.hpp"
#include "scalelaw/study/notes.hpp"
#include "scalelaw/study/predict_request.hpp"
#include "scalelaw/study/read_study.hpp"
#include "scalelaw/study/surface_study.hpp"
#include "scalelaw/study/tails.hpp"

namespace scalelaw::cli {

// Kinds of calls that rules of several commands are about.

/// A call with a law of several x: the one that --law names, that of the saved fits that it reads,
/// or of `plot surface`.
CallKind several_x();
/// What is said of options that are only for them.
inline constexpr const char* kTakesOne = "{0} works only with laws of several x, and {2} takes one";

/// One that reads saved fits.
CallKind saved_fits();

/// One whose law of --law is fitted to y itself, and not to ln y.
CallKind fitted_to_y();

/// Adds the options that choose input, rows, columns, law and errors.
void add_study_options(Options& command, StudyOptions& options);

// Parts of them, for commands with a law and errors of their own.
/// Inputs and rows.
void add_data_options(Options& command, StudyOptions& options);
void add_input_option(Options& command, StudyOptions& options);
/// Axes, selection, points and weights.
void add_row_options(Options& command, StudyOptions& options);
/// Columns of the groups and runs, conditions on rows: what every reading of a table knows.
/// @param of_runs  What --run means, if rows of one run are not averaged.
void add_selection_options(Options& command, StudyOptions& options, const char* of_runs = nullptr);
/// Columns of the scale and of the response.
void add_axis_options(Options& command, StudyOptions& options);
/// Law, errors and uncertainty; after the row options.
void add_method_options(Options& command, StudyOptions& options);
/// What ways of fitting do not go together, of those that the command has.
void add_method_rules(Options& command);
void add_rate_option(Options& command, StudyOptions& options);
void add_confidence_option(Options& command, StudyOptions& options);
/// Adds --fix, --tie and --bound.
void add_constraint_options(Options& command, ConstraintOptions& options);

std::vector<Named<const Law*>> laws_named(const std::vector<std::string_view>& names);
/// The laws of so many x (1 or 2) with their names.
std::vector<Named<const Law*>> named_laws(std::size_t inputs);
/// All laws, those of several x last.
std::vector<Named<const Law*>> all_laws();

/// Adds --pool. @param kinds  What the command can pool.
void add_pool_option(Options& command, StudyOptions& options, const std::vector<Pool>& kinds);

/// Saved fits were made of rows and columns that options cannot change any more.
void add_saved_rules(Options& command);

/// Adds --flops and --flops-per-parameter-token.
void add_compute_options(Options& command, SurfaceOptions& options);
/// Adds these, --residual, --huber-delta and --over-penalty.
void add_surface_options(Options& command, SurfaceOptions& options, StudyOptions& study);

/// How a law of several x is fitted: by Huber's loss, unless the user said --robust none.
FitOptions surface_fit_options(const Options& command, const StudyOptions& options);

/// How warnings of a level name the command for the rows behind it.
inline CommandWhere command_where(const Options& call, const StudyOptions& options) {
  return [&call, &options](const std::string& condition) {
    return call_with(call, options.inputs, "--where", condition);
  };
}

/// Reads runs, and looks for a change of level among their nights.
inline Study read_study_by_nights(const Options& call, const StudyOptions& options, FitOptions& fit,
                                  const GlobalOptions& global) {
  return read_study_by_nights(command_where(call, options), options, fit, global.conditions());
}

/// Adds --energy, --power and --total-power. `measures` must outlive the parsing.
/// @param group  Where the help lists them.
void add_energy_columns(Options& command, MeasureOptions& measures, const char* group = "Data");

/// Adds --carbon-intensity, --price and --pue. `options` must outlive the parsing.
void add_footprint_options(Options& command, FootprintOptions& options);

/// The weights of energy in Zeus's cost that an option lists; none for an empty list.
/// @throws DataError if one is not in [0, 1] or is named twice.
std::vector<double> etas_of(const std::string& option, const std::string& list);

/// Adds all but the options of the result. `request` must outlive the parsing.
void add_budget_options(Options& command, BudgetRequest& request);

/// Adds --budget, --within, --approach and --at-compute. @param group  Their heading in help.
void add_isoflop_options(Options& command, IsoflopChoice& choice, const char* group);

/// The choices of --law, the usual one first.
std::vector<Named<ForecastModel>> models(const std::vector<Named<const Law*>>& laws);

/// A deadline: a number above 0 in the unit of y, or a duration.
/// @throws DataError if the text is neither.
std::optional<TimeLimit> time_limit_of(const std::string& option, const std::string& text);

/// Adds --epochs, --steps, --tokens and --samples. `request` must outlive the parsing.
/// @param effect  What they change: "the GPU-hours are then those of such runs".
void add_job_options(Options& command, PredictRequest& request, const std::string& effect);

/// How `scalelaw tail` and its figure look for a tail, as the user gave it.
struct TailChoice : TailOptions {
  std::string begin = "auto";  ///< x_min, or auto.
};

/// Adds --discrete and --xmin.
void add_tail_options(Options& command, TailChoice& choice, const char* group);

/// @throws DataError if x_min is none, or draws are too few for an interval.
TailOptions tail_options(const TailChoice& choice);

}  // namespace scalelaw::cli
