#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/study/study_options.hpp"

namespace scalelaw {

/// Runs to fit, and the head of the report on them.
struct Study {
  StudyReport report;
  GroupedCells runs;
};

/// Reads the inputs as the fit needs them, and says what was chosen and what was left out. Marks
/// the fit if its rows seem to be epochs of runs, and warns of that.
/// @throws DataError if there is nothing to fit.
Study read_study(const StudyOptions& options, FitOptions& fit, const CallConditions& conditions);

/// The same runs without their report and without the warning of epochs. Says what limits the
/// choice of columns. A response that was chosen as a rate is fitted as one.
GroupedCells read_groups(const StudyOptions& options, FitOptions& fit,
                         const CallConditions& conditions);

/// Reads as read_groups does, and says nothing.
GroupedCells read_quietly(const StudyOptions& options, const FitOptions& fit,
                          const CallConditions& conditions);

/// The first of two passes where options ask for pooling: sets FitOptions::pooling. Warns, in the
/// head of the report as well, if the groups scatter differently or have no scatter to pool.
void pool_if_asked(const GroupedCells& runs, FitOptions& fit, StudyReport& head,
                   const CallConditions& conditions);

/// What a command that reads times and rates alone says of a table of losses.
/// @param command  "contrast", which can compare losses by --law, or another one.
/// @throws DataError if the first input is such a table and no scale is named.
void refuse_losses(const StudyOptions& study, std::string_view command);

/// The columns of a first input that has losses over parameters and tokens; empty of another one.
std::optional<LossColumns> loss_columns_of(const StudyOptions& study);

/// Studies the losses where nobody names a column, the table has them for models, and its times are
/// those of whole trainings: these are of unlike work, and tell of no scaling over GPUs.
/// @return Sentence on what the losses depend on as well; empty if the study is as before.
std::string take_losses(StudyOptions& study);

/// The same rows and groups with another column as y.
StudyOptions study_of_column(const StudyOptions& study, const StudyReport& report,
                             const std::string& column);

/// GPUs per node: the number that --gpus-per-node gives, or the one value of the column that it
/// names, over the rows of a study; without either what a column of the table says. Empty if
/// nothing tells it.
/// @throws DataError if it is no number above 0, or if the column has several values.
std::optional<double> gpus_per_node(const std::string& text, const StudyOptions& study,
                                    const StudyReport& report, const GroupedCells& runs,
                                    const CallConditions& conditions);

/// The same for saved fits.
/// @throws DataError for a column, which they do not have.
std::optional<double> gpus_per_node_of_saved(const std::string& text);

/// Whether the inputs are saved fits and not run tables.
/// @throws DataError if they are both.
bool are_saved_fits(const std::vector<std::string>& inputs);

}  // namespace scalelaw
