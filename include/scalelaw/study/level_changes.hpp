#pragma once

#include <functional>
#include <string>

#include "scalelaw/study/read_study.hpp"

namespace scalelaw {

/// What the user writes to make the same study of the rows that meet one more condition; without a
/// function nothing is written.
using CommandWhere = std::function<std::string(const std::string& condition)>;

/// Looks for a change of level among the nights of a run table that is read as one, as `gate` and
/// `history` do. Where one is shown, warns of it, also in the head of the report, with the command
/// for the rows behind it. Reads the table again if a column names nights, and the study neither
/// groups by it nor has a condition on it. Very large tables and standard input are not looked at.
/// @returns The warning; empty if there is none.
std::string warn_of_level_change(const CommandWhere& command, const StudyOptions& options,
                                 const FitOptions& fit, Study& study,
                                 const CallConditions& conditions);

/// Reads runs, and looks for such a change among them.
Study read_study_by_nights(const CommandWhere& command, const StudyOptions& options,
                           FitOptions& fit, const CallConditions& conditions);

}  // namespace scalelaw
