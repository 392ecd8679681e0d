#pragma once

#include "scalelaw/study/level_changes.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

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

}  // namespace scalelaw::cli
