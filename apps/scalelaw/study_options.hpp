#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/render/fit_report.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw::cli {

/// What the commands that read a run table and fit laws have in common, as the user gave it.
struct StudyOptions {
  std::vector<std::string> inputs;
  std::string x;
  std::string y;
  std::string by;                    ///< Comma separated.
  bool by_given = false;             ///< `-b ""` asks for one group of all rows.
  std::vector<std::string> factors;  ///< Settings whose levels are compared.
  std::vector<std::string> where;
  std::string run;
  std::string weights;
  Points points = Points::kEach;
  bool skip_bad_rows = false;
  bool keep_points = false;  ///< The command needs the runs themselves.

  const Law* law = find_law("power");
  Errors errors = Errors::kLognormal;
  StandardError se = StandardError::kClassic;
  Robust robust = Robust::kNone;
  bool rate = false;
  double confidence = 0.95;
  std::uint32_t resamples = 0;
  BootstrapKind bootstrap_kind = BootstrapKind::kWebb;
  std::uint64_t seed = 1;
};

/// Adds the options that choose input, rows, columns, law and errors. `options` must outlive the
/// parsing.
void add_study_options(Options& command, StudyOptions& options);

// Parts of them, for commands with a law and errors of their own.
void add_data_options(Options& command, StudyOptions& options);
/// The inputs alone.
void add_input_option(Options& command, StudyOptions& options);
/// The data options but for the inputs.
void add_row_options(Options& command, StudyOptions& options);
/// Columns of the groups and runs, conditions on rows: what every reading of a table knows.
void add_selection_options(Options& command, StudyOptions& options);
/// Columns of the scale and of the response.
void add_axis_options(Options& command, StudyOptions& options);
/// Law, errors and uncertainty; after the row options.
void add_method_options(Options& command, StudyOptions& options);
void add_rate_option(Options& command, StudyOptions& options);
void add_confidence_option(Options& command, StudyOptions& options);

/// The laws of so many x (1 or 2) with their names.
std::vector<Named<const Law*>> named_laws(std::size_t inputs);
/// All laws, those of two x last.
std::vector<Named<const Law*>> all_laws();

/// How the fits are to be made.
/// @throws DataError if options do not go together.
FitOptions fit_options(const StudyOptions& options);

/// @throws DataError if the user named no input.
void refuse_no_input(const StudyOptions& options);

/// Says how many rows were left out, and why.
void say_what_was_left_out(const RowCounts& rows, const std::vector<std::string>& bad_rows,
                           const Console& console);

/// @param draws  0 for no bootstrap. @param noun  What --bootstrap counts, such as "draws".
/// @throws DataError if they are too few for the ends of an interval.
void refuse_few_draws(std::uint32_t draws, std::string_view noun);

/// Which rows and columns are read, as far as all readings of runs share that.
RunOptions row_options(const StudyOptions& options, const GlobalOptions& global);

/// Runs to fit, and the head of the report on them.
struct Study {
  StudyReport report;
  GroupedCells runs;
};

/// Reads the inputs as the fit needs them, and says on stderr what was chosen and what was left
/// out. Marks the fit if its rows seem to be epochs of runs, and warns of that.
/// @throws DataError if there is nothing to fit.
Study read_study(const StudyOptions& options, FitOptions& fit, const GlobalOptions& global);

/// The same runs without their report and without the warning.
GroupedCells read_groups(const StudyOptions& options, const FitOptions& fit,
                         const GlobalOptions& global);

/// Reads as read_groups does, and says nothing.
GroupedCells read_quietly(const StudyOptions& options, const FitOptions& fit,
                          const GlobalOptions& global);

/// Saved fits were made of rows and columns that options cannot change any more.
/// @throws DataError naming the first option of rows or columns that the user gave.
void refuse_row_options(const Options& command, const std::string& document);

/// Marks fits of epochs that were taken for runs, and returns the sentence for the report; empty if
/// none.
std::string note_epochs(const std::string& column, FitOptions& fit, const Console& console);

}  // namespace scalelaw::cli
