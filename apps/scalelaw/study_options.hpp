#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "constraint_options.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "scalelaw/runs/surface_runs.hpp"

namespace scalelaw::cli {

/// What the commands that read a run table and fit laws have in common, as the user gave it.
struct StudyOptions : RunOptions, FitOptions {
  std::vector<std::string> inputs;
  bool rate = false;  ///< The response is a rate.
  ConstraintOptions constraints;
};

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

/// The laws of so many x (1 or 2) with their names.
std::vector<Named<const Law*>> named_laws(std::size_t inputs);
/// All laws, those of several x last.
std::vector<Named<const Law*>> all_laws();

/// Adds --pool. @param kinds  What the command can pool.
void add_pool_option(Options& command, StudyOptions& options, const std::vector<Pool>& kinds);

/// The first of two passes where options ask for pooling: sets FitOptions::pooling. Warns, on
/// stderr and in the head of the report, if the groups scatter differently or have no scatter to
/// pool.
void pool_if_asked(const GroupedCells& runs, FitOptions& fit, StudyReport& head,
                   const GlobalOptions& global);

/// How the fits are to be made.
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

/// What a command that reads times and rates alone says of a table of losses.
/// @param command  "contrast", which can compare losses by --law, or another one.
/// @throws DataError if the first input is such a table and no scale is named.
void refuse_losses(const StudyOptions& study, std::string_view command);

/// Says that times are of growing work, by the column that tells it; nothing if it is empty.
void note_growing_work(const std::string& column, const std::string& x, const Console& console);

/// Names the columns that are pooled although runs differ in them, and those of which groups can be
/// made.
/// @param by  The group columns.
/// @param x  The scale; empty without one.
void warn_of_ungrouped(const std::vector<UngroupedColumn>& columns, std::vector<std::string> by,
                       const std::string& x, const Console& console);

/// The same runs without their report and without the warning of epochs. Says what limits the
/// choice of columns. A response that was chosen as a rate is fitted as one.
GroupedCells read_groups(const StudyOptions& options, FitOptions& fit, const GlobalOptions& global);

/// Reads as read_groups does, and says nothing.
GroupedCells read_quietly(const StudyOptions& options, const FitOptions& fit,
                          const GlobalOptions& global);

/// Saved fits were made of rows and columns that options cannot change any more.
/// @throws DataError naming the first option of rows or columns that the user gave.
void refuse_row_options(const Options& command, const std::string& document);

/// Marks fits of epochs taken for runs, and returns the sentence for the report; empty if none.
std::string note_epochs(const std::string& column, FitOptions& fit, const Console& console);

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

/// Adds --flops and --flops-per-parameter-token.
void add_compute_options(Options& command, SurfaceOptions& options);
/// Adds these, --residual, --huber-delta and --over-penalty.
void add_surface_options(Options& command, SurfaceOptions& options, StudyOptions& study);

/// Runs over two scales, by group, and the head of a report on them.
struct SurfaceStudy {
  StudyReport report;
  std::vector<SurfaceRuns> groups;
  std::vector<std::string> more_units;  ///< As SurfaceTable::more_units.
  std::string unused_run_column;  ///< One that seems to name runs and is not used; empty: none.
};

/// Whether the law that the user named takes several x.
bool takes_several_x(const StudyOptions& options);

/// @throws DataError if the law takes several x, and the command can only use laws of one.
void refuse_several_x(const Law& law, std::string_view what);

/// How a law of several x is fitted: by Huber's loss, unless the user said --robust none.
FitOptions surface_fit_options(const Options& command, const StudyOptions& options);

/// Reads the inputs and says on stderr what was chosen and what was left out.
/// @throws DataError if the columns are not two scales and a response, or there is nothing to fit.
SurfaceStudy read_surface(const StudyOptions& options, const SurfaceOptions& surface,
                          const GlobalOptions& global);

/// @throws DataError if x counts nodes, tasks or the like, but the option needs GPUs.
void refuse_without_gpus(const std::string& x, std::string_view option);

/// GPUs per node: the number that --gpus-per-node gives, or the one value of the column that it
/// names, over the rows of a study. Empty if it is not given.
/// @throws DataError if it is no number above 0, or if the column has several values.
std::optional<double> gpus_per_node(const std::string& text, const StudyOptions& study,
                                    const StudyReport& report, const GlobalOptions& global);

/// Says which settings are compared if the user named none.
void say_factors(const StudyOptions& options, std::span<const std::string> factors,
                 const Console& console);

}  // namespace scalelaw::cli
