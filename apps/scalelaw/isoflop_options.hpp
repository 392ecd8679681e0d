#pragma once

#include "scalelaw/study/isoflop_study.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

/// Adds --budget, --within, --approach and --at-compute. @param group  Their heading in help.
void add_isoflop_options(Options& command, IsoflopChoice& choice, const char* group);

}  // namespace scalelaw::cli
