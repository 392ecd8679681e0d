#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "scalelaw/study/notes.hpp"
#include "scalelaw/study/read_study.hpp"
#include "scalelaw/study/surface_study.hpp"

namespace scalelaw::cli {

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

}  // namespace scalelaw::cli
