#pragma once

#include "study_options.hpp"

namespace scalelaw::cli {

/// Looks for a change of level among the nights of a run table that is read as one, as `gate` and
/// `history` do. Where one is shown, warns of it on stderr and in the head of the report, with the
/// command for the rows behind it. Reads the table again if a column names nights, and the call
/// neither groups by it nor has a condition on it. Very large tables and standard input are not
/// looked at.
/// @param call  The options of the command, for its words.
/// @returns The warning; empty if there is none.
std::string warn_of_level_change(const Options& call, const StudyOptions& options,
                                 const FitOptions& fit, Study& study, const GlobalOptions& global);

/// Reads runs, and looks for such a change among them.
Study read_study_by_nights(const Options& call, const StudyOptions& options, FitOptions& fit,
                           const GlobalOptions& global);

}  // namespace scalelaw::cli
