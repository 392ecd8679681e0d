#pragma once

#include <span>
#include <string>
#include <vector>

#include "scalelaw/base/messages.hpp"
#include "scalelaw/study/study_options.hpp"

namespace scalelaw {

/// Says how many rows were left out, and why.
void say_what_was_left_out(const RowCounts& rows, const std::vector<std::string>& bad_rows,
                           const Messages& say);

/// Says that times are of growing work, by the column that tells it; nothing if it is empty.
void note_growing_work(const std::string& column, const std::string& x, const Messages& say);
/// Says in which groups runs do more work at larger scales.
void note_partly_growing_work(const PartlyGrowingWork& part, const GroupedCells& runs,
                              const Messages& say);

/// Names the columns that are pooled although runs differ in them, and those of which groups can be
/// made.
/// @param by  The group columns.
/// @param x  The scale; empty without one.
void warn_of_ungrouped(const std::vector<UngroupedColumn>& columns, std::vector<std::string> by,
                       const std::string& x, const Messages& say);

/// Marks fits of epochs taken for runs, and returns the sentence for the report; empty if none.
std::string note_epochs(const std::string& column, FitOptions& fit, const Messages& say);

/// Says which settings are compared if the user named none.
void say_factors(const StudyOptions& options, std::span<const std::string> factors,
                 const Messages& say);

}  // namespace scalelaw
